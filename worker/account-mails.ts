import type { Deps } from '../runtime/deps.ts';
import { serveMailRequests } from '../domain/accounts/mail-requests.ts';
import { every } from '../runtime/every.ts';

const SERVE_EVERY_MS = 500;

/** Sends the links that people have requested: for setting a new password, or for confirming an address. */
export function startAccountMails(deps: Deps): { stop: () => Promise<void> } {
  return every(SERVE_EVERY_MS, deps.log, 'could not queue account emails', () => serveMailRequests(deps));
}
