import type { EntityManager } from '../../db/orm.ts';
import { recordEmailHits } from './email-hits.ts';
import type { EmailHit, Hit, MessageHit } from './hit.ts';
import { recordMessageHits } from './message-hits.ts';

const isOfEmail = (hit: Hit): hit is EmailHit => 'emailId' in hit;
const isOfMessage = (hit: Hit): hit is MessageHit => 'sendId' in hit;

/** Stores hits, each once, in the engine transaction `tx`. */
export async function recordHits(tx: EntityManager, hits: readonly Hit[]): Promise<void> {
  await recordEmailHits(tx, hits.filter(isOfEmail));
  await recordMessageHits(tx, hits.filter(isOfMessage));
}
