import { randomUUID } from 'node:crypto';
import { asService } from '../../domain/audit/audit.ts';
import { addPoints } from '../../domain/scoring/scores/score-events.ts';
import { createThreshold, deleteThreshold } from '../../domain/scoring/thresholds/thresholds.ts';
import { startEndpoint, type EndpointAnswer, type Received } from '../support/endpoint.ts';
import { TENANT, type Journeys } from './campaign-support.ts';

const author = asService(TENANT);
export const SCORE = 50;

/** Adds points to a contact, as a SCORE step does. */
export const score = (journeys: Journeys, contactId: number, points: number): Promise<number | null> =>
  journeys
    .em()
    .transactional((tx) =>
      addPoints(tx, TENANT, contactId, points, { id: randomUUID(), type: 'SCORE', time: new Date().toISOString() }),
    );

/** A contact that has reached a threshold with a webhook; its workflow waits in the outbox. */
export interface Reached {
  contactId: number;
  thresholdId: number;
  received: Received[];
}

/** Lets a contact reach a threshold whose endpoint gives these answers, and then uses it. */
export async function reach<T>(
  journeys: Journeys,
  answers: (EndpointAnswer | null)[],
  use: (reached: Reached) => Promise<T>,
  url?: string,
): Promise<T> {
  const endpoint = await startEndpoint(answers);
  const action = { type: 'WEBHOOK', url: url ?? `${endpoint.url}/hook` } as const;
  const input = { name: 'Hot leads', score: SCORE, action };
  const { id } = await createThreshold(journeys.em(), author, input, journeys.deps.outbound.checkUrl);
  try {
    const contactId = await journeys.contact();
    await score(journeys, contactId, SCORE + 2);
    return await use({ contactId, thresholdId: id, received: endpoint.received });
  } finally {
    await deleteThreshold(journeys.em(), author, id, () => {});
    await endpoint.close();
  }
}

/** How the call of a threshold's webhook ended. */
export interface Called extends Reached {
  workflowId: string;
  /** Of the workflow. */
  status: string;
}

/** Lets a contact reach a threshold, and the call end. */
export const call = (journeys: Journeys, answers: (EndpointAnswer | null)[], url?: string): Promise<Called> =>
  reach(
    journeys,
    answers,
    async (reached) => {
      const [workflowId = ''] = await journeys.relay();
      await journeys.finished(workflowId).catch(() => {});
      return { ...reached, workflowId, status: await journeys.status(workflowId) };
    },
    url,
  );

/** Each way that the workflow of a threshold's webhook can go. */
export const thresholdPaths = {
  'threshold-call': (journeys) => call(journeys, [{ status: 204 }]),
  'threshold-call-repeated': (journeys) => call(journeys, [{ status: 503 }, { status: 200 }]),
  'threshold-call-failed': (journeys) => call(journeys, [{ status: 410 }]),
} satisfies Record<string, (journeys: Journeys) => Promise<Called>>;
