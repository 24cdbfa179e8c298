import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Address, type Email } from 'postal-mime';

/** What a list shows of a mail. */
export interface MailSummary {
  id: string;
  at: string;
  from: string;
  to: string[];
  subject: string;
  attachments: number;
}

export interface Envelope {
  from: string;
  to: string[];
}

export interface MailQuery {
  skip: number;
  limit: number;
  /** In subject, sender or recipients. */
  search: string;
  newestFirst: boolean;
}

const END = '.eml';
const READ_AT_ONCE = 100;

/** Caught mails, each a file of a folder: `<id>.eml`. Beyond `max` the oldest go. */
export class Mailbox {
  readonly #folder: string;
  readonly #max: number;
  /** In the order in which they came; no summary while nobody has asked for it. */
  readonly #mails = new Map<string, { at: Date; summary: MailSummary | null }>();
  #added = 0;

  private constructor(folder: string, max: number) {
    this.#folder = folder;
    this.#max = max;
  }

  /** Knows the mails that are in the folder already. */
  static async open(folder: string, max: number): Promise<Mailbox> {
    const box = new Mailbox(folder, max);
    const names = (await readdir(folder)).filter((name) => name.endsWith(END));
    const found = await inParts(names, async (name) => ({ id: name.slice(0, -END.length), at: (await stat(join(folder, name))).mtime }));
    found.sort((a, b) => Number(a.at) - Number(b.at) || (a.id < b.id ? -1 : 1));
    for (const { id, at } of found) box.#mails.set(id, { at, summary: null });
    return box;
  }

  /** Keeps a mail. Its envelope is written above it, as a mail server does at delivery. */
  async add(raw: Buffer, { from, to }: Envelope): Promise<void> {
    const at = new Date();
    const id = `${String(at.getTime()).padStart(15, '0')}-${String(this.#added++).padStart(6, '0')}`;
    const file = this.#file(id);
    const trace = [`Return-Path: <${from}>`, ...to.map((address) => `Delivered-To: ${address}`), ''].join('\r\n');
    await writeFile(`${file}.part`, Buffer.concat([Buffer.from(trace), raw]));
    await rename(`${file}.part`, file);
    this.#mails.set(id, { at, summary: null });
    for (const oldest of this.#mails.keys()) {
      if (this.#mails.size <= this.#max) break;
      await this.remove(oldest);
    }
  }

  /** How many match, and those of one page. */
  async list({ skip, limit, search, newestFirst }: MailQuery): Promise<{ total: number; mails: MailSummary[] }> {
    let ids = [...this.#mails.keys()];
    if (search) {
      const wanted = search.toLowerCase();
      const all = await this.#summaries(ids);
      ids = all.filter((mail) => [mail.subject, mail.from, ...mail.to].some((text) => text.toLowerCase().includes(wanted))).map(({ id }) => id);
    }
    if (newestFirst) ids.reverse();
    return { total: ids.length, mails: await this.#summaries(ids.slice(skip, skip + limit)) };
  }

  /** The mail as it came, below its envelope. */
  async source(id: string): Promise<Buffer | null> {
    return this.#mails.has(id) ? readFile(this.#file(id)).catch(() => null) : null;
  }

  async read(id: string): Promise<Email | null> {
    const source = await this.source(id);
    return source && PostalMime.parse(source);
  }

  async remove(id: string): Promise<boolean> {
    if (!this.#mails.delete(id)) return false;
    await rm(this.#file(id), { force: true });
    return true;
  }

  async clear(): Promise<void> {
    await inParts([...this.#mails.keys()], (id) => this.remove(id));
  }

  #file(id: string): string {
    return join(this.#folder, id + END);
  }

  async #summaries(ids: string[]): Promise<MailSummary[]> {
    return (await inParts(ids, (id) => this.#summary(id))).filter((summary) => summary !== null);
  }

  async #summary(id: string): Promise<MailSummary | null> {
    const known = this.#mails.get(id);
    if (!known || known.summary) return known?.summary ?? null;
    const mail = await this.read(id);
    if (!mail) return null;
    known.summary = {
      id, at: known.at.toISOString(), from: mail.from ? textOf(mail.from) : '', to: (mail.to ?? []).map(textOf),
      subject: mail.subject ?? '', attachments: mail.attachments.length,
    };
    return known.summary;
  }
}

const textOf = ({ name, address }: Address): string => (name && address ? `${name} <${address}>` : (address ?? name));

/** As `Promise.all`, without having more than so many files open. */
async function inParts<In, Out>(items: In[], map: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let at = 0; at < items.length; at += READ_AT_ONCE) results.push(...(await Promise.all(items.slice(at, at + READ_AT_ONCE).map(map))));
  return results;
}
