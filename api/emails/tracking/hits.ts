import { randomUUID } from 'node:crypto';
import { keptUrl } from '../../../domain/addresses/kept-url.ts';
import type { Hit } from '../../../domain/emails/tracking/record-hits.ts';
import { isAutomatedAgent } from '../../../domain/emails/tracking/tracking-agents.ts';
import { AppError } from '../../../domain/common/errors.ts';

const MAX_AGENT = 500;

/** For every response to a hit: one served from a cache would not be counted. */
export const noStore = { 'Cache-Control': 'no-store, private', 'X-Robots-Tag': 'noindex' };

/** A hit as it is published. `url` is where a click leads; its hit has it without tokens. */
export function hitOf({
  type,
  emailId,
  url,
  address,
  userAgent,
  method,
}: {
  type: Hit['type'];
  emailId: number;
  url: string | null;
  address: string;
  userAgent: string;
  method: string;
}): Hit {
  const agent = userAgent.slice(0, MAX_AGENT) || null;
  return {
    id: randomUUID(),
    type,
    emailId,
    at: new Date().toISOString(),
    url: url === null ? null : keptUrl(url),
    ip: address || null,
    userAgent: agent,
    automated: method === 'HEAD' || isAutomatedAgent(agent),
  };
}

export const clickNotStored = (): AppError =>
  new AppError('unavailable', 'The click could not be recorded in time; try again', {
    headers: { ...noStore, 'Retry-After': '1' },
  });
