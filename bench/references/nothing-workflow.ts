import { proxyLocalActivities, sleep, upsertSearchAttributes } from '@temporalio/workflow';

const { nothing } = proxyLocalActivities<{ nothing: () => Promise<void> }>({ startToCloseTimeout: '10s' });

/** Does nothing, with as many local activities, timers and search attribute upserts as EMAIL, WAIT 0, EMAIL. */
export async function doNothing(): Promise<void> {
  for (const step of ['first', 'wait', 'second']) {
    upsertSearchAttributes({ StepId: [step], StepType: [step] });
    await nothing();
    if (step === 'wait') await sleep(1);
  }
}
