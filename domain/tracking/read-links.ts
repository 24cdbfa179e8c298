import { setImmediate as endOfTurn } from 'node:timers/promises';
import { engineEm, rows, sql, type Orm } from '../../db/orm.ts';
import { Batcher } from '../../lib/async/batcher.ts';

/** Where a short link leads. */
export interface LinkTarget {
  sendId: number;
  url: string;
}

interface Asked {
  code: string;
  resolve: (target: LinkTarget | null) => void;
  reject: (error: unknown) => void;
}

const CODE = /^[A-Za-z0-9]{10}$/;
const CODES_PER_QUERY = 200;
const AT_ONCE = 2;

/** Reads short links; those that are asked for at the same time, by one query. */
class LinkReader {
  readonly #asked: Batcher<Asked>;

  constructor(orm: Orm) {
    this.#asked = new Batcher({
      gather: () => endOfTurn(),
      maxItems: CODES_PER_QUERY,
      maxConcurrent: AT_ONCE,
      handle: (asked) => read(orm, asked),
    });
  }

  /** Null if there is no such link, or its message was erased. */
  async find(code: string): Promise<LinkTarget | null> {
    if (!CODE.test(code)) return null;
    return new Promise((resolve, reject) => this.#asked.add({ code, resolve, reject }));
  }
}

async function read(orm: Orm, asked: readonly Asked[]): Promise<void> {
  try {
    const codes = asked.map(({ code }) => code);
    const found = await engineEm(orm).transactional((tx) =>
      rows<LinkTarget & { code: string }>(
        tx,
        sql`select code, send_id as "sendId", url from message_links where code = any(${codes}::text[])`,
      ),
    );
    const byCode = new Map(found.map(({ code, ...target }) => [code, target]));
    for (const { code, resolve } of asked) resolve(byCode.get(code) ?? null);
  } catch (error) {
    for (const { reject } of asked) reject(error);
  }
}

const readers = new WeakMap<Orm, LinkReader>();

/** The reader of a connection pool: all requests share its queries. */
export function linkReader(orm: Orm): LinkReader {
  const reader = readers.get(orm) ?? new LinkReader(orm);
  readers.set(orm, reader);
  return reader;
}
