import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { contactImportActivities } from '../activities/contact-import.ts';
import type { ImportStand } from '../domain/contacts/import/run-import.ts';
import { causeOf } from './failure.ts';
import type { WorkflowInputs } from './registry.ts';

type Activities = ReturnType<typeof contactImportActivities>;

// A worker that dies is noticed by its missing heartbeat; whatever fails is tried again from the ledger, without limit.
const importing = {
  startToCloseTimeout: '24h',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '1s', maximumInterval: '10s' },
} as const;
const { importContacts } = proxyActivities<Activities>(importing);
const { completeContactImport, failContactImport } = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  retry: { maximumInterval: '1m' },
});

/** One import, from the kept file to its end. An activity takes some seconds of it, so that the details here move on. */
export async function contactImport(input: WorkflowInputs['contactImport']): Promise<void> {
  for (let summary = 'reading the file'; ;) {
    setCurrentDetails(`Import ${input.importId}: ${summary}`);
    const { over, rows, totalRows } = await importSome(input, summary);
    if (over) break;
    summary = `${rows} of ${totalRows} rows`;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof contactImport>(input);
  }
  await completeContactImport(input);
  setCurrentDetails(`Import ${input.importId}: done`);
}

async function importSome(
  input: WorkflowInputs['contactImport'],
  summary: string,
): ReturnType<Activities['importContacts']> {
  try {
    const stand: ImportStand | null = await importContacts.executeWithOptions({ ...importing, summary }, [input]);
    // The activity of an earlier version ran to the end of the file and answered nothing.
    return stand ?? { over: true, rows: 0, totalRows: null };
  } catch (error) {
    await failContactImport({ ...input, error: causeOf(error) });
    throw error;
  }
}
