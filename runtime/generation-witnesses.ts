import type { Client } from '@temporalio/client';
import type { Generation } from '../domain/installation/generation.ts';
import { decodeText, encode, nullIfMissing, publishAll, type Nats } from '../events/nats.ts';
import { GENERATION, GENERATION_SUBJECT } from '../events/streams.ts';

/** A part beside Postgres that keeps a copy of the generation. Both methods reject if it does not answer. */
export interface Witness {
  name: string;
  /** Null if it has none. */
  read: () => Promise<Generation | null>;
  /** Stores a copy, unless another process has stored a later one meanwhile. */
  write: (generation: Generation) => Promise<void>;
}

const ANSWER_MS = 5_000;

/** What a part keeps, and how. */
type Keeper = Pick<Witness, 'name' | 'read'> & { put: (generation: Generation) => Promise<unknown> };

const witness = ({ name, read, put }: Keeper): Witness => ({
  name,
  read,
  async write(generation) {
    const kept = await read();
    if (kept?.id !== generation.id || kept.counter < generation.counter) await put(generation);
  },
});

/** The only message of a stream that keeps the last one. */
const jetStream = (nats: Nats): Keeper => ({
  name: 'JetStream',
  async read() {
    const stream = await nats.jsm.streams.info(GENERATION).catch(nullIfMissing);
    if (!stream || stream.state.messages === 0) return null;
    const { data } = await nats.jsm.streams.getMessage(GENERATION, { last_by_subj: GENERATION_SUBJECT });
    return JSON.parse(decodeText(data)) as Generation;
  },
  put: (generation) => publishAll(nats, [{ subject: GENERATION_SUBJECT, data: encode(generation) }], ANSWER_MS),
});

/** gRPC status codes of a request that the login may not make, or that the server does not have. */
const NOT_FOR_US: ReadonlySet<unknown> = new Set([7, 12]);

/** Whether a part does not let this login read or keep a copy, which trying again does not change. */
export const isPermissionDenied = (error: unknown): boolean => NOT_FOR_US.has((error as { code?: unknown }).code);

const KEY = 'perennial-generation';

/** A value of the namespace, which is kept as long as the namespace. */
const temporal = (current: () => Client): Keeper => ({
  name: 'Temporal',
  async read() {
    const client = current();
    const { namespace } = client.options;
    const described = await client
      .withDeadline(Date.now() + ANSWER_MS, () => client.workflowService.describeNamespace({ namespace }))
      .catch((error: unknown) => {
        if (isPermissionDenied(error)) return null;
        throw error;
      });
    const kept = described?.namespaceInfo?.data?.[KEY];
    return kept ? (JSON.parse(kept) as Generation) : null;
  },
  async put(generation) {
    const client = current();
    const { namespace } = client.options;
    const updateInfo = { data: { [KEY]: JSON.stringify(generation) } };
    await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflowService.updateNamespace({ namespace, updateInfo }),
    );
  },
});

/** What keeps a copy of the generation beside Postgres. */
export const witnessesOf = (nats: Nats, client: () => Client): Witness[] =>
  [jetStream(nats), temporal(client)].map(witness);
