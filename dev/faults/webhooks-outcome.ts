import type { Client } from '../demo/client.ts';
import type { Call, Receiver } from '../fakes/webhook-receiver.ts';

export interface Kill {
  name: string;
  at: number;
  /** When it ran again. */
  until: number;
}

export interface Webhook {
  id: number;
  name: string;
  isOrdered: boolean;
  receiver: Receiver;
}

/** The default of `maxInFlight`; as many again may be answered and not settled. */
const IN_HAND = 2 * 5;
/** Killing one of these leaves calls of which Postgres does not know. */
const DOUBTFUL = ['webhooks', 'Postgres'];
/** How long before a kill a call was at most that was on its way, or not settled. */
const SETTLED_MS = 5_000;

/** Checks the receivers' logs against what was written, and against the proof. Returns whether all agree. */
export async function checkWebhooks({
  client,
  webhooks,
  written,
  kills,
  crashes,
  say,
}: {
  client: Client;
  webhooks: readonly Webhook[];
  written: number;
  kills: readonly Kill[];
  crashes: number;
  say: (line: string) => void;
}): Promise<boolean> {
  const problems = crashes > 0 ? [`${crashes} processes ended by themselves`] : [];
  const doubtful = kills.filter(({ name }) => DOUBTFUL.includes(name));
  for (const webhook of webhooks) {
    const { calls } = webhook.receiver;
    const refused = calls.filter(({ isRefused }) => isRefused).length;
    const bySequence = Map.groupBy(calls, ({ sequence }) => sequence);
    const repeated = [...bySequence.values()].flatMap((its) => repetitionsOf(its));
    say(`${webhook.name}: ${calls.length} calls, ${refused} refused, ${repeated.length} repeated after a kill`);
    const found = [
      ...gapsIn(bySequence, written),
      ...changedIds(bySequence),
      ...(repeated.length > doubtful.length * IN_HAND ? [`${repeated.length} repetitions are too many`] : []),
      ...repeated
        .filter((before) => !doubtful.some(({ at, until }) => before.at > at - SETTLED_MS && before.at < until))
        .map(({ sequence }) => `${sequence} came again without a kill`),
      ...(webhook.isOrdered ? disorderIn(calls) : []),
      ...(await proofProblems(client, webhook, written)),
    ];
    problems.push(...found.map((problem) => `${webhook.name}: ${problem}`));
  }
  for (const problem of problems.slice(0, 20)) say(problem);
  say(problems.length === 0 ? 'logs, proof and what was written agree' : `${problems.length} problems`);
  return problems.length === 0;
}

/** The calls after which one came again although they were not refused. */
const repetitionsOf = (calls: readonly Call[]): Call[] => calls.slice(0, -1).filter(({ isRefused }) => !isRefused);

function gapsIn(bySequence: ReadonlyMap<number, Call[]>, written: number): string[] {
  const missing = Array.from({ length: written }, (_, n) => n + 1).filter((sequence) => {
    const calls = bySequence.get(sequence);
    return !calls || calls.at(-1)!.isRefused;
  });
  const events = new Set([...bySequence.values()].map(([first]) => first!.event));
  return [
    ...(missing.length > 0 ? [`${missing.length} numbers are missing, ${missing.slice(0, 5).join(', ')} …`] : []),
    ...(bySequence.size !== written ? [`${bySequence.size} numbers of ${written}`] : []),
    ...(events.size !== written ? [`${events.size} events of ${written}`] : []),
  ];
}

const changedIds = (bySequence: ReadonlyMap<number, Call[]>): string[] =>
  [...bySequence].flatMap(([sequence, calls]) =>
    new Set(calls.map(({ id, event }) => `${id} ${event}`)).size > 1 ? [`${sequence} came as several things`] : [],
  );

/** Nothing of a contact may come after what followed it. */
function disorderIn(calls: readonly Call[]): string[] {
  const last = new Map<number, number>();
  return calls.flatMap(({ contactId, sequence }) => {
    const before = last.get(contactId) ?? 0;
    last.set(contactId, Math.max(before, sequence));
    return sequence < before ? [`contact ${contactId}: ${sequence} came after ${before}`] : [];
  });
}

async function proofProblems(client: Client, { id, receiver }: Webhook, written: number): Promise<string[]> {
  const proof = (await client.call('GET', `/webhooks/${id}/proof`)) as Record<string, number>;
  const { matched, delivered, pending, failed, held, firstSequence, lastSequence } = proof as Record<
    'matched' | 'delivered' | 'pending' | 'failed' | 'held' | 'firstSequence' | 'lastSequence',
    number
  >;
  const isRight =
    matched === written &&
    delivered === receiver.accepted.size &&
    matched === delivered + pending + failed + held &&
    firstSequence === 1 &&
    lastSequence === written;
  return isRight ? [] : [`the proof is ${JSON.stringify(proof)}, ${receiver.accepted.size} were accepted`];
}
