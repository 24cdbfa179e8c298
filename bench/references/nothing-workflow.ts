import { proxyLocalActivities, setCurrentDetails, sleep, upsertSearchAttributes } from '@temporalio/workflow';

const { nothing } = proxyLocalActivities<{ nothing: () => Promise<void> }>({ startToCloseTimeout: '10s' });

/** Does nothing, with as many local activities, timers and search attribute upserts as EMAIL, WAIT 0, EMAIL. */
export async function doNothing(): Promise<void> {
  for (const step of ['first', 'wait', 'second']) {
    upsertSearchAttributes({ StepId: [step], StepType: [step] });
    await nothing();
    if (step === 'wait') await sleep(1);
  }
}

/** Only waits, as an execution at a WAIT does. */
export async function rest(): Promise<void> {
  setCurrentDetails('**pause**: waits');
  await sleep('1 day', { summary: 'waits' });
}
