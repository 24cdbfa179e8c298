import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../config/logger.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { openSecret, sealSecret, type BoxSecrets } from '../../../lib/text/secret-box.ts';
import { keyOwner, signingKey } from './keys.ts';
import { isOfDomain } from './proven.ts';
import type { Signer } from './sign.ts';

const KEPT = 1000;

/** The settings of a sender for its emails. */
export interface SenderIdentity {
  /** Changes whenever the sender changes. */
  revision: string;
  name: string | null;
  replyTo: string | null;
  /** Null: emails are not signed. */
  signer: Signer | null;
}

/** A From address; `emailKey` is its key. */
export interface SenderAddress {
  tenantId: string;
  emailKey: string;
}

interface SenderRow extends SenderAddress {
  id: number;
  version: number;
  verifiedDomain: string | null;
  name: string | null;
  replyTo: string | null;
  dkimDomain: string | null;
  dkimSelector: string | null;
  dkimPrivateKey: string | null;
}

/**
 * The senders of emails. Rows are read for each batch, so that changes take effect at once; decrypted keys are cached
 * by version.
 */
export class SenderCache {
  readonly #kept = new LRUCache<string, SenderIdentity>({ max: KEPT });
  readonly #secrets: BoxSecrets;
  readonly #log: Logger;

  constructor(secrets: BoxSecrets, log: Logger) {
    this.#secrets = secrets;
    this.#log = log;
  }

  /**
   * Loads the senders of these addresses (engine `em`). Returns a function that gets the sender of an address; without
   * one, the sender whose verified domain contains the address, used only for signing; else null.
   */
  async load(
    em: EntityManager,
    addresses: Iterable<SenderAddress>,
  ): Promise<(address: SenderAddress) => SenderIdentity | null> {
    const wanted = new Map([...addresses].map((address) => [keyOf(address), address]));
    const found =
      wanted.size === 0
        ? []
        : await em.transactional((tx) =>
            rows<SenderRow>(
              tx,
              sql`
      select id, tenant_id as "tenantId", email_key as "emailKey", version, name, reply_to as "replyTo",
             dkim_domain as "dkimDomain", dkim_selector as "dkimSelector", dkim_private_key as "dkimPrivateKey", verified_domain as "verifiedDomain"
      from email_senders where (tenant_id, email_key) in (${sql.join([...wanted.values()].map((a) => sql`(${a.tenantId}, ${a.emailKey})`))})
        or tenant_id = any(${[...new Set([...wanted.values()].map((a) => a.tenantId))]}) and verified_domain = dkim_domain
      -- Of several senders for a domain, prefer one whose record was found, then the longest domain.
      order by dkim_verified_at is null, length(verified_domain) desc, id`,
            ),
          );
    const own = new Map(found.map((row) => [keyOf(row), row]));
    const identities = new Map<string, SenderIdentity>();
    for (const [key, { tenantId, emailKey }] of wanted) {
      const row =
        own.get(key) ??
        found.find(
          (other) =>
            other.tenantId === tenantId && other.verifiedDomain !== null && isOfDomain(emailKey, other.verifiedDomain),
        );
      if (row) identities.set(key, await this.#identityOf(em, row, row.emailKey === emailKey));
    }
    return (address) => identities.get(keyOf(address)) ?? null;
  }

  /**
   * The sender's name and Reply-To are used only for its own address; other addresses of its domain are only signed.
   */
  async #identityOf(em: EntityManager, row: SenderRow, isOwn: boolean): Promise<SenderIdentity> {
    const revision = `${row.id}/${row.version}${isOwn ? '' : '/domain'}`;
    const identity = this.#kept.get(revision) ?? {
      revision,
      name: isOwn ? row.name : null,
      replyTo: isOwn ? row.replyTo : null,
      signer: await this.#signer(em, row),
    };
    this.#kept.set(revision, identity);
    return identity;
  }

  /**
   * A key that cannot be decrypted is logged as an error, but emails are sent without a signature, which delivery does
   * not require (RFC 6376 section 6.3).
   */
  async #signer(em: EntityManager, row: SenderRow): Promise<Signer | null> {
    const { id, dkimDomain: domain, dkimSelector: selector, dkimPrivateKey: sealed } = row;
    if (!domain || !selector || !sealed) return null;
    try {
      const { secret, isCurrent } = openSecret(this.#secrets, keyOwner(row), sealed);
      if (!isCurrent) {
        await em.transactional((tx) =>
          rows(
            tx,
            sql`
          update email_senders set dkim_private_key = ${sealSecret(this.#secrets, keyOwner(row), secret)} where id = ${id} and dkim_private_key = ${sealed}`,
          ),
        );
      }
      return { domain, selector, key: signingKey(secret) };
    } catch (error) {
      this.#log.error({ err: error, senderId: id }, 'cannot decrypt a DKIM key: email of its sender is sent unsigned');
      return null;
    }
  }
}

const keyOf = ({ tenantId, emailKey }: SenderAddress): string => `${tenantId}/${emailKey}`;
