import { createHash } from 'node:crypto';

const DRAWS = 2 ** 32;

/** What is assumed about recipients: fractions (0 to 1) of the emails that are opened and clicked. */
export interface Assumption {
  openRate: number;
  clickRate: number;
  /** The same seed gives the same draws. */
  seed: number;
}

/**
 * Whether an email is opened and clicked. The draw is the first 32 bits of the SHA-256 of
 * `seed/contactId/stepId/visit`, as a fraction: below `clickRate` the email is clicked, below the larger of the two
 * rates it is opened. So a click is always an open, both shares are as assumed, and every email has its own draw.
 */
export function drawReaction(
  { openRate, clickRate, seed }: Assumption,
  { contactId, stepId, visit }: { contactId: number; stepId: string; visit: number },
): { opened: boolean; clicked: boolean } {
  if (openRate === 0 && clickRate === 0) return { opened: false, clicked: false };
  const digest = createHash('sha256').update(`${seed}/${contactId}/${stepId}/${visit}`).digest();
  const drawn = digest.readUInt32BE(0) / DRAWS;
  return { opened: drawn < Math.max(openRate, clickRate), clicked: drawn < clickRate };
}
