import type { Deps } from '../runtime/deps.ts';
import { engineEm } from '../db/orm.ts';
import { classifyHits } from '../domain/tracking/classify-hits.ts';
import { every } from '../runtime/every.ts';

const LOOK_EVERY_MS = 250;
/** By then, every link that a scanner follows within a second has arrived. */
const CLASSIFY_AFTER_SECONDS = 2;

/** Turns tracking hits into events when they are old enough to be classified. */
export function startHitClassifier(deps: Deps): { stop: () => Promise<void> } {
  return every(LOOK_EVERY_MS, deps.log, 'could not classify tracking hits', async () => {
    while ((await classifyHits(engineEm(deps.orm), CLASSIFY_AFTER_SECONDS)) > 0);
  });
}
