import { engineEm, rows, sql } from '../../db/orm.ts';
import type { Channel } from '../../db/entities/channels.ts';
import { queueMessages } from '../../domain/channels/queue/queue-messages.ts';
import { startSends, type PreparedSend } from '../../domain/channels/ledger/start-sends.ts';
import { leaseSends } from '../../domain/channels/ledger/lease-sends.ts';
import { queueEmails } from '../../domain/emails/ledger/queue-emails.ts';
import { rowOf } from '../../worker/channels/prepare.ts';
import { startAs } from './mail/emails.ts';
import type { Service } from './service.ts';

/** An email or message under test. */
export interface Unit {
  key: string;
  channel: Channel;
  contactId: number;
  priority: number;
  category?: 'marketing' | 'transactional';
}
export interface Outcome {
  key: string;
  status: string;
  reason: string | null;
}

const query = <T>(service: Service, statement: ReturnType<typeof sql>) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, statement));

/** Queues messages, marketing if nothing else is said, in this order; `age` is how long ago the last one was queued. */
export async function queueAll(
  service: Service,
  units: readonly Unit[],
  emailTemplate: number,
  age: string,
): Promise<void> {
  await engineEm(service.deps.orm).transactional(async (tx) => {
    for (const { key, channel, contactId, priority, category = 'marketing' } of units) {
      const common = { sendKey: key, contactId, priority, lane: 'journey', requestId: null } as const;
      if (channel === 'email')
        await queueEmails(tx, 'default', [{ ...common, templateId: emailTemplate, accepted: true }]);
      else await queueMessages(tx, 'default', [{ ...common, channel, category, content: { body: 'x', title: 'x' } }]);
    }
    for (const table of ['emails', 'messages'])
      await rows(
        tx,
        sql`update ${sql.table(table)} u set created_at = now() - ${age}::interval + make_interval(secs => k.n / 1000.0)
        from unnest(${units.map(({ key }) => key)}::text[]) with ordinality k(key, n) where u.tenant_id = 'default' and u.send_key = k.key`,
      );
  });
}

/**
 * Starts what is due as `senders` processes do at once, each with a share of it, again and again until nothing is due.
 * What starts, stays SENDING.
 */
export async function startAll(service: Service, senders: number): Promise<void> {
  const giveUp = Date.now() + 20_000;
  for (;;) {
    if (Date.now() > giveUp)
      throw new Error(
        JSON.stringify(
          await query(
            service,
            sql`select 'e' as k, to_jsonb(e) as r from emails e where status = 'QUEUED' union all select 's', to_jsonb(s) from message_sends s where status = 'QUEUED'`,
          ),
        ),
      );
    const one = await Promise.all(
      Array.from({ length: senders }, (_, n) => startShare(service, `sender-${n}`, senders)),
    );
    if (one.some((started) => started > 0)) continue;
    const [waiting] = await query(
      service,
      sql`
      select 1 from emails where status = 'QUEUED' and next_attempt_at < now() + interval '2 s'
      union all select 1 from message_sends where status = 'QUEUED' and next_attempt_at < now() + interval '2 s' limit 1`,
    );
    if (!waiting) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function startShare(service: Service, holder: string, senders: number): Promise<number> {
  const em = engineEm(service.deps.orm);
  const leased = await leaseSends(em, { holder, lane: 'journey', limit: Math.ceil(100 / senders), seconds: 60 });
  const sends = leased.map((send): PreparedSend => ({ ...rowOf(send), isSendable: true }));
  const messages = startSends((statements) => service.deps.pipelined.once('engine', statements), {
    ...{ holder, name: holder, leaseSeconds: 600, sends, settlements: [] },
  });
  const emails = await query<{ id: number; version: number; contactId: number }>(
    service,
    sql`
    with taken as (
      select id from emails where stage = 'open' and status = 'QUEUED' and lane = 'journey' and next_attempt_at <= now() and (lease_until is null or lease_until < now())
      order by random() limit ${Math.ceil(100 / senders)} for update skip locked
    ), leased as (update emails e set holder = ${holder}, lease_until = now() + interval '60 s' from taken where e.id = taken.id returning e.id, e.contact_id)
    select l.id, c.version, l.contact_id as "contactId" from leased l join contacts c on c.id = l.contact_id`,
  );
  const mails = startAs(
    service,
    holder,
    emails.map(({ id, version, contactId }) => ({
      ...{ id, tenantId: 'default', batchId: null, contactVersion: version, contentVersion: 1, linkCount: 0 },
      ...{ fromKey: null, address: 'a@example.org', isBareAddress: false, attempt: 0, cappedContactId: contactId },
    })),
    { leaseSeconds: 600 },
  );
  const started = (await messages).length + (await mails).length;
  // What another sender had locked for a moment is free again.
  for (const table of ['emails', 'message_sends'])
    await query(
      service,
      sql`update ${sql.table(table)} set lease_until = null where holder = ${holder} and status = 'QUEUED'`,
    );
  return started;
}

/** What became of units, in their order. */
export async function outcomes(service: Service, units: readonly Unit[]): Promise<Outcome[]> {
  const keys = sql`${units.map(({ key }) => key)}::text[]`;
  const found = await query<Outcome>(
    service,
    sql`
    select send_key as key, status, reason from emails where tenant_id = 'default' and send_key = any(${keys})
    union all select send_key, status, reason from messages where tenant_id = 'default' and send_key = any(${keys})`,
  );
  return units.map(({ key }) => found.find((one) => one.key === key)!);
}
