import type { EntityManager } from '../../db/orm.ts';
import { recordEmailHits } from './email-hits.ts';
import type { EmailHit, Hit, MessageHit } from './hit.ts';
import { recordMessageHits } from './message-hits.ts';
import { isAutomatedAgent } from './tracking-agents.ts';

const isOfEmail = (hit: Hit): hit is EmailHit => 'emailId' in hit;
const isOfMessage = (hit: Hit): hit is MessageHit => 'sendId' in hit;

/**
 * Stores hits, each once, in the engine transaction `tx`. Their agents are judged here, where nobody waits for an
 * answer.
 */
export async function recordHits(tx: EntityManager, received: readonly Hit[]): Promise<void> {
  const hits = received.map((hit) => ({ ...hit, automated: hit.automated || isAutomatedAgent(hit.userAgent) }));
  await recordEmailHits(tx, hits.filter(isOfEmail));
  await recordMessageHits(tx, hits.filter(isOfMessage));
}
