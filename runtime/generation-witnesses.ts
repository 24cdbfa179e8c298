import type { Client } from '@temporalio/client';
import type { Generation } from '../domain/installation/generation.ts';
import { decodeText, encode, nullIfMissing, publishAll, type Nats } from '../events/nats.ts';
import { GENERATION, GENERATION_SUBJECT } from '../events/streams.ts';

/** A part beside Postgres that keeps a copy of the generation. Both methods reject if it does not answer. */
export interface Witness {
  name: string;
  /** Null if it has none. */
  read: () => Promise<Generation | null>;
  write: (generation: Generation) => Promise<void>;
}

const ANSWER_MS = 5_000;

/** The only message of a stream that keeps the last one. */
const jetStream = (nats: Nats): Witness => ({
  name: 'JetStream',
  async read() {
    const stream = await nats.jsm.streams.info(GENERATION).catch(nullIfMissing);
    if (!stream || stream.state.messages === 0) return null;
    const { data } = await nats.jsm.streams.getMessage(GENERATION, { last_by_subj: GENERATION_SUBJECT });
    return JSON.parse(decodeText(data)) as Generation;
  },
  async write(generation) {
    await publishAll(nats, [{ subject: GENERATION_SUBJECT, data: encode(generation) }], ANSWER_MS);
  },
});

const KEY = 'perennial-generation';

/** A value of the namespace, which is kept as long as the namespace. */
const temporal = (current: () => Client): Witness => ({
  name: 'Temporal',
  async read() {
    const client = current();
    const { namespace } = client.options;
    const { namespaceInfo } = await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflowService.describeNamespace({ namespace }),
    );
    const kept = namespaceInfo?.data?.[KEY];
    return kept ? (JSON.parse(kept) as Generation) : null;
  },
  async write(generation) {
    const client = current();
    const { namespace } = client.options;
    const updateInfo = { data: { [KEY]: JSON.stringify(generation) } };
    await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflowService.updateNamespace({ namespace, updateInfo }),
    );
  },
});

/** What keeps a copy of the generation beside Postgres. */
export const witnessesOf = (nats: Nats, client: () => Client): Witness[] => [jetStream(nats), temporal(client)];
