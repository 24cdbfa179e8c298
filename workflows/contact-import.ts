import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { contactImportActivities } from '../activities/contact-import.ts';
import type { ImportResult } from '../domain/contacts/import/run-import.ts';
import { causeOf } from './failure.ts';
import { longOptions, pageOptions } from './options.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

type Activities = ReturnType<typeof contactImportActivities>;

// Failures are retried from the ledger, without limit.
const { importContacts } = proxyActivities<Activities>(longOptions);
const { completeContactImport, failContactImport } = proxyActivities<Activities>(pageOptions);

/** Imports one stored file. Each activity runs for some seconds, so that the workflow's details are updated. */
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
    const result: ImportResult | null = await importContacts.executeWithOptions({ ...longOptions, summary }, [input]);
    // The activity of an earlier version ran to the end of the file and returned nothing.
    return result ?? { over: true, rows: 0, totalRows: null };
  } catch (error) {
    await failContactImport({ ...input, error: causeOf(error) });
    throw error;
  }
}
