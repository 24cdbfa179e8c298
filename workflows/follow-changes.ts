import { defineSignal, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { escapeMarkdown } from '../registry/markdown.ts';

/** What is followed was changed: look at it again. */
const wake = defineSignal('wake');

/** Calls `keep`, and again whenever the workflow was woken meanwhile; shows what it returns in the Temporal UI. */
export async function followChanges(keep: () => Promise<string>): Promise<void> {
  let woken = false;
  setHandler(wake, () => {
    woken = true;
  });
  do {
    woken = false;
    setCurrentDetails(escapeMarkdown(await keep()));
  } while (woken);
}
