import { proxyLocalActivities, sleep, upsertSearchAttributes } from '@temporalio/workflow';

const { nothing } = proxyLocalActivities<{ nothing: () => Promise<void> }>({ startToCloseTimeout: '10s' });

/** As many local activities, timers and search attribute upserts as EMAIL, WAIT 0, EMAIL has, and nothing done in them. */
export async function doNothing(): Promise<void> {
  for (const step of ['first', 'wait', 'second']) {
    upsertSearchAttributes({ StepId: [step], StepType: [step] });
    await nothing();
    if (step === 'wait') await sleep(1);
  }
}
