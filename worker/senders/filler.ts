import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../../runtime/deps.ts';
import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import { engineEm, type EntityManager } from '../../db/orm.ts';
import { leaseEmails, putOffEmails, releaseLeases, type LeasedEmail } from '../../domain/emails/ledger/lease-emails.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { linksFrom } from '../../domain/emails/rendering/link-settings.ts';
import { SenderCache } from '../../domain/emails/senders/sender-cache.ts';
import type { Written } from '../../domain/emails/message/write-email.ts';
import { TemplateCache, type ContentVersion } from '../../domain/emails/message/template-cache.ts';
import { createLoadAttachment, type LoadAttachment } from './attachments.ts';
import { TooLate } from '../../domain/threads/pool.ts';
import { domainOf, type Domains } from './domains.ts';
import { Leases } from './leases.ts';
import { failed, finish, outline, writeOnLoop, type Prepared, type Tools } from './prepare.ts';
import { ReadyQueue } from './ready-queue.ts';
import { ThreadedWrites, type Threaded } from './threaded-writes.ts';
import { Wake } from '../../lib/async/wake.ts';
import { parseMailbox } from '../../lib/addresses/mailbox.ts';

/** Each lane is looked at so often, unless it is woken. */
export const LEASE_POLL_MS = 500;
/** Rendered emails wait only moments for a connection; a worker that dies delays them by at most this. */
const LEASE_SECONDS = 20;
/** Rendered emails in a lane's buffer, for each that may be in doubt: enough to lease hundreds at once. */
const READY_PER_EMAIL_IN_DOUBT = 8;
const YIELD_EVERY_MS = 2;
const PREPARED_AT_ONCE = 4;
/** The share of a lane's buffer that may wait for one domain that is at its limit. */
const SHARE_OF_A_DOMAIN = 1 / 8;
/** When an email is tried again whose thread has failed. */
const LATER_MS = 10_000;
/** Requests come in bursts: what arrives within this is leased together. */
const GATHER_MS = 5;

export interface Ready extends Prepared {
  lane: EmailLane;
  /** The domain of the recipient's address. */
  domain: string;
  /** The email may be started until this time of performance.now(). */
  until: number;
}

/**
 * Leases emails of each lane and renders them, so that no connection waits for either. What must be rendered in threads
 * holds up no lane: of a tenant, only as much of it is leased as is rendered in some seconds.
 */
export class Filler {
  readonly #deps: Deps;
  readonly #holder: string;
  readonly #onReady: () => void;
  readonly #mayLease: () => boolean;
  readonly #domains: Domains;
  readonly #templates: TemplateCache;
  readonly #senders: SenderCache;
  readonly #loadAttachment: LoadAttachment;
  readonly #ready = new ReadyQueue<Ready>();
  readonly #full: number;
  readonly #wakes = new Map<EmailLane, Wake>(EMAIL_LANES.map((lane) => [lane, new Wake(LEASE_POLL_MS)]));
  readonly #loops: Promise<void>[];
  /** Lanes that had emails at the last look. */
  readonly #more = new Set<EmailLane>();
  readonly #threaded: ThreadedWrites;
  /** The ids of all that is leased and was not taken: what a stop gives back, wherever it waits. */
  readonly #held = new Set<number>();
  #ending: Ready[] = [];
  #stopping = false;

  constructor(deps: Deps, options: { holder: string; domains: Domains; onReady: () => void; mayLease: () => boolean }) {
    this.#deps = deps;
    this.#holder = options.holder;
    this.#onReady = options.onReady;
    this.#mayLease = options.mayLease;
    this.#domains = options.domains;
    this.#full = Math.max(deps.env.SEND_IN_DOUBT, deps.env.SEND_CONNECTIONS) * READY_PER_EMAIL_IN_DOUBT;
    const settings = () => ({
      publicUrl: deps.env.PUBLIC_URL,
      linkSecret: deps.env.LINK_SECRET,
      postalAddress: deps.env.MAIL_POSTAL_ADDRESS || null,
      from: parseMailbox(deps.env.MAIL_FROM),
    });
    this.#templates = new TemplateCache(() => {
      const { postalAddress, from, ...links } = settings();
      return { links: linksFrom(links), postalAddress, from };
    });
    this.#threaded = new ThreadedWrites({
      settings,
      most: this.#full / 2,
      onWritten: (threaded, written) => void this.#written(threaded, written),
      onNotWritten: (emails, error) => void this.#notWritten(emails, error),
      onRoom: (lane) => this.wake([lane]),
    });
    this.#senders = new SenderCache(deps.env, deps.log);
    this.#loadAttachment = createLoadAttachment(deps, () => this.#waitingBytes());
    this.#loops = EMAIL_LANES.map((lane) => this.#fill(lane));
  }

  /** Call when there may be emails to lease in these lanes. */
  wake(lanes: readonly EmailLane[]): void {
    for (const lane of lanes) this.#wakes.get(lane)!.now();
  }

  /**
   * Up to `count` rendered emails whose domain is free and whose lease has not expired. Those with an expired lease are
   * dropped: this or another process leases them again.
   */
  take(count: number): Ready[] {
    const taken: Ready[] = [];
    while (taken.length < count) {
      const [next] = this.#ready.take(1, ({ domain }) => this.#domains.isFree(domain));
      if (!next) break;
      this.#held.delete(next.row.id);
      if (performance.now() >= next.until) continue;
      this.#domains.enter(next.domain);
      taken.push(next);
    }
    for (const lane of this.#more) if (this.#room(lane) >= this.#full / 2) this.#wakes.get(lane)!.now();
    return taken;
  }

  /** How many rendered emails wait, whether their domains are free or not. */
  sendable(): number {
    return this.#ready.size();
  }

  /** Puts emails that were not started back at the front. */
  async putBack(untaken: readonly Ready[]): Promise<void> {
    for (const { domain } of untaken) this.#domains.leave(domain);
    if (this.#stopping) return this.#release(untaken.map(({ row }) => row.id));
    for (const ready of [...untaken].reverse()) {
      this.#held.add(ready.row.id);
      this.#ready.unshift(ready.lane, ready);
    }
  }

  /** All emails without a message: they need no connection, because startEmails ends or requeues them. */
  takeUnsendable(): Ready[] {
    const ending = this.#ending.splice(0);
    for (const { row } of ending) this.#held.delete(row.id);
    return ending;
  }

  /** Stops leasing and gives back what was leased, also what the threads have: whoever leases it next sends it at once. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#threaded.stop();
    this.wake(EMAIL_LANES);
    await Promise.all(this.#loops);
    await this.#release([...this.#held]);
  }

  async #release(ids: readonly number[]): Promise<void> {
    try {
      await releaseLeases(engineEm(this.#deps.orm), this.#holder, ids);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'could not return leases');
    }
  }

  #waitingBytes(): number {
    return EMAIL_LANES.flatMap((lane) => this.#ready.items(lane)).reduce(
      (sum, { composed }) => sum + (composed?.message.length ?? 0),
      0,
    );
  }

  #room(lane: EmailLane): number {
    return this.#full - this.#ready.size(lane);
  }

  async #fill(lane: EmailLane): Promise<void> {
    while (!this.#stopping) {
      const room = this.#room(lane);
      const wanted = room >= this.#full / 2 && this.#mayLease() ? room : 0;
      const found = wanted > 0 ? await this.#leaseAndRender(lane, wanted) : 0;
      if (found > 0) this.#more.add(lane);
      else if (wanted > 0) this.#more.delete(lane);
      if (found > 0 && this.#room(lane) >= this.#full / 2) continue;
      await this.#wakes.get(lane)!.wait();
      if (!this.#more.has(lane)) await delay(GATHER_MS);
    }
  }

  async #leaseAndRender(lane: EmailLane, limit: number): Promise<number> {
    const { log, links: signer, env } = this.#deps;
    const common = {
      signer,
      publicUrl: env.PUBLIC_URL,
      bounceAddress: env.BOUNCE_ADDRESS,
      readsMailbox: env.BOUNCE_IMAP_URL !== '',
      withMetadata: env.WEBHOOK_POSTMARK_SECRET !== '',
      attachment: this.#loadAttachment,
      log,
    };
    const em = engineEm(this.#deps.orm);
    let unprepared: LeasedEmail[] = [];
    try {
      const until = Leases.end(performance.now(), LEASE_SECONDS);
      const most = this.#threaded.mostToLease(lane);
      const found = await leaseEmails(em, { holder: this.#holder, lane, limit, seconds: LEASE_SECONDS, most });
      if (found.length === 0) return 0;
      const leased = (unprepared = await this.#putOff(em, lane, found));
      for (const { id } of leased) this.#held.add(id);
      const versions = leased.flatMap(({ tenantId, templateId, contentVersion }): ContentVersion[] =>
        contentVersion === null ? [] : [{ tenantId, templateId, contentVersion }],
      );
      const template = await this.#templates.load(em, versions);
      const sender = await this.#senders.load(
        em,
        versions.map((version) => ({ tenantId: version.tenantId, emailKey: template(version).fromKey })),
      );
      unprepared = [];
      await this.#outlineAll(lane, leased, { ...common, template, sender }, until);
      return found.length;
    } catch (error) {
      log.warn({ err: error, lane }, 'could not lease emails');
      await this.#giveBack(
        unprepared.map(({ id }) => id),
        LATER_MS,
      );
      return 0;
    }
  }

  /**
   * Writes a few at a time, keeps the event loop free, and offers what is ready. The order is kept; signing runs on as
   * many threads as there are.
   */
  async #outlineAll(lane: EmailLane, leased: LeasedEmail[], tools: Tools, until: number): Promise<void> {
    let yielded = performance.now();
    for (let from = 0; from < leased.length; from += PREPARED_AT_ONCE) {
      const some = leased.slice(from, from + PREPARED_AT_ONCE);
      const prepared = some.map(async (email) => {
        const outlined = await outline(email, tools);
        return 'email' in outlined
          ? this.#write({ toWrite: outlined, lane, until })
          : this.#readyOf(outlined, lane, until);
      });
      for (const ready of await Promise.all(prepared)) if (ready) this.#offer(ready);
      this.#onReady();
      if (performance.now() - yielded < YIELD_EVERY_MS) continue;
      await nextTurn();
      yielded = performance.now();
    }
  }

  #readyOf(prepared: Prepared, lane: EmailLane, until: number): Ready {
    return { ...prepared, lane, domain: domainOf(prepared.row.address ?? ''), until };
  }

  #offer(ready: Ready): void {
    if (this.#stopping) return;
    if (ready.composed) this.#ready.push(ready.lane, ready);
    else this.#ending.push(ready);
  }

  /** Writes an email here, if it may be; else it comes later, from a thread. */
  async #write(threaded: Threaded): Promise<Ready | null> {
    const { toWrite, lane, until } = threaded;
    try {
      const written = writeOnLoop(toWrite);
      if (written) return this.#readyOf(await finish(toWrite, written, this.#deps.log), lane, until);
    } catch (error) {
      return this.#readyOf(failed(toWrite, error, this.#deps.log), lane, until);
    }
    this.#threaded.add(threaded);
    return null;
  }

  async #written({ toWrite, lane, until }: Threaded, written: Written): Promise<void> {
    this.#offer(this.#readyOf(await finish(toWrite, written, this.#deps.log), lane, until));
    this.#onReady();
  }

  /** They failed for their template, or are tried again. */
  async #notWritten(emails: readonly Threaded[], error: unknown): Promise<void> {
    if (error instanceof AppError && error.status < 500) {
      for (const { toWrite, lane, until } of emails)
        this.#offer(this.#readyOf(failed(toWrite, error, this.#deps.log), lane, until));
      return this.#onReady();
    }
    const isLate = error instanceof TooLate;
    if (!isLate) this.#deps.log.warn({ err: error, emails: emails.length }, 'could not render emails');
    await this.#giveBack(
      emails.map(({ toWrite }) => toWrite.row.id),
      isLate ? 0 : LATER_MS,
    );
  }

  /** Ends the leases of emails that are not written. */
  async #giveBack(ids: readonly number[], delayMs: number): Promise<void> {
    for (const id of ids) this.#held.delete(id);
    try {
      await putOffEmails(
        engineEm(this.#deps.orm),
        this.#holder,
        ids.map((id) => ({ id, delayMs })),
      );
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'could not give back emails');
    }
  }

  /** Postpones emails of domains for which enough wait already, to make room for others; returns the rest. */
  async #putOff(em: EntityManager, lane: EmailLane, leased: LeasedEmail[]): Promise<LeasedEmail[]> {
    if (this.#domains.limit === 0) return leased;
    const waiting = new Map<string, number>();
    const count = (domain: string): number => {
      waiting.set(domain, (waiting.get(domain) ?? 0) + 1);
      return waiting.get(domain)!;
    };
    for (const { domain } of this.#ready.items(lane)) count(domain);
    const most = Math.max(this.#domains.limit, this.#full * SHARE_OF_A_DOMAIN);
    const { kept = [], many = [] } = Object.groupBy(leased, ({ address }) =>
      address === null || count(domainOf(address)) <= most ? 'kept' : 'many',
    );
    await putOffEmails(
      em,
      this.#holder,
      many.map(({ id, address }) => ({ id, delayMs: this.#domains.putOff(domainOf(address!)) })),
    );
    return kept;
  }
}
