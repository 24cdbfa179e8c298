/** A server's reply to one command (RFC 5321, section 4.2). */
export interface Reply {
  code: number;
  /** All lines of the reply, each with its code. */
  text: string;
}

/** RFC 5321 allows 512 octets per line (section 4.5.3.1.5); this is more lenient. */
const MAX_LINE = 8_192;
const MAX_LINES = 1_000;
const LINE = /^([1-5]\d\d)([ -]|$)/;

/** Parses the bytes of a server into replies. */
export class ReplyReader {
  /** Bytes of the incomplete last line, as Latin-1 characters. */
  #rest = '';
  #lines: string[] = [];

  /**
   * Yields the replies that these bytes complete. Then throws if what follows them is no valid reply, or is too long.
   */
  *read(bytes: Buffer): Generator<Reply> {
    this.#rest += bytes.toString('latin1');
    for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n')) {
      const line = this.#rest.slice(0, this.#rest[end - 1] === '\r' ? end - 1 : end);
      this.#rest = this.#rest.slice(end + 1);
      if (line === '') continue;
      const [, code, mark] = LINE.exec(line) ?? [];
      if (code === undefined) throw new Error(`the server sent an invalid reply: ${line.slice(0, 200)}`);
      this.#lines.push(line);
      if (mark !== '-') yield { code: Number(code), text: decode(this.#lines.splice(0).join('\n')) };
    }
    if (this.#lines.length > MAX_LINES || this.#rest.length > MAX_LINE)
      throw new Error("the server's reply is too long");
  }
}

const decode = (bytes: string): string => (/[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes);
