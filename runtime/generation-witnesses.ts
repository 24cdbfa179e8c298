import type { Client } from '@temporalio/client';
import type { Generation } from '../domain/installation/generation.ts';
import { decodeText, encode, isMissing, isNotFound, isOvertaken, type Nats } from '../transport/nats.ts';
import { GENERATION, GENERATION_SUBJECT } from '../transport/streams.ts';

/** A part beside Postgres that keeps a copy of the generation. Both methods reject if it does not answer. */
export interface Witness {
  name: string;
  /** Null if it has none. */
  read: () => Promise<Generation | null>;
  /** Stores a copy, unless another process has stored a later one meanwhile. */
  write: (generation: Generation) => Promise<void>;
}

const ANSWER_MS = 5_000;

/** A copy, and what tells it from others before and after it. */
interface Kept {
  generation: Generation;
  version: number;
}

/** What a part keeps, and how. */
interface Keeper {
  name: string;
  read: () => Promise<Kept | null>;
  /** False if it does not have `last` any more, because another process has stored a copy meanwhile. */
  put: (generation: Generation, last: Kept | null) => Promise<boolean>;
}

const witness = ({ name, read, put }: Keeper): Witness => ({
  name,
  read: async () => (await read())?.generation ?? null,
  async write(generation) {
    let last: Kept | null;
    do {
      last = await read();
      if (last?.generation.id === generation.id && last.generation.counter >= generation.counter) return;
    } while (!(await put(generation, last)));
  },
});

/** The only message of a stream that keeps the last one. */
const jetStream = (nats: Nats): Keeper => ({
  name: 'JetStream',
  async read() {
    const stored = await nats.jsm.streams
      .getMessage(GENERATION, { last_by_subj: GENERATION_SUBJECT })
      .catch((error: unknown) => {
        if (isNotFound(error) || isMissing(error)) return null;
        throw error;
      });
    return stored && { generation: JSON.parse(decodeText(stored.data)) as Generation, version: stored.seq };
  },
  async put(generation, last) {
    const options = { timeout: ANSWER_MS, expect: { lastSubjectSequence: last?.version ?? 0 } };
    try {
      await nats.js.publish(GENERATION_SUBJECT, encode(generation), options);
      return true;
    } catch (error) {
      if (isOvertaken(error)) return false;
      throw error;
    }
  },
});

/** gRPC status codes of a request that the login may not make, or that the server does not have. */
const NOT_FOR_US: ReadonlySet<unknown> = new Set([7, 12]);

/** Whether a part does not let this login read or keep a copy, which trying again does not change. */
export const isPermissionDenied = (error: unknown): boolean => NOT_FOR_US.has((error as { code?: unknown }).code);

const KEY = 'perennial-generation';

/**
 * A value of the namespace, which is kept as long as the namespace. Temporal cannot store it on a condition, so of two
 * processes that store at once the slower may put the earlier copy over the later one, until one of them moves again.
 */
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
    return kept ? { generation: JSON.parse(kept) as Generation, version: 0 } : null;
  },
  async put(generation) {
    const client = current();
    const { namespace } = client.options;
    const updateInfo = { data: { [KEY]: JSON.stringify(generation) } };
    await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflowService.updateNamespace({ namespace, updateInfo }),
    );
    return true;
  },
});

/** What keeps a copy of the generation beside Postgres. */
export const witnessesOf = (nats: Nats, client: () => Client): Witness[] =>
  [jetStream(nats), temporal(client)].map(witness);
