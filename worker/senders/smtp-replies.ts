/** What a server says to one command (RFC 5321, section 4.2). */
export interface Reply {
  code: number;
  /** All of its lines, the code in each. */
  text: string;
}

/** RFC 5321 knows 512 octets a line (section 4.5.3.1.5). */
const MAX_LINE = 8_192;
const MAX_LINES = 1_000;
const LINE = /^([1-5]\d\d)([ -]|$)/;

/** Reads a server's replies out of what it sends. */
export class ReplyReader {
  /** Bytes as characters, until a reply is whole. */
  #rest = '';
  #lines: string[] = [];

  /** The replies that are whole with these bytes. Throws at what is no reply, or too long, after those before it. */
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
