import { createChallenge, extractParams, verifySolution } from 'altcha-lib/v1';
import type { Payload } from 'altcha-lib/v1/types';
import type { Env } from '../../config/env-schema.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { LinkSigner } from '../addresses/tokens.ts';
import { AppError } from '../../lib/checks/errors.ts';
import type { FieldError } from './check-submission.ts';

/** The name under which errors of the CAPTCHA are reported. */
const FIELD = 'captcha';
/** How long a challenge of our own can be solved. */
const LIFETIME_MS = 20 * 60_000;
const ANSWER_MS = 5_000;
/** The longest solution of any provider. */
const MAX_SOLUTION = 8_192;

/** Where hCaptcha and Turnstile check solutions, and how their widgets name the field of a solution. */
const PROVIDERS = {
  hcaptcha: { url: 'https://api.hcaptcha.com/siteverify', field: 'h-captcha-response' },
  turnstile: { url: 'https://challenges.cloudflare.com/turnstile/v0/siteverify', field: 'cf-turnstile-response' },
} as const;

/** What a page needs to show a CAPTCHA. */
export interface CaptchaKind {
  provider: 'altcha' | keyof typeof PROVIDERS;
  siteKey: string | null;
}

/** An ALTCHA challenge (version 1): find `number` such that `challenge` = hex SHA-256 of `salt + number`. */
export interface Challenge {
  algorithm: 'SHA-256';
  challenge: string;
  maxnumber: number;
  salt: string;
  signature: string;
}

/** Thrown when the provider cannot be asked: nobody is let in. */
export class CaptchaUnchecked extends AppError {
  constructor(cause: unknown) {
    super('captcha_unavailable', 'The CAPTCHA could not be checked; try again in a moment', {
      headers: { 'Retry-After': '10' },
      cause,
    });
  }
}

/** A solution that is right. */
export interface Solved {
  /** Finds most solutions that were used before, so that less is done for them; throws UsedBefore. */
  assertUnused: (em: EntityManager, tenantId: string) => Promise<void>;
  /** Uses it up in the transaction of the submission; throws UsedBefore. */
  redeem: (tx: EntityManager, tenantId: string) => Promise<void>;
}

export interface Captcha {
  kind: CaptchaKind;
  /** A challenge that only this form takes; null if the challenges come from the provider. */
  challenge: (formId: number) => Promise<Challenge | null>;
  /**
   * Checks the solution in the fields of a submission of this form, or says what is wrong with it. Throws
   * CaptchaUnchecked if the provider does not answer.
   */
  check: (formId: number, data: Record<string, unknown>, ipAddress: string | null) => Promise<Solved | FieldError>;
}

/** Thrown for a solution that was used before. */
export class UsedBefore extends Error {
  override readonly name = 'UsedBefore';
  readonly error = wrong('captcha_invalid');
}

const wrong = (code: 'captcha_required' | 'captcha_invalid'): FieldError => ({
  field: FIELD,
  code,
  message:
    code === 'captcha_required'
      ? 'is missing: prove that you are not a robot'
      : 'was not solved, has expired or was used before: try again',
});

const solutionIn = (data: Record<string, unknown>, field: string): string | null => {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
};

/** The CAPTCHA of the service, by CAPTCHA_PROVIDER. */
export function createCaptcha(env: Env, links: LinkSigner): Captcha {
  const { CAPTCHA_PROVIDER: provider } = env;
  return provider === 'altcha' ? altcha(env, links) : foreign(provider, env);
}

function altcha({ CAPTCHA_DIFFICULTY: maxNumber }: Env, links: LinkSigner): Captcha {
  // Known to this service only, for as long as its secret is.
  const keys = links.signByEach('altcha', []);
  return {
    kind: { provider: 'altcha', siteKey: null },
    challenge: async (formId) => {
      const expires = new Date(Date.now() + LIFETIME_MS);
      // In the salt, which the signature covers.
      const params = { form: String(formId) };
      const { challenge, salt, signature } = await createChallenge({ hmacKey: keys[0]!, maxNumber, expires, params });
      return { algorithm: 'SHA-256', challenge, maxnumber: maxNumber, salt, signature };
    },
    check: async (formId, data) => {
      const solution = solutionIn(data, 'altcha');
      if (solution === null) return wrong('captcha_required');
      const solved = solution.length > MAX_SOLUTION ? null : readSolution(solution);
      if (!solved) return wrong('captcha_invalid');
      for (const key of keys) {
        if (!(await verifySolution(solved, key).catch(() => false))) continue;
        const { form, expires } = extractParams(solved);
        if (form !== String(formId) || !(Number(expires) * 1000 > Date.now())) break;
        return {
          assertUnused: (em, tenantId) => assertUnused(em, tenantId, solved.challenge),
          redeem: (tx, tenantId) => useUp(tx, tenantId, solved.challenge),
        };
      }
      return wrong('captcha_invalid');
    },
  };
}

/**
 * The solution in its encoded form; null if it cannot be one. The signature covers the text of salt and number, not
 * where one ends and the other begins: only a number proves that all parameters are in the salt.
 */
function readSolution(encoded: string): Payload | null {
  try {
    const solved = JSON.parse(Buffer.from(encoded, 'base64').toString()) as Payload | null;
    return solved && typeof solved.salt === 'string' && Number.isSafeInteger(solved.number) ? solved : null;
  } catch {
    return null;
  }
}

async function assertUnused(em: EntityManager, tenantId: string, challenge: string): Promise<void> {
  const noted = await em.transactional((tx) =>
    rows(tx, sql`select 1 from used_challenges where tenant_id = ${tenantId} and challenge = ${challenge}`),
  );
  if (noted.length > 0) throw new UsedBefore();
}

/** Notes a challenge as used, for as long as it could be used again. Throws UsedBefore if it is noted already. */
async function useUp(tx: EntityManager, tenantId: string, challenge: string): Promise<void> {
  const noted = await rows(
    tx,
    sql`
    insert into used_challenges (tenant_id, challenge, expires_at)
    values (${tenantId}, ${challenge}, ${new Date(Date.now() + LIFETIME_MS)}) on conflict do nothing returning 1`,
  );
  if (noted.length === 0) throw new UsedBefore();
}

function foreign(provider: keyof typeof PROVIDERS, env: Env): Captcha {
  const { url, field } = PROVIDERS[provider];
  const { CAPTCHA_SITE_KEY: siteKey, CAPTCHA_SECRET: secret, CAPTCHA_VERIFY_URL: verifyUrl } = env;
  const ask = async (response: string, remoteip: string | null): Promise<boolean> => {
    const answer = await fetch(verifyUrl || url, {
      method: 'POST',
      body: new URLSearchParams({ secret, response, sitekey: siteKey, ...(remoteip === null ? {} : { remoteip }) }),
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'error',
    });
    if (!answer.ok) throw new Error(`the CAPTCHA provider answers ${answer.status}`);
    return ((await answer.json()) as { success?: unknown }).success === true;
  };
  return {
    kind: { provider, siteKey },
    challenge: async () => null,
    check: async (_formId, data, ipAddress) => {
      const solution = solutionIn(data, field);
      if (solution === null) return wrong('captcha_required');
      if (solution.length > MAX_SOLUTION) return wrong('captcha_invalid');
      try {
        // The provider accepts a solution once.
        return (await ask(solution, ipAddress))
          ? { assertUnused: async () => {}, redeem: async () => {} }
          : wrong('captcha_invalid');
      } catch (error) {
        throw new CaptchaUnchecked(error);
      }
    },
  };
}

/** Deletes noted challenges that have expired. Engine `em`. */
export async function deleteUsedChallenges(em: EntityManager): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from used_challenges where expires_at < now()`));
}
