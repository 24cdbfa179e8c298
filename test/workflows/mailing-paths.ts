import { rows, sql } from '../../db/orm.ts';
import { asService } from '../../domain/audit/audit.ts';
import {
  cancelEmailCampaign,
  pauseEmailCampaign,
  resumeEmailCampaign,
} from '../../domain/email-campaigns/change-email-campaign.ts';
import {
  createEmailCampaign,
  updateEmailCampaign,
  type EmailCampaignInput,
} from '../../domain/email-campaigns/save-email-campaign.ts';
import { until } from '../support/until.ts';
import { TENANT, type Journeys } from './campaign-support.ts';
import { hindered } from './job-paths.ts';
import { workflowId } from '../../registry/workflows.ts';

const author = asService(TENANT);
const MINUTE_MS = 60_000;

/** A campaign to people who all have unsubscribed: no sender runs here. */
async function newMailing(
  journeys: Journeys,
  input: Partial<EmailCampaignInput>,
): Promise<{ id: number; workflowId: string }> {
  const segmentId = await journeys.list([await journeys.contact({ status: 'unsubscribed' })]);
  const { id } = await createEmailCampaign(journeys.em(), author, {
    name: 'A mailing',
    templateId: await journeys.template(),
    segmentId,
    ...input,
  });
  return { id, workflowId: workflowId('emailCampaign', { tenantId: TENANT, campaignId: id }) };
}

/** By the server's clock, which has run on with the journeys before. */
const inDays = async ({ env }: Journeys, days: number): Promise<Date> =>
  new Date((await env.currentTimeMs()) + days * 24 * 60 * MINUTE_MS);

/** Waits until the workflow says so in its details. */
const says = ({ env }: Journeys, workflowId: string, text: string) =>
  until(`${workflowId} says ${text}`, async () => {
    const { events } = await env.client.workflow.getHandle(workflowId).fetchHistory();
    return events?.some(
      ({ activityTaskCompletedEventAttributes: done }) =>
        done && Buffer.from(done.result!.payloads![0]!.data!).toString().includes(text),
    );
  });

/** One email campaign for each way that its workflow can go. */
export const mailingPaths = {
  mailing: async (journeys) => {
    const { workflowId } = await newMailing(journeys, { scheduleType: 'immediate' });
    await journeys.relay();
    await journeys.finished(workflowId);
    return { workflowId };
  },
  'mailing-scheduled': async (journeys) => {
    const { workflowId } = await newMailing(journeys, {
      scheduleType: 'scheduled',
      scheduledAt: await inDays(journeys, 3),
    });
    await journeys.relay();
    await journeys.finished(workflowId);
    return { workflowId };
  },
  'mailing-moved': async (journeys) => {
    const { id, workflowId } = await newMailing(journeys, {
      scheduleType: 'scheduled',
      scheduledAt: await inDays(journeys, 300),
    });
    await journeys.relay();
    await says(journeys, workflowId, 'scheduled');
    await updateEmailCampaign(journeys.em(), id, { scheduledAt: await inDays(journeys, -1) }, () => {});
    await journeys.relay();
    await journeys.finished(workflowId);
    return { workflowId };
  },
  'mailing-paused': async (journeys) => {
    const { id, workflowId } = await newMailing(journeys, { scheduleType: 'immediate' });
    await pauseEmailCampaign(journeys.em(), author, id);
    await journeys.relay();
    await says(journeys, workflowId, 'paused');
    await resumeEmailCampaign(journeys.em(), author, id);
    await journeys.relay();
    await journeys.finished(workflowId);
    return { workflowId };
  },
  'mailing-cancelled': async (journeys) => {
    const { id, workflowId } = await newMailing(journeys, { scheduleType: 'recurring', cron: '0 9 1 1 *' });
    await journeys.relay();
    await says(journeys, workflowId, 'scheduled');
    await cancelEmailCampaign(journeys.em(), author, id);
    await journeys.relay();
    await journeys.finished(workflowId);
    return { workflowId };
  },
  'mailing-failed': async (journeys) => {
    const { id, workflowId } = await newMailing(journeys, { scheduleType: 'immediate' });
    // As if it had been deleted by hand: the API refuses it.
    await journeys
      .em()
      .transactional((tx) => rows(tx, sql`update email_campaigns set segment_id = null where id = ${id}`));
    await journeys.relay();
    await journeys.finished(workflowId);
    return { workflowId };
  },
  'mailing-retried': async (journeys) => {
    await newMailing(journeys, { scheduleType: 'immediate' });
    return hindered(journeys, 'insert on emails');
  },
} satisfies Record<string, (journeys: Journeys) => Promise<{ workflowId: string }>>;
