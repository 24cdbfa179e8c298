import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { engineEm, rows, sql, tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { asService } from '../../../domain/audit/audit.ts';
import { recordStatus } from '../../../domain/channels/callbacks/record-status.ts';
import { recordPushReports } from '../../../domain/tracking/push-reports.ts';
import { leaseSends, putOffSends } from '../../../domain/channels/ledger/lease-sends.ts';
import { markLostSends } from '../../../domain/channels/ledger/recover-sends.ts';
import { resolveMessage, type Resolution } from '../../../domain/channels/ledger/resolve-message.ts';
import { settleByClicks } from '../../../domain/channels/ledger/settle-by-clicks.ts';
import { settleSends, type SendSettlement } from '../../../domain/channels/ledger/settle-sends.ts';
import { startSends } from '../../../domain/channels/ledger/start-sends.ts';
import { queueMessages } from '../../../domain/channels/queue/queue-messages.ts';
import { suppressMessagesTo } from '../../../domain/channels/queue/suppress-messages.ts';
import {
  LEASE,
  SENDING_LEASE,
  TICK_SECONDS,
  together,
  type Attempted,
  type Copy,
  type Evidence,
  type LedgerSend,
  type Started,
  type Status,
} from './ledger.ts';
import { PROVIDERS } from './schedule.ts';
import { SqlLedger, TENANT, byId, unlessConflict } from './sql-ledger.ts';

interface Send {
  id: number;
  messageId: number;
  contactId: number;
  /** Null: a push. */
  number: string | null;
}

/** A message is as good as the best of its sends. */
const BEST: readonly Status[] = [
  ...(['DELIVERED', 'SENT', 'UNKNOWN', 'SENDING', 'QUEUED'] as const),
  ...(['UNDELIVERED', 'FAILED', 'SUPPRESSED'] as const),
];
const best = (statuses: readonly Status[]): Status => BEST.find((status) => statuses.includes(status))!;
const ENDS: readonly Status[] = ['SENT', 'DELIVERED', 'UNDELIVERED', 'FAILED'];

export interface Told {
  messageId: number;
  type: string;
  status: string | null;
}

/** The ledger of text messages and pushes: the first send is a text, the others are the devices of one push. */
export class SqlMessages extends SqlLedger {
  readonly #sends: readonly Send[];
  readonly #providers: readonly number[];
  /** By message. */
  readonly #firstEnds = new Map<number, Status>();

  constructor(orm: Orm, sends: readonly Send[], providers: readonly number[]) {
    super(
      orm,
      sends.map(({ id }) => id),
      'messages',
    );
    this.#sends = sends;
    this.#providers = providers;
  }

  /** Queues a text and a push to new contacts, after suppressing what an earlier schedule left open. */
  static async queue(orm: Orm, devices: number): Promise<{ ledger: SqlMessages; ids: number[] }> {
    return engineEm(orm).transactional(async (tx) => {
      await rows(tx, sql`update message_sends set status = 'SUPPRESSED' where status in ('QUEUED', 'SENDING')`);
      // Marketing, at all hours.
      await rows(
        tx,
        sql`
        insert into channel_settings (tenant_id, send_windows, sms_consent, max_hold_hours) values (${TENANT}, '{}', 'implied', 1)
        on conflict (tenant_id) do update set max_hold_hours = excluded.max_hold_hours`,
      );
      const providers = await rows<{ id: number }>(
        tx,
        sql`
        insert into channel_providers (tenant_id, name, channel, type, config)
        select ${TENANT}, gen_random_uuid(), 'sms', 'http', '{}' from generate_series(1, ${PROVIDERS}::int) returning id`,
      );
      const people = await rows<{ id: number }>(
        tx,
        sql`
        insert into contacts (tenant_id, first_name, last_name, email, email_key, phone_e164)
        select ${TENANT}, 'a', 'b', m, m, '+4366' || ${randomInt(1e8, 1e9 - 2)}::int + n
        from (select n, gen_random_uuid() || '@example.org' as m from generate_series(0, 1) n) g returning id`,
      );
      const [texted, pushed] = [people[0]!.id, people[1]!.id];
      await rows(
        tx,
        sql`
        insert into push_subscriptions (tenant_id, type, contact_id, endpoint, digest)
        select ${TENANT}, 'fcm', ${pushed}::bigint, 'x', md5(gen_random_uuid()::text) from generate_series(1, ${devices}::int)`,
      );
      const queued = await queueMessages(
        tx,
        TENANT,
        (['sms', 'push'] as const).map((channel) => ({
          sendKey: `model/${randomUUID()}`,
          channel,
          content: { body: 'x', title: 'x' },
          contactId: channel === 'sms' ? texted : pushed,
          lane: 'journey' as const,
          requestId: null,
        })),
      );
      const sends = await rows<Send>(
        tx,
        sql`
        select s.id, s.message_id as "messageId", m.contact_id as "contactId", case when s.type = 'sms' then c.phone_e164 end as number
        from message_sends s join messages m on m.id = s.message_id join contacts c on c.id = m.contact_id
        where s.message_id = any(${queued.map(({ messageId }) => messageId)}::bigint[]) order by s.id`,
      );
      assert.deepEqual(
        sends.map(({ number }) => number === null),
        [false, ...Array.from({ length: devices }, () => true)],
      );
      const ledger = new SqlMessages(
        orm,
        sends,
        providers.map(({ id }) => id),
      );
      return { ledger, ids: sends.map(({ id }) => id) };
    });
  }

  /** Senders take what is QUEUED. */
  async accept(): Promise<void> {}
  async requestAgain(): Promise<number[]> {
    return [];
  }
  async renew(): Promise<number[]> {
    return [];
  }

  async lease(holder: string, limit: number): Promise<Copy[]> {
    await this.sortDue(sql`message_sends`, sql`true`);
    const found = await leaseSends(this.em(), { holder, lane: 'journey', limit, seconds: LEASE * TICK_SECONDS });
    const leased = found.map(({ id, attempt, contactVersion, providerId }) => ({
      ...{ id, batchId: null, attempt, version: contactVersion!, provider: this.#indexOf(providerId) },
    }));
    const expected = await this.spec.lease(
      holder,
      limit,
      leased.map(({ id }) => id),
    );
    assert.deepEqual(leased.toSorted(byId), expected.toSorted(byId));
    const free = (await this.spec.sends()).filter(({ due, leased: isLeased }) => due && !isLeased);
    assert.ok(leased.length === limit || free.length === 0, 'it leases all that are free, up to the limit');
    return leased;
  }

  async release(holder: string, ids: readonly number[]): Promise<void> {
    await putOffSends(
      this.em(),
      holder,
      ids.map((id) => ({ id, delayMs: TICK_SECONDS * 1000 })),
    );
    await this.spec.release(holder, ids);
  }

  async start(
    holder: string,
    start: string,
    copies: readonly Copy[],
    ended: readonly Attempted[] = [],
  ): Promise<Started[]> {
    const started = await startSends(this.transact, {
      ...{ holder, name: start, leaseSeconds: SENDING_LEASE * TICK_SECONDS },
      settlements: ended.map((one) => this.#settlementOf(one)),
      sends: copies.map(({ id, version, provider }) => ({
        ...{ id, tenantId: TENANT, messageId: this.#send(id).messageId },
        ...{ contactVersion: version, contentVersion: null, address: this.#send(id).number },
        ...{ segments: null, encoding: null, links: [], cappedContactId: null },
        ...{ providerId: this.#providers[provider!]!, isSendable: true },
      })),
    });
    const expected = await this.spec.start(holder, start, copies, ended);
    assert.deepEqual(started.toSorted(byId), expected.toSorted(byId));
    return started;
  }

  async settle(attempts: readonly Attempted[]): Promise<void> {
    await settleSends(
      this.em(),
      attempts.map((one) => this.#settlementOf(one)),
    );
    await this.spec.settle(attempts);
  }

  #settlementOf({ id, attempt, start, result, tried, provider, isBound = false, delay }: Attempted): SendSettlement {
    return {
      ...{ id, tenantId: TENANT, messageId: this.#send(id).messageId, attempt, result },
      ...{ providerId: provider === null ? null : this.#providers[provider]!, wasTried: tried },
      ...{ reason: null, providerMessageId: null, reply: null, delaySeconds: delay * TICK_SECONDS },
      ...(isBound ? { boundTo: 'asked' } : {}),
      ...(start ? { start } : {}),
    };
  }

  async sweep(): Promise<void> {
    await markLostSends(this.em());
    await this.spec.sweep();
  }

  override async report(id: number, evidence: Evidence, provider: number): Promise<boolean> {
    await this.em().transactional((tx) => this.#tell(tx, id, evidence, provider));
    return this.spec.report(id, evidence, provider);
  }

  async #tell(tx: EntityManager, id: number, evidence: Evidence, provider: number): Promise<void> {
    const { messageId, number } = this.#send(id);
    const to = { tenantId: TENANT, sendId: id };
    if (evidence === 'CLICK') {
      await rows(
        tx,
        sql`
        insert into message_clicks (tenant_id, message_id, send_id, event_id, at, url, automated)
        values (${TENANT}, ${messageId}, ${id}, gen_random_uuid(), now(), 'https://example.org', false)`,
      );
      await settleByClicks(tx, [{ tenantId: TENANT, id, messageId }]);
    } else if (number === null) await recordPushReports(tx, [{ ...to, type: 'shown', ip: null, userAgent: null }]);
    else
      await recordStatus(
        tx,
        { id: this.#providers[provider]!, tenantId: TENANT, type: 'http', credentials: {} },
        { ...to, kind: 'status', messageId: null, providerMessageId: null, status: evidence, code: null },
        null,
      );
  }

  async resolve(id: number, outcome: Resolution): Promise<number[]> {
    const { messageId } = this.#send(id);
    const resolved = await unlessConflict(
      resolveMessage(tenantEm(this.orm, TENANT), asService(TENANT), messageId, outcome),
    );
    const expected = await this.spec.resolve(id, outcome);
    assert.equal(resolved, expected.length > 0);
    return expected;
  }

  async unsubscribe(id: number, atOnce: boolean): Promise<void> {
    const { contactId, number } = this.#send(id);
    await this.em().transactional(async (tx) => {
      await rows(tx, sql`update contacts set status = 'unsubscribed', version = version + 1 where id = ${contactId}`);
      if (number !== null)
        await rows(
          tx,
          sql`insert into text_consents (tenant_id, address, status, source) values (${TENANT}, ${number}, 'unsubscribed', 'test')`,
        );
      if (atOnce) await suppressMessagesTo(tx, TENANT, [contactId], 'no_consent');
    });
    await this.spec.unsubscribe(id, atOnce);
  }

  async changeContact(id: number): Promise<void> {
    await this.em().transactional((tx) =>
      rows(tx, sql`update contacts set first_name = 'c', version = version + 1 where id = ${this.#send(id).contactId}`),
    );
    await this.spec.changeContact(id);
  }

  async pass(ticks: number): Promise<void> {
    const by = sql`make_interval(secs => ${ticks * TICK_SECONDS})`;
    await this.em().transactional((tx) =>
      rows(
        tx,
        sql`
      with meant as (
        update messages set created_at = created_at - ${by}, started_at = started_at - ${by}
        where id = any(${this.#messageIds}::bigint[])
      )
      update message_sends set lease_until = lease_until - ${by}, next_attempt_at = next_attempt_at - ${by}
      where id = any(${this.ids}::bigint[])`,
      ),
    );
    await this.spec.pass(ticks);
  }

  async sends(): Promise<LedgerSend[]> {
    const found = await this.em().transactional((tx) =>
      rows<LedgerSend & { message: Status }>(
        tx,
        sql`
      select s.id, s.status, s.attempt, true as accepted, s.holder, coalesce(s.lease_until > now(), false) as leased,
        s.status = 'QUEUED' and s.next_attempt_at <= now() as due, s.provider_id as provider, s.bound_provider_id as bound, m.status as message
      from message_sends s join messages m on m.id = s.message_id where s.id = any(${this.ids}::bigint[]) order by s.id`,
      ),
    );
    const sends = found.map(({ message: _, provider, bound, ...send }) => ({
      ...send,
      provider: this.#indexOf(provider),
      bound: this.#indexOf(bound),
    }));
    assert.deepEqual(sends, await this.spec.sends());
    for (const { id, message } of found)
      if (ENDS.includes(message) && !this.#firstEnds.has(this.#send(id).messageId))
        this.#firstEnds.set(this.#send(id).messageId, message);
    for (const { id, message } of found) {
      const mates = together(this.kind, this.ids, id);
      const statuses = sends.filter((send) => mates.includes(send.id)).map(({ status }) => status);
      assert.equal(message, best(statuses), `message of send ${id}`);
    }
    return sends;
  }

  /**
   * What consumers of events must have been told, now that all has ended. MESSAGE_SENT is written once, with the first
   * end: that it was delivered after all tells MESSAGE_DELIVERED.
   */
  async toTell(): Promise<Told[]> {
    const sends = await this.sends();
    return this.#messageIds.flatMap((messageId): Told[] => {
      const its = sends.filter(({ id }) => this.#send(id).messageId === messageId).map(({ status }) => status);
      const status = best(its);
      const isDelivered = its.includes('DELIVERED');
      return [
        ...(isDelivered ? [{ messageId, type: 'MESSAGE_DELIVERED', status: null }] : []),
        ...(ENDS.includes(status)
          ? [
              {
                messageId,
                type: 'MESSAGE_SENT',
                status: this.#firstEnds.get(messageId) === 'FAILED' ? 'FAILED' : 'SENT',
              },
            ]
          : []),
      ];
    });
  }

  /** What they were told. */
  async told(): Promise<Told[]> {
    return this.em().transactional((tx) =>
      rows<Told>(
        tx,
        sql`
      select (e->'data'->>'messageId')::int as "messageId", o.type, e->'data'->>'status' as status
      from outbox_events o, jsonb_array_elements(o.events) e
      where o.type in ('MESSAGE_SENT', 'MESSAGE_DELIVERED') and o.tenant_id = ${TENANT}
        and (e->'data'->>'messageId')::bigint = any(${this.#messageIds}::bigint[]) order by 1, 2`,
      ),
    );
  }

  get #messageIds(): number[] {
    return [...new Set(this.#sends.map(({ messageId }) => messageId))];
  }

  #send(id: number): Send {
    return this.#sends.find((send) => send.id === id)!;
  }

  #indexOf(providerId: number | null): number | null {
    return providerId === null ? null : this.#providers.indexOf(providerId);
  }
}
