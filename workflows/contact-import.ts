import { ApplicationFailure, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { contactImportActivities, ImportInput } from '../activities/contact-import.ts';

type Activities = ReturnType<typeof contactImportActivities>;

// A worker that dies is noticed by its missing heartbeat; whatever fails is tried again from the ledger, without limit.
const { importContacts } = proxyActivities<Activities>({
  startToCloseTimeout: '24h', heartbeatTimeout: '15s', retry: { initialInterval: '1s', maximumInterval: '1m' },
});
const { completeContactImport, failContactImport } = proxyActivities<Activities>({ startToCloseTimeout: '5m', retry: { maximumInterval: '1m' } });

/** One import, from the kept file to its end. */
export async function contactImport(input: ImportInput): Promise<void> {
  setCurrentDetails(`Import ${input.importId}: importing; the rows done are in the activity's heartbeat`);
  try {
    await importContacts(input);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof ApplicationFailure ? error.cause.message : String(error);
    await failContactImport({ ...input, error: cause });
    throw error;
  }
  await completeContactImport(input);
  setCurrentDetails(`Import ${input.importId}: done`);
}
