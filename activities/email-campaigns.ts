import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Deps } from '../runtime/deps.ts';
import type { EmailLane } from '../db/entities/emails.ts';
import { tenantEm } from '../db/orm.ts';
import { advanceEmailCampaign } from '../domain/email-campaigns/advance-email-campaign.ts';
import { describeProgress } from '../domain/email-campaigns/describe-progress.ts';
import { EMAIL_READY_PING } from '../transport/streams.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';
import { tell } from './heartbeat.ts';

/**
 * A campaign's state at the end of a slice. `until` is when to continue (RFC 3339): null = after a change, absent = at
 * once.
 */
export interface CampaignProgress {
  over: boolean;
  until?: string | null;
  summary: string;
}

/** How long one activity runs before the workflow starts the next, so that the workflow can report progress. */
const SLICE_MS = 20_000;

export function emailCampaignActivities(deps: Deps, sliceMs = SLICE_MS) {
  return {
    /**
     * Advances a campaign for one slice, or until it has to wait for longer than that. `at` is the workflow's time in
     * ms since the epoch.
     */
    async advanceCampaign({
      tenantId,
      campaignId,
      at,
    }: WorkflowInputs['emailCampaign'] & { at: number }): Promise<CampaignProgress> {
      const em = tenantEm(deps.orm, tenantId);
      const { cancellationSignal } = Context.current();
      const open = { id: 0 };
      const begun = performance.now();
      const elapsed = (): number => performance.now() - begun;
      for (;;) {
        const now = new Date(at + elapsed());
        const { over, until, summary, released } = await advanceEmailCampaign(em, tenantId, campaignId, now, open);
        if (released) deps.nats.connection.publish(EMAIL_READY_PING, 'bulk' satisfies EmailLane);
        tell(summary);
        const pause = until ? until.getTime() - now.getTime() : 0;
        if (over || until === null || elapsed() + pause > sliceMs) {
          const progress = await describeProgress(em, tenantId, campaignId);
          return {
            over,
            ...(until === undefined ? {} : { until: until && until.toISOString() }),
            summary: summary + progress,
          };
        }
        if (pause > 0) await delay(pause, undefined, { signal: cancellationSignal });
      }
    },
  };
}
