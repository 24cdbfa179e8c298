import { rows, sql } from '../../db/orm.ts';
import type { MessageChannel } from '../../db/entities/channels.ts';
import { asService } from '../../domain/audit/audit.ts';
import { createTemplate } from '../../domain/channels/templates/templates.ts';
import { until } from '../support/until.ts';
import { ended, restingAt, wait, walk, type Path } from './campaign-paths.ts';
import { DAY, LONG, TENANT, type Journeys } from './campaign-support.ts';

/** How a contact can be reached, besides by email. */
interface Reach {
  text?: boolean;
  push?: boolean;
  preferred?: 'sms' | 'push';
}

/** Makes a contact with a number, that agreed to texts, has a device and prefers a channel as asked. */
export async function reachable(
  journeys: Journeys,
  { text, push, preferred }: Reach,
  fields: Parameters<Journeys['contact']>[0] = {},
): Promise<number> {
  const id = await journeys.contact(fields);
  await journeys.em().transactional(async (tx) => {
    const number = `+1303555${String(id).padStart(4, '0')}`;
    await rows(tx, sql`update contacts set phone = ${number}, phone_e164 = ${number} where id = ${id}`);
    if (text)
      await rows(
        tx,
        sql`insert into text_consents (tenant_id, address, status, source) values (${TENANT}, ${number}, 'subscribed', 'test')`,
      );
    if (push)
      await rows(
        tx,
        sql`insert into push_subscriptions (tenant_id, type, contact_id, endpoint, digest) values (${TENANT}, 'fcm', ${id}, 'x', md5('of ' || ${id}::text))`,
      );
    if (preferred)
      await rows(
        tx,
        sql`insert into channel_preferences (tenant_id, address, preferred_channel) select ${TENANT}, email_key, ${preferred} from contacts where id = ${id}`,
      );
  });
  return id;
}

/** What the service would add to messages does not matter here. */
const ADDITIONS = { base: 'http://127.0.0.1', token: 'token', optOutText: null };

/** Makes a template of a channel. */
export async function channelTemplate(journeys: Journeys, channel: MessageChannel): Promise<number> {
  const { id } = await createTemplate(journeys.em(), asService(TENANT), ADDITIONS, {
    ...{ name: `A ${channel}`, channel, body: 'Hello {{firstName}}' },
    ...(channel === 'push' ? { title: 'Hello' } : {}),
  });
  return id;
}

/** The steps that send, each with a template of its own. */
export async function sendingSteps(journeys: Journeys) {
  const templates = {
    email: await journeys.template(),
    sms: await channelTemplate(journeys, 'sms'),
    push: await channelTemplate(journeys, 'push'),
  };
  return {
    templates,
    sms: (id: string) => ({ id, type: 'SMS', config: { templateId: templates.sms } }),
    push: (id: string) => ({ id, type: 'PUSH', config: { templateId: templates.push } }),
    message: (id: string, order: 'preferred' | ('email' | 'sms' | 'push')[]) => ({
      ...{ id, type: 'MESSAGE', config: { templates, order } },
    }),
  };
}

/** The messages that an execution has queued. */
export const messagesOf = (
  { em }: Journeys,
  executionId: number,
): Promise<{ id: number; send_key: string; channel: string; status: string; reason: string | null; lane: string }[]> =>
  em().transactional((tx) =>
    rows(
      tx,
      sql`
      select m.id, m.send_key, m.channel, m.status, m.reason, min(s.lane) as lane
      from messages m left join message_sends s on s.tenant_id = m.tenant_id and s.message_id = m.id
      where m.execution_id = ${executionId} group by m.id order by m.id`,
    ),
  );

/** Further ways that the execution's workflow can go: steps that send texts and pushes. */
export const channelPaths = {
  'text-wait-push': async (journeys) => {
    const { sms, push } = await sendingSteps(journeys);
    const contactId = await reachable(journeys, { text: true, push: true });
    return walk(journeys, [sms('text'), wait('pause', 30 * 1440), push('note')], {}, contactId);
  },
  'messages-suppressed': async (journeys) => {
    const { sms, push, message } = await sendingSteps(journeys);
    const contactId = await reachable(journeys, {}, { status: 'unsubscribed' });
    const steps = [sms('text'), push('note'), message('any', ['push', 'sms', 'email']), wait('pause', 60)];
    return walk(journeys, steps, {}, contactId);
  },
  'messages-capped': async (journeys) => {
    const { sms, push, message } = await sendingSteps(journeys);
    const contactId = await reachable(journeys, { text: true, push: true });
    const steps = [sms('text'), push('note'), message('any', ['push', 'sms', 'email']), wait('pause', 60)];
    const frequencyCap = { maxEmails: 1, perDays: 7, channels: ['sms', 'push'] as ('sms' | 'push')[] };
    return walk(journeys, steps, { entry: { frequencyCap } }, contactId);
  },
  'message-in-order': async (journeys) => {
    const { message } = await sendingSteps(journeys);
    const contactId = await reachable(journeys, { push: true });
    return walk(journeys, [message('any', ['sms', 'push', 'email']), wait('pause', 60)], {}, contactId);
  },
  'message-preferred': async (journeys) => {
    const { message } = await sendingSteps(journeys);
    const contactId = await reachable(journeys, { text: true, push: true, preferred: 'push' });
    return walk(journeys, [message('any', 'preferred'), wait('pause', 60)], {}, contactId);
  },
  'messages-in-window': async (journeys) => {
    const { sms, message } = await sendingSteps(journeys);
    const contactId = await reachable(journeys, { text: true });
    const day = new Date(Date.now() + 3 * DAY).getUTCDay() || 7;
    const sendWindow = { days: [day], from: '09:00', to: '09:30', timezone: 'UTC' };
    const steps = [sms('text'), wait('hour', 60), message('any', ['email', 'sms', 'push'])];
    return walk(journeys, steps, { entry: { sendWindow } }, contactId);
  },
  'text-loop': async (journeys) => {
    const { sms } = await sendingSteps(journeys);
    const listId = await journeys.list();
    const isMarked = { field: 'listId', operator: 'eq', value: listId };
    const steps = [
      sms('text'),
      wait('week', 7 * 1440),
      { id: 'twice', type: 'CONDITION', config: { if: isMarked, then: null } },
      { id: 'mark', type: 'SEGMENT', config: { action: 'add', listId }, next: 'text' },
    ];
    return walk(journeys, steps, {}, await reachable(journeys, { text: true }));
  },
  'text-followed': async (journeys) => {
    const { sms } = await sendingSteps(journeys);
    const where = [{ field: 'stepId', operator: 'eq', value: 'text' }];
    const config = { event: 'MESSAGE_CLICKED', where, timeoutMinutes: LONG, onTimeout: 'late' };
    const resting = await restingAt(
      journeys,
      'listen',
      [
        sms('other'),
        sms('text'),
        { id: 'listen', type: 'WAIT_FOR_EVENT', config },
        { ...wait('soon', 60), next: null },
        wait('late', 1),
      ],
      await reachable(journeys, { text: true }),
    );
    for (const { id: messageId } of await messagesOf(journeys, resting.id))
      await journeys.happens(resting.contactId, 'MESSAGE_CLICKED', {
        ...{ messageId, channel: 'sms', url: 'https://example.com/', automated: false },
      });
    return ended(journeys, resting);
  },
  'text-database-away': async (journeys) => {
    const { sms } = await sendingSteps(journeys);
    const active = { field: 'status', operator: 'eq', value: 'active' };
    const resting = await restingAt(
      journeys,
      'pause',
      [{ id: 'start', type: 'CONDITION', config: { if: active } }, wait('pause', 60), sms('text')],
      await reachable(journeys, { text: true }),
    );
    await journeys.owner('revoke insert on messages from perennial_app');
    const end = ended(journeys, resting);
    await until('it is tried as an ordinary activity', async () =>
      (await journeys.history(resting.workflowId!)).includes('ACTIVITY_TASK_SCHEDULED'),
    );
    await journeys.owner('grant insert on messages to perennial_app');
    return end;
  },
} satisfies Record<string, Path>;
