import assert from 'node:assert/strict';
import { engineEm, rows, sql, tenantEm, type Orm } from '../../../db/orm.ts';
import { acceptEmails } from '../../../domain/emails/ledger/accept-emails.ts';
import { insertCampaignEmails, releaseEmailBatches } from '../../../domain/emails/ledger/email-batches.ts';
import { leaseEmails, releaseLeases, renewLeases } from '../../../domain/emails/ledger/lease-emails.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { resolveEmail, type Resolution } from '../../../domain/emails/ledger/resolve-email.ts';
import { settleAttempts } from '../../../domain/emails/bounces/settle-attempts.ts';
import type { Settlement } from '../../../domain/emails/ledger/settle-emails.ts';
import { startEmails } from '../../../domain/emails/ledger/start-emails.ts';
import { suppressEmailsTo } from '../../../domain/emails/ledger/suppress-emails.ts';
import { repeatSendRequests, markLostEmails } from '../../../domain/emails/ledger/recover-emails.ts';
import {
  LEASE,
  REQUEST_AGAIN_AFTER,
  SENDING_LEASE,
  TICK_SECONDS,
  type Attempted,
  type Copy,
  type LedgerSend,
  type Started,
} from './ledger.ts';
import { SqlLedger, TENANT, byId, unlessConflict } from './sql-ledger.ts';

/** The ledger of emails. */
export class SqlEmails extends SqlLedger {
  /** The campaign whose emails they are; null for emails of journeys. */
  readonly #campaignId: number | null;

  constructor(orm: Orm, ids: readonly number[], campaignId: number | null) {
    super(orm, ids, campaignId === null ? 'journey' : 'campaign');
    this.#campaignId = campaignId;
  }

  /**
   * Queues emails to new contacts, of journeys or of an email campaign, after suppressing what an earlier schedule left
   * open.
   */
  static async queue(orm: Orm, count: number, ofCampaign: boolean): Promise<{ ledger: SqlEmails; ids: number[] }> {
    const { ids, campaignId } = await engineEm(orm).transactional(async (tx) => {
      await rows(tx, sql`update emails set status = 'SUPPRESSED' where status in ('QUEUED', 'SENDING')`);
      const [template] = await rows<{ id: number }>(
        tx,
        sql`
        insert into email_templates (tenant_id, name, subject, content) values (${TENANT}, gen_random_uuid(), 's', 'c') returning id`,
      );
      const contacts = await rows<{ id: number }>(
        tx,
        sql`
        insert into contacts (tenant_id, first_name, last_name, email, email_key)
        select ${TENANT}, 'a', 'b', m, m from (select gen_random_uuid() || '@example.org' as m from generate_series(1, ${count})) g returning id`,
      );
      if (ofCampaign) {
        const [campaign] = await rows<{ id: number }>(
          tx,
          sql`insert into email_campaigns (tenant_id, name, status) values (${TENANT}, gen_random_uuid(), 'SENDING') returning id`,
        );
        await rows(
          tx,
          insertCampaignEmails(sql`(
            select ${TENANT}::text as tenant_id, 'contact/' || id as send_key, ${template!.id}::bigint as template_id, id as contact_id,
              ${campaign!.id}::bigint as campaign_id, null as variant, null::timestamptz as due_at, null as reason
            from unnest(${contacts.map(({ id }) => id)}::bigint[]) id)`),
        );
        const queued = await rows<{ id: number }>(
          tx,
          sql`select id from emails where campaign_id = ${campaign!.id} order by id`,
        );
        return { ids: queued.map(({ id }) => id), campaignId: campaign!.id };
      }
      const queued = await queueEmails(
        tx,
        TENANT,
        contacts.map(({ id }) => ({
          sendKey: `contact/${id}`,
          templateId: template!.id,
          contactId: id,
          lane: 'journey',
          requestId: null,
        })),
      );
      return { ids: queued.map(({ emailId }) => emailId), campaignId: null };
    });
    return { ledger: new SqlEmails(orm, ids, campaignId), ids };
  }

  async accept(ids: readonly number[]): Promise<void> {
    const campaignId = this.#campaignId;
    const unreleased = { tenantId: TENANT, campaignId: campaignId!, after: 0, onlyVariants: false, now: new Date() };
    await this.em().transactional((tx): Promise<unknown> =>
      campaignId === null
        ? acceptEmails(
            tx,
            ids.map((emailId) => ({ tenantId: TENANT, emailId })),
          )
        : releaseEmailBatches(tx, unreleased, null, ids.length),
    );
    await this.spec.accept(ids);
  }

  async requestAgain(): Promise<number[]> {
    const requested = await this.spec.requestAgain();
    const repeated = await repeatSendRequests(this.em(), REQUEST_AGAIN_AFTER * TICK_SECONDS);
    assert.equal(repeated, this.#campaignId === null ? requested.length : 0);
    return requested;
  }

  async lease(holder: string, limit: number): Promise<Copy[]> {
    await this.sortDue(sql`emails`, sql`accepted_at is not null`);
    const lane = this.#campaignId === null ? 'journey' : 'bulk';
    const leased = (await leaseEmails(this.em(), { holder, lane, limit, seconds: LEASE * TICK_SECONDS })).map(
      ({ id, batchId, attempt, contactVersion }) => ({
        id,
        batchId,
        attempt,
        version: contactVersion!,
        provider: null,
      }),
    );
    const expected = await this.spec.lease(
      holder,
      limit,
      leased.map(({ id }) => id),
    );
    assert.deepEqual(leased.map((copy) => ({ ...copy, batchId: null })).toSorted(byId), expected.toSorted(byId));
    const free = (await this.spec.sends()).filter(
      (email) => email.status === 'QUEUED' && email.accepted && email.due && !email.leased,
    );
    // Batches are leased whole, and counted as they were released.
    const enough = this.#campaignId === null ? leased.length === limit : leased.length > 0;
    assert.ok(enough || free.length === 0, 'it leases all that are free, up to the limit');
    return leased;
  }

  async release(holder: string, ids: readonly number[]): Promise<void> {
    await releaseLeases(this.em(), holder, ids);
    await this.spec.release(holder, ids);
  }

  async start(
    holder: string,
    start: string,
    copies: readonly Copy[],
    ended: readonly Attempted[] = [],
  ): Promise<Started[]> {
    const rendered = copies.map(({ id, batchId, attempt, version }) => ({
      id,
      tenantId: TENANT,
      batchId,
      contactVersion: version,
      contentVersion: 1,
      linkCount: 0,
      fromKey: null,
      address: 'a@example.org',
      isBareAddress: false,
      attempt,
    }));
    const started = await startEmails(this.transact, {
      holder,
      name: start,
      leaseSeconds: SENDING_LEASE * TICK_SECONDS,
      emails: rendered.map((one) => ({ rendered: one, provider: 'mx:25' })),
      sent: ended.map((one) => settlementOf(one)),
    });
    const expected = await this.spec.start(holder, start, copies, ended);
    assert.deepEqual(started.toSorted(byId), expected.toSorted(byId));
    return started;
  }

  async renew(holder: string, ids: readonly number[]): Promise<number[]> {
    const held = await renewLeases(this.em(), holder, ids, SENDING_LEASE * TICK_SECONDS);
    assert.deepEqual(held.toSorted(), (await this.spec.renew(holder, ids)).toSorted());
    return held;
  }

  async settle(attempts: readonly Attempted[]): Promise<void> {
    await settleAttempts(
      this.em(),
      attempts.map((one) => settlementOf(one)),
    );
    await this.spec.settle(attempts);
  }

  async sweep(): Promise<void> {
    await markLostEmails(this.em());
    await this.spec.sweep();
  }

  async resolve(id: number, outcome: Resolution): Promise<number[]> {
    const resolved = await unlessConflict(resolveEmail(tenantEm(this.orm, TENANT), id, outcome));
    const expected = await this.spec.resolve(id, outcome);
    assert.deepEqual(resolved ? [id] : [], expected);
    return expected;
  }

  async unsubscribe(id: number, atOnce: boolean): Promise<void> {
    await this.em().transactional(async (tx) => {
      const [contact] = await rows<{ id: number }>(
        tx,
        sql`
        update contacts set status = 'unsubscribed', version = version + 1 where id = (select contact_id from emails where id = ${id}) returning id`,
      );
      if (atOnce) await suppressEmailsTo(tx, TENANT, contact!.id, 'contact_unsubscribed');
    });
    await this.spec.unsubscribe(id, atOnce);
  }

  async changeContact(id: number): Promise<void> {
    await this.em().transactional((tx) =>
      rows(
        tx,
        sql`
      update contacts set first_name = 'c', version = version + 1 where id = (select contact_id from emails where id = ${id})`,
      ),
    );
    await this.spec.changeContact(id);
  }

  async pass(ticks: number): Promise<void> {
    await this.em().transactional((tx) =>
      rows(
        tx,
        sql`
      with batches as (
        update email_batches set lease_until = lease_until - d, released_at = released_at - d
        from make_interval(secs => ${ticks * TICK_SECONDS}) d where campaign_id = ${this.#campaignId}
      )
      update emails set lease_until = lease_until - d, next_attempt_at = next_attempt_at - d, accepted_at = accepted_at - d
      from make_interval(secs => ${ticks * TICK_SECONDS}) d where id = any(${this.ids}::bigint[])`,
      ),
    );
    await this.spec.pass(ticks);
  }

  async sends(): Promise<LedgerSend[]> {
    const sends = await this.em().transactional((tx) =>
      rows<LedgerSend>(
        tx,
        sql`
      select e.id, e.status, e.attempt, e.accepted_at is not null or b.id is not null as accepted, e.holder,
        coalesce(case when b.id is null then e.lease_until else b.lease_until end > now(), false) as leased,
        e.status = 'QUEUED' and coalesce(e.next_attempt_at <= now(), true) as due, null as provider, null as bound
      from emails e left join email_batches b on e.status = 'QUEUED' and e.next_attempt_at is null and e.id = any(b.email_ids)
      where e.id = any(${this.ids}::bigint[]) order by e.id`,
      ),
    );
    assert.deepEqual(sends, await this.spec.sends());
    return sends;
  }

  /** The ended deliveries that consumers of events were told of. */
  async told(): Promise<{ id: number; status: string }[]> {
    return this.em().transactional((tx) =>
      rows<{ id: number; status: string }>(
        tx,
        sql`
      select (e->'data'->>'emailId')::int as id, e->'data'->>'status' as status from outbox_events o, jsonb_array_elements(o.events) e
      where o.type = 'EMAIL_SENT' and o.tenant_id = ${TENANT} and (e->'data'->>'emailId')::int = any(${this.ids}::int[]) order by 1`,
      ),
    );
  }
}

const settlementOf = ({ id, attempt, start, result, tried, delay }: Attempted): Settlement => ({
  ...{ id, tenantId: TENANT, attempt, result, reply: null },
  provider: tried ? 'mx:25' : null,
  delaySeconds: delay * TICK_SECONDS,
  ...(start ? { start } : {}),
});
