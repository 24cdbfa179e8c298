import { ANOTHER, BLOCKLISTS, FAMILIAR, ORDINARY, PHRASES, type Topic } from './failure-phrases.ts';

/**
 * Whose fault a failure is.
 * - `address`: nothing can be delivered to it any more.
 * - `mailbox`: it exists and takes nothing now: full, over its rate, disabled for a while.
 * - `content`: this message, with any provider: its size, its form, a virus.
 * - `restricted`: only this recipient refuses, by a rule of its own, its group or its organization.
 * - `account`: our account with the provider, its quota, relaying, authentication.
 * - `sender`: the sender's address.
 * - `policy`: a blocklist, a spam filter, SPF, DKIM, DMARC, our host's name, address or encryption, another rule.
 * - `temporary`: a network, a system, greylisting.
 * - `unclear`: nothing says.
 */
export type Verdict =
  'address' | 'mailbox' | 'content' | 'restricted' | 'account' | 'sender' | 'policy' | 'temporary' | 'unclear';

export interface Failure {
  verdict: Verdict;
  /** The enhanced code (RFC 3463) that says most, else the reply code (RFC 5321); null if there is none. */
  statusCode: string | null;
}

/** A failure of which nothing is known. */
export const UNKNOWN_FAILURE: Failure = { verdict: 'unclear', statusCode: null };

/** What is known of a failure. */
export interface Evidence {
  /** The status of a report (RFC 3464), or an enhanced code by itself. */
  status?: string | null | undefined;
  /** The reply code of the server, if known by itself; else it is looked for in the text. */
  reply?: number | null | undefined;
  /** The reply or the diagnostic. */
  text?: string | null | undefined;
}

const MAX_TEXT = 2_000;
const MAX_STATUS = 200;

/** What enhanced codes say (RFC 3463, RFC 7505, the IANA registry, and those that Exchange has added). */
const CODES: Readonly<Record<string, Verdict>> = {
  '5.1.1': 'address', // no such mailbox
  '5.1.2': 'address', // no such mail system
  '5.1.3': 'address', // not an address
  '5.1.4': 'address', // the address matches several mailboxes
  '5.1.6': 'address', // the mailbox has moved to an unknown address
  '5.1.7': 'sender',
  '5.1.8': 'sender',
  '5.1.10': 'address', // null MX, or not found in the directory
  '5.1.90': 'account', // the daily limit of recipients
  '5.2.1': 'address', // the mailbox is disabled
  '5.2.2': 'mailbox',
  '5.2.3': 'content', // too long for the mailbox
  '5.2.252': 'sender', // not allowed to send as this sender
  '5.2.121': 'mailbox', // the recipient's rate is exceeded
  '5.2.122': 'mailbox',
  '5.3.3': 'content', // the system is not capable of what the message needs
  '5.3.4': 'content', // too big for the system
  '5.4.4': 'address', // no host to deliver to
  '5.4.7': 'temporary', // the delivery time expired
  '5.4.310': 'address', // the domain does not exist
  '5.7.8': 'account', // credentials
  '5.7.60': 'sender', // not allowed to send as this sender
  '5.7.705': 'account', // the tenant has exceeded its limit
  '5.7.708': 'account',
};
/** The codes that say of themselves that there is no such mailbox, in whatever language the words are. */
const NO_SUCH_MAILBOX = new Set(['5.1.1', '5.1.10']);
/** Codes that are not listed, by their subject: the second number. */
const SUBJECTS: Readonly<Record<string, Verdict>> = { 3: 'temporary', 4: 'temporary', 6: 'content', 7: 'policy' };
/** `X.n.0` says no more than its subject; for these two not even that. */
const SAY_NOTHING = new Set(['5.3.0', '5.4.0']);

const TOPICS: Readonly<Record<Topic, Verdict>> = {
  suppressed: 'address',
  restricted: 'restricted',
  greylisted: 'temporary',
  rate: 'mailbox',
  filtered: 'policy',
  sender: 'sender',
  account: 'account',
  host: 'policy',
  content: 'content',
  mailbox: 'mailbox',
  unsure: 'temporary',
  closed: 'address',
  dead: 'address',
  policy: 'policy',
  blocked: 'policy',
  unavailable: 'address',
  network: 'temporary',
};

/** Exchange's codes for restricted recipients; their words speak of the sender. */
const RESTRICTED = /^5\.7\.1[23]\d$/;

/** A quoted name, or an identifier of a host or message. */
const NAME = /"[^"]{0,64}"|«[^«»]{0,64}»|[\w.-]{0,64}\d[\w.-]{0,64}/g;
/** Shorter ones say nothing, and endings of words are left over; Chinese and Japanese words are shorter. */
const OTHER_WORD = /\p{L}{3}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]{2}/u;

// Neither pattern matches a part of a number with more dots, such as an IP address, or of a version.
const ENHANCED = /(?<![\w.])([45]\.\d\.\d{1,3})(?!\.?\d|[a-z])/gi;
const REPLY = /(?:^|[^\d.\w])([45][0-5]\d)(?=[ -]\S|$)/;
/** The type of a diagnostic, then what stands before the end of its first clause. */
const FIRST_CLAUSE = /^(?:\s{0,9}(?:smtp|x-[\w-]{1,40})\s{0,9};)?((?:[^;(.,]|[.,](?!\s))*)/i;
/** A check that was not made says nothing. */
const SWITCHED_OFF =
  /\b(?:sender verif(?:y|ication)|gr[ae]y-?listing|spf|dkim|dmarc|call-?out|spam (?:check|filter)) (?:is |was )?(?:off|disabled|skipped|not (?:enabled|done))\b/g;
/** IronPort's wrapper around the reply that it got. */
const WRAPPED = /unknown address error (\d{3}-'.*')/is;

/** 0: `5.0.0`, and codes of Exchange such as `5.0.350`; 1: `5.1.0`; 2: `5.1.1`. */
const specificity = (code: string): number => (/^\d\.0\./.test(code) ? 0 : /\.0$/.test(code) ? 1 : 2);

/** The most specific code; of several, the last: wrappers put their own before the one that they got. */
function tellingCode(codes: readonly string[]): string | null {
  return codes.reduce<string | null>(
    (best, code) => (best === null || specificity(code) >= specificity(best) ? code : best),
    null,
  );
}

/** A text without addresses and without what follows the host of a link: their names are not said by the system. */
const withoutAddresses = (text: string): string =>
  text
    .replace(/<[^<>\s]{0,320}@[^<>\s]{0,320}>|[^\s@:;,()]{0,320}@[^\s:;,()]{0,320}/g, ' ')
    .replace(/(https?:\/\/[^\s/>]{1,255})\S*/gi, '$1 ');

/**
 * The words of a text without addresses: in lower case, Latin letters without accents; without codes, links and hosts,
 * whose names say nothing (`antispam.example`).
 */
function plainWords(text: string): string {
  return text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/https?:\/\/\S+/gi, ' ')
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, ' ipnumber ')
    .replace(/(?<![\w.])[45](?:\d\d[ -]?)?(?:[45]?\.\d\.\d{1,3})?(?![\w.])/g, ' ')
    .replace(/(?<![a-z0-9.-])[a-z0-9.-]+\.[a-z]{2,}\b/g, ' ')
    .normalize('NFD')
    .replace(/([a-z])[\u0300-\u036f]{1,9}/gi, '$1')
    .normalize('NFC')
    .replace(/[\u2018\u2019]/g, "'")
    .toLowerCase()
    .replace(SWITCHED_OFF, ' ')
    .replace(/\s+/g, ' ');
}

/** What the words of a text say. */
interface Said {
  topic: Topic | null;
  /** It has no words but the ordinary ones of a dead address. */
  isPlain: boolean;
  /** Its first clause is plain and says that the address is dead; what follows may be anything. */
  startsDead: boolean;
  /** It has other words, and none of a language that is known here. */
  isForeign: boolean;
  /** It names somebody else than the recipient. */
  namesAnother: boolean;
}

const isPlain = (words: string): boolean => !OTHER_WORD.test(words.replace(NAME, ' ').replace(ORDINARY, ' '));
const topicOf = (words: string): Topic | null => PHRASES.find(([, phrase]) => phrase.test(words))?.[0] ?? null;

function readText(text: string): Said {
  const said = withoutAddresses(text);
  const isListed = BLOCKLISTS.test(said);
  const words = plainWords(said);
  const first = plainWords(FIRST_CLAUSE.exec(said)![1]!);
  const plain = !isListed && isPlain(words);
  return {
    topic: isListed ? 'filtered' : topicOf(words),
    isPlain: plain,
    startsDead: !isListed && isPlain(first) && topicOf(first) === 'dead',
    isForeign: !plain && !FAMILIAR.test(words) && !(words.match(ORDINARY) ?? []).some((word) => OTHER_WORD.test(word)),
    namesAnother: ANOTHER.test(words),
  };
}

function verdictOf(words: Said, code: string | null, reply: string | null): Verdict {
  const { topic } = words;
  if (code !== null && RESTRICTED.test(code)) return 'restricted';
  // Exchange Online's reply for addresses that do not exist; its words alone would speak of a rule.
  if (code === '5.4.1' && (topic === 'blocked' || topic === 'restricted'))
    return words.namesAnother ? 'policy' : 'address';
  const said = topic && TOPICS[topic];
  if ((code ?? reply ?? '5').startsWith('4')) {
    if (code === '4.2.2') return 'mailbox';
    return said && said !== 'address' && topic !== 'blocked' && topic !== 'host' ? said : 'temporary';
  }
  const coded = byCode(code, reply);
  if (coded === 'address') return besideAddressCode(words, said, code!);
  if (said !== 'address' || topic === 'suppressed') return said ?? coded;
  // Words that could be about anyone: a code that names another cause is more exact.
  if (code !== null && CODES[code]) return coded;
  if ((topic === 'unavailable' || topic === 'closed') && reply === '552') return 'mailbox';
  return words.isPlain && topic !== 'closed' ? 'address' : 'unclear';
}

/** What is said of us beside a clause that says that the address is dead. */
const BESIDE_DEAD: ReadonlySet<Topic | null> = new Set(['account', 'host', 'policy', 'blocked']);

/** A code for a dead address counts if the words say the same or nothing. */
function besideAddressCode(words: Said, said: Verdict | null, code: string): Verdict {
  if (words.startsDead && BESIDE_DEAD.has(words.topic)) return 'address';
  if (said !== null && said !== 'address') return said;
  if (words.topic === 'suppressed') return 'address';
  if (words.namesAnother) return words.startsDead ? 'address' : 'unclear';
  // An account without a word of whose it is may be the sender's, so other words make that doubtful.
  if (said !== null && words.topic !== 'closed') return 'address';
  // Most replies with these codes say "no such user", so they are believed in a language that is not known here.
  return words.isPlain || (words.isForeign && NO_SUCH_MAILBOX.has(code)) ? 'address' : 'unclear';
}

function byCode(code: string | null, reply: string | null): Verdict {
  if (code !== null && !SAY_NOTHING.has(code))
    return CODES[code] ?? (specificity(code) === 0 ? byReply(reply) : (SUBJECTS[code[2]!] ?? 'unclear'));
  return byReply(reply);
}

/** 552: the mailbox's storage is exceeded (RFC 5321, section 4.2.3). The others say nothing by themselves. */
const byReply = (reply: string | null): Verdict => (reply === '552' ? 'mailbox' : 'unclear');

/**
 * Judges a failure by its words, then by its codes. Used for replies of SMTP servers, delivery reports and webhooks.
 * Null if there is neither a code nor a known phrase.
 */
export function judgeFailure({ status, reply, text }: Evidence): Failure | null {
  const bounded = (text ?? '').slice(0, MAX_TEXT);
  const wrapped = WRAPPED.exec(bounded)?.[1];
  const said = wrapped ?? bounded;
  const codes = [
    ...(wrapped ? '' : (status ?? '').slice(0, MAX_STATUS)).matchAll(ENHANCED),
    ...said.matchAll(ENHANCED),
  ].map(([, code]) => code!);
  const code = tellingCode(codes);
  const replied = reply ? String(reply) : (REPLY.exec(said)?.[1] ?? null);
  const about = readText(said);
  if (code === null && replied === null && about.topic === null) return null;
  return { verdict: verdictOf(about, code, replied), statusCode: code ?? replied };
}
