import { createHash } from 'node:crypto';

interface CaughtMail {
  id: string;
  html?: string;
  subject: string;
  envelope?: { to?: ({ address: string } | string)[] };
  to?: { address: string }[];
}

/** The actions of the recipients, by address. */
export interface Deeds {
  opens: number;
  clicks: number;
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PAGE = 200;
const AT_ONCE = 10;

/** A hash of the words as a number in 0..1. */
export function chance(...words: string[]): number {
  return createHash('sha256').update(words.join('\n')).digest().readUInt32BE(0) / 2 ** 32;
}

const unescape = (attribute: string): string => attribute.replaceAll('&amp;', '&');

/**
 * Reads the mail catcher's emails as they arrive and acts like recipients on those of one campaign: some open, and some
 * of these click.
 */
export function createRecipients(options: {
  mailPage: string;
  seed: number;
  subjects: ReadonlyMap<string, string>;
  openRate: number;
  clickRate: number;
}) {
  const { mailPage, seed, subjects, openRate, clickRate } = options;
  const received = new Map<string, string[]>();
  const deeds = new Map<string, Deeds>();
  let read = 0;
  let twice = 0;

  const deedsOf = (address: string): Deeds =>
    deeds.get(address) ?? deeds.set(address, { opens: 0, clicks: 0 }).get(address)!;

  async function hit(url: string): Promise<number> {
    const response = await fetch(url, { redirect: 'manual', headers: { 'user-agent': BROWSER } });
    await response.arrayBuffer();
    return response.status;
  }

  async function act(mail: CaughtMail): Promise<void> {
    const step = subjects.get(mail.subject);
    if (!step) return;
    const address = (mail.to?.[0]?.address ?? '').toLowerCase();
    const steps = received.get(address) ?? received.set(address, []).get(address)!;
    if (steps.includes(step)) twice += 1;
    steps.push(step);
    const html = mail.html ?? '';
    if (chance(String(seed), address, step, 'open') >= openRate) return;
    const pixel = /<img[^>]+src="([^"]*\/emails\/tracking\/open\/[^"]+)"/.exec(html)?.[1];
    if (!pixel) throw new Error(`the mail to ${address} has no pixel`);
    if ((await hit(unescape(pixel))) === 200) deedsOf(address).opens += 1;
    if (chance(String(seed), address, step, 'click') >= clickRate) return;
    const link = /<a[^>]+href="([^"]*\/emails\/tracking\/click\/[^"]+)"/.exec(html)?.[1];
    if (!link) throw new Error(`the mail to ${address} has no tracked link`);
    if ((await hit(unescape(link))) === 302) deedsOf(address).clicks += 1;
  }

  return {
    /** Skips the emails that the catcher already has. */
    async begin(): Promise<void> {
      const summary = (await (await fetch(`${mailPage}/api/email/summary?limit=1`)).json()) as { storeTotal: number };
      read = summary.storeTotal;
    },
    /** Acts on new emails; returns their number. */
    async look(): Promise<number> {
      const page = (await (await fetch(`${mailPage}/api/email?skip=${read}&limit=${PAGE}`)).json()) as CaughtMail[];
      for (let at = 0; at < page.length; at += AT_ONCE) await Promise.all(page.slice(at, at + AT_ONCE).map(act));
      read += page.length;
      return page.length;
    },
    received,
    deeds,
    /** The number of emails that an address received more than once. */
    get twice(): number {
      return twice;
    },
    get mails(): number {
      return [...received.values()].reduce((sum, steps) => sum + steps.length, 0);
    },
  };
}
