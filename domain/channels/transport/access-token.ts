import { createHash } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { OutboundError } from '../../outbound/outbound-error.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import { jsonOf } from './outcome.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_SECONDS = 3_600;
/** A token is replaced this long before it ends. */
const MARGIN_MS = 300_000;
/** A token that ends sooner is used for this long nevertheless, so that not every message asks for one. */
const SHORTEST_MS = 5_000;
/** After a failure, nobody asks again for this long. */
const REST_MS = 1_000;
const MOST_KEPT = 10_000;

/** A service account as far as a token needs it. */
export interface ServiceAccount {
  client_email: string;
  private_key: string;
  private_key_id?: unknown;
}

interface Token {
  token: Promise<string>;
  /** By performance.now(); Infinity while it is being asked for. */
  until: number;
}

/**
 * Access tokens of service accounts (RFC 7523): a signed assertion is exchanged for one, which is kept until five
 * minutes before its end. There is one exchange at a time for an account.
 */
export class AccessTokens {
  readonly #outbound: Pick<Outbound, 'send'>;
  readonly #kept = new LRUCache<string, Token>({ max: MOST_KEPT });

  constructor(outbound: Pick<Outbound, 'send'>) {
    this.#outbound = outbound;
  }

  /** Throws OutboundError. */
  get(tenantId: string, tokenUrl: string, account: ServiceAccount): Promise<string> {
    const key = keyOf(tenantId, tokenUrl, account);
    const known = this.#kept.get(key);
    if (known && performance.now() < known.until) return known.token;
    const exchange = this.#exchange(tenantId, tokenUrl, account);
    const entry: Token = { token: exchange.then(({ token }) => token), until: Infinity };
    this.#kept.set(key, entry);
    exchange.then(
      ({ lastsMs }) => (entry.until = performance.now() + Math.max(lastsMs - MARGIN_MS, SHORTEST_MS)),
      () => (entry.until = performance.now() + REST_MS),
    );
    return entry.token;
  }

  /** Forgets a token that was refused. */
  forget(tenantId: string, tokenUrl: string, account: ServiceAccount): void {
    const key = keyOf(tenantId, tokenUrl, account);
    // One that is being asked for is not the one that was refused.
    if (this.#kept.peek(key)?.until !== Infinity) this.#kept.delete(key);
  }

  async #exchange(
    tenantId: string,
    tokenUrl: string,
    account: ServiceAccount,
  ): Promise<{ token: string; lastsMs: number }> {
    const answer = await this.#outbound.send({
      owner: tenantId,
      method: 'POST',
      url: tokenUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: GRANT, assertion: assertionOf(tokenUrl, account) }).toString(),
    });
    const said = jsonOf(answer) as { access_token?: unknown; expires_in?: unknown; error?: unknown } | null | undefined;
    const token = said?.access_token;
    if (answer.status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,8000}$/.test(token)) {
      const why = typeof said?.error === 'string' ? ` ${said.error.slice(0, 100)}` : '';
      throw new OutboundError('no_answer', `no access token: ${answer.status}${why}`);
    }
    const seconds = Number(said?.expires_in);
    return { token, lastsMs: (seconds > 0 ? Math.min(seconds, 86_400) : 0) * 1000 };
  }
}

function assertionOf(tokenUrl: string, { client_email, private_key, private_key_id }: ServiceAccount): string {
  try {
    return jwt.sign({ scope: SCOPE }, private_key, {
      algorithm: 'RS256',
      issuer: client_email,
      audience: tokenUrl,
      expiresIn: ASSERTION_SECONDS,
      ...(typeof private_key_id === 'string' ? { keyid: private_key_id } : {}),
    });
  } catch (error) {
    throw new OutboundError('no_answer', 'no access token: the private key cannot sign', { cause: error });
  }
}

const keyOf = (tenantId: string, tokenUrl: string, { client_email, private_key }: ServiceAccount): string =>
  createHash('sha256')
    .update(JSON.stringify([tenantId, tokenUrl, client_email, private_key]))
    .digest('base64');
