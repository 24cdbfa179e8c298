import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { contactImportActivities } from '../activities/contact-import.ts';
import { pageOptions } from './options.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

const { undoContactImport } = proxyActivities<ReturnType<typeof contactImportActivities>>(pageOptions);

/** Undoes an import chunk by chunk, from its end to its start. Each activity runs for some seconds. */
export async function importUndo(input: WorkflowInputs['importUndo']): Promise<void> {
  let summary = 'the last rows';
  for (;;) {
    setCurrentDetails(`Undo of import ${input.importId}: ${summary}`);
    const { over, removed, restored, kept } = await undoContactImport.executeWithOptions({ ...pageOptions, summary }, [
      input,
    ]);
    summary = `${removed} contacts removed, ${restored} restored, ${kept} kept`;
    if (over) break;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof importUndo>(input);
  }
  setCurrentDetails(`Undo of import ${input.importId}: ${summary}`);
}
