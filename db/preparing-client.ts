import pg from 'pg';

/**
 * The prefix of a statement that takes longer to parse and plan than to run: each connection that runs it prepares it.
 */
export const PREPARED = '/* prepared */ ';
/** How many a connection keeps in any case. */
const FEW = 8;
/** It keeps more while they are short: a long one, such as the filters of a hundred segments, takes some MB there. */
const MOST_CHARACTERS = 64 * 1024;
/** How long a plan is kept: one made for a table of ten rows must not be used when the table has a million. */
const KEPT_MS = 5_000;

/** A client that prepares statements starting with PREPARED, and keeps the most recently used ones. */
export class PreparingClient extends pg.Client {
  /** By text, in order of use. */
  readonly #kept = new Map<string, { name: string; since: number }>();
  #characters = 0;
  #made = 0;
  /** For tests. */
  keptMs = KEPT_MS;

  // pg's `query` has many overloads, which only this signature covers.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  override query(...args: unknown[]): any {
    const pass = super.query.bind(this) as (...given: unknown[]) => unknown;
    const [text, values, ...rest] = args;
    if (typeof text !== 'string' || !text.startsWith(PREPARED)) return pass(...args);
    const now = performance.now();
    if ((this.#kept.get(text)?.since ?? now) < now - this.keptMs) this.#forget(text, pass);
    const one = this.#kept.get(text) ?? { name: `prepared-${(this.#made += 1)}`, since: now };
    if (!this.#kept.delete(text)) this.#characters += text.length;
    this.#kept.set(text, one);
    while (this.#kept.size > FEW && this.#characters > MOST_CHARACTERS)
      this.#forget(this.#kept.keys().next().value!, pass);
    return pass({ name: one.name, text, values }, ...rest);
  }

  #forget(text: string, pass: (...given: unknown[]) => unknown): void {
    const { name } = this.#kept.get(text)!;
    this.#kept.delete(text);
    this.#characters -= text.length;
    const { parsedStatements } = (this as unknown as { connection: { parsedStatements: Record<string, string> } })
      .connection;
    // A statement that failed to parse does not exist on the server.
    if (!(name in parsedStatements)) return;
    delete parsedStatements[name];
    // In an aborted transaction this fails, like all later statements; ignore it.
    (pass(`deallocate "${name}"`) as Promise<unknown>).catch(() => undefined);
  }
}
