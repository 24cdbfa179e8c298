import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../config/logger.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { openSecret, sealSecret, type BoxSecrets } from '../../auth/secret-box.ts';
import { keyOwner, signingKey } from './keys.ts';
import type { Signer } from './sign.ts';

const KEPT = 1000;

/** A sender of a tenant's mail as mail is written by. */
export interface SenderIdentity {
  /** Another whenever the sender has changed. */
  revision: string;
  name: string | null;
  replyTo: string | null;
  /** Null: its mail is not signed. */
  signer: Signer | null;
}

/** Whose mail: `emailKey` is the From address as addresses are compared. */
export interface SenderAddress {
  tenantId: string;
  emailKey: string;
}

interface SenderRow extends SenderAddress {
  id: number;
  version: number;
  name: string | null;
  replyTo: string | null;
  dkimDomain: string | null;
  dkimSelector: string | null;
  dkimPrivateKey: string | null;
}

/** The senders that mail is from, read for each batch, so that a change counts at once; what is opened once is kept by version. */
export class SenderCache {
  readonly #kept = new LRUCache<string, SenderIdentity>({ max: KEPT });
  readonly #secrets: BoxSecrets;
  readonly #log: Logger;

  constructor(secrets: BoxSecrets, log: Logger) {
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Answers how to get the sender of an address, null where there is none. Engine `em`. */
  async load(em: EntityManager, addresses: Iterable<SenderAddress>): Promise<(address: SenderAddress) => SenderIdentity | null> {
    const wanted = new Map([...addresses].map((address) => [keyOf(address), address]));
    const found = wanted.size === 0 ? [] : await em.transactional((tx) => rows<SenderRow>(tx, sql`
      select id, tenant_id as "tenantId", email_key as "emailKey", version, name, reply_to as "replyTo",
             dkim_domain as "dkimDomain", dkim_selector as "dkimSelector", dkim_private_key as "dkimPrivateKey"
      from email_senders where (tenant_id, email_key) in (${sql.join([...wanted.values()].map((a) => sql`(${a.tenantId}, ${a.emailKey})`))})`));
    const identities = new Map<string, SenderIdentity>();
    for (const row of found) {
      const revision = `${row.id}/${row.version}`;
      const identity = this.#kept.get(revision) ?? { revision, name: row.name, replyTo: row.replyTo, signer: await this.#signer(em, row) };
      this.#kept.set(revision, identity);
      identities.set(keyOf(row), identity);
    }
    return (address) => identities.get(keyOf(address)) ?? null;
  }

  /** A key that does not open is an error to be mended; mail is not held up by it, a signature is no condition of delivery (RFC 6376 section 6.3). */
  async #signer(em: EntityManager, row: SenderRow): Promise<Signer | null> {
    const { id, dkimDomain: domain, dkimSelector: selector, dkimPrivateKey: sealed } = row;
    if (!domain || !selector || !sealed) return null;
    try {
      const { secret, isCurrent } = openSecret(this.#secrets, keyOwner(row), sealed);
      if (!isCurrent) {
        await em.transactional((tx) => rows(tx, sql`
          update email_senders set dkim_private_key = ${sealSecret(this.#secrets, keyOwner(row), secret)} where id = ${id} and dkim_private_key = ${sealed}`));
      }
      return { domain, selector, key: signingKey(secret) };
    } catch (error) {
      this.#log.error({ err: error, senderId: id }, 'a DKIM key can not be opened: mail of its sender goes unsigned');
      return null;
    }
  }
}

const keyOf = ({ tenantId, emailKey }: SenderAddress): string => `${tenantId}/${emailKey}`;
