import pg from 'pg';

const MARK = '/* prepared */ ';
/** On each connection; a large one holds some MB there. */
const MOST = 4;

/** The text of a statement that takes longer to parse and plan than to run: each connection keeps it once it has run it. */
export const prepared = (text: string): string => MARK + text;

/** A connection that prepares the statements which `prepared` has marked, the last few that it ran. */
export class PreparingClient extends pg.Client {
  /** Names by text, the one that was used last at the end. */
  readonly #names = new Map<string, string>();
  #made = 0;

  // It has the overloads of pg's, which no one signature but this fits.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  override query(...args: unknown[]): any {
    const pass = super.query.bind(this) as (...given: unknown[]) => unknown;
    const [text, values, ...rest] = args;
    if (typeof text !== 'string' || !text.startsWith(MARK)) return pass(...args);
    const name = this.#names.get(text) ?? `prepared-${(this.#made += 1)}`;
    this.#names.delete(text);
    this.#names.set(text, name);
    if (this.#names.size > MOST) this.#forgetOldest(pass);
    return pass({ name, text, values }, ...rest);
  }

  #forgetOldest(pass: (...given: unknown[]) => unknown): void {
    const [text, name] = this.#names.entries().next().value!;
    this.#names.delete(text);
    const { parsedStatements } = (this as unknown as { connection: { parsedStatements: Record<string, string> } }).connection;
    delete parsedStatements[name];
    // Refused in a transaction that has failed, as what comes after it is too.
    (pass(`deallocate "${name}"`) as Promise<unknown>).catch(() => undefined);
  }
}
