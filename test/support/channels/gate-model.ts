import type { Channel, ChannelCap } from '../../../db/entities/channels.ts';

const SECOND = 1000;
const QUARTER = 15 * 60 * SECOND;
const HOUR = 4 * QUARTER;
const DAY = 24 * HOUR;
/** A text or push that nobody accepts is tried for this long. */
const EXPIRES = 72 * HOUR;
/** What arrives within this time competes. */
const GATHER = SECOND;
/** The time zones of a Spanish number. */
const ZONES_OF_NUMBER = ['Africa/Ceuta', 'Atlantic/Canary', 'Europe/Madrid'];

/** All begin and end at quarters of an hour. */
interface Span {
  from: string;
  to: string;
  timezone: string;
}
export type Window = Span & { days?: number[] };

/** A tenant's rules, and a person's quiet hours. */
export interface Rules {
  caps: readonly ChannelCap[];
  sendWindows: Record<Channel, Window | null>;
  timezone: string;
  maxHoldHours: number;
  quietHours: Span | null;
}

export interface Arrival {
  channel: Channel;
  priority: number;
  category: 'marketing' | 'transactional';
}

/** An email, a text, or one device of a push. */
export interface Part {
  status: 'QUEUED' | 'SENDING' | 'SENT' | 'SUPPRESSED' | 'FAILED';
  reason: string | null;
  due: number;
  /** It waits for its hours, not for another attempt. */
  isHeld: boolean;
  sentAt: number | null;
}

/** The best of its parts is what became of a message; the first in this list is the best. */
const BEST: readonly Part['status'][] = ['SENT', 'SENDING', 'QUEUED', 'FAILED', 'SUPPRESSED'];
const statusOf = ({ parts }: Item) => BEST.find((status) => parts.some((part) => part.status === status));

/** What a provider answers. QUEUED: it is asked again, at this time. */
export type Settled = { result: 'SENT' } | { result: 'FAILED' } | { result: 'QUEUED'; due: number };

export interface Item extends Arrival {
  key: string;
  at: number;
  /** Among its own ledger. */
  order: number;
  startedAt: number | null;
  parts: Part[];
}

const clocks = new Map<string, Intl.DateTimeFormat>();
function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (!clock) {
    const options = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone } as const;
    clocks.set(timeZone, (clock = new Intl.DateTimeFormat('en-GB', options)));
  }
  return clock;
}
/** HH:MM and the weekday (1 = Monday) on the wall there. */
function onTheWall(moment: number, zone: string): [string, number] {
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  );
  const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(parts['weekday']!) + 1;
  return [`${parts['hour']}:${parts['minute']}`, weekday];
}

function isInWindow({ from, to, days }: Window, zone: string, moment: number): boolean {
  const [time, weekday] = onTheWall(moment, zone);
  return from <= time && time < to && (!days || days.includes(weekday));
}
function isQuiet({ from, to, timezone }: Span, moment: number): boolean {
  const [time] = onTheWall(moment, timezone);
  return from < to ? from <= time && time < to : from <= time || time < to;
}

/** The first moment from `now` to `until` when it holds; it changes at quarters of an hour only. */
function firstMoment(now: number, until: number, holds: (moment: number) => boolean): number | null {
  for (let at = now; at <= until; at = Math.floor(at / QUARTER) * QUARTER + QUARTER) if (holds(at)) return at;
  return null;
}

/** Since when it has not held until `now`, at most since `from`. */
function closedSince(now: number, from: number, holds: (moment: number) => boolean): number {
  let at = now;
  while (at > from && !holds(at - 1)) at = Math.floor((at - 1) / QUARTER) * QUARTER;
  return Math.max(at, from);
}

/**
 * What the one gate says about the messages of one person whose number and devices may be written to, computed as the
 * rules are told: one message after another, quarter of an hour by quarter of an hour.
 */
export class GateModel {
  readonly items: Item[] = [];
  rules: Rules;
  now: number;
  /** Of the person; null if unknown. */
  readonly #timezone: string | null;
  readonly #devices: number;

  constructor(rules: Rules, person: { timezone: string | null; devices: number }, now: number) {
    this.rules = rules;
    this.now = now;
    this.#timezone = person.timezone;
    this.#devices = person.devices;
  }

  arrive(key: string, arrival: Arrival): void {
    const parts = Array.from({ length: arrival.channel === 'push' ? this.#devices : 1 }, (): Part => ({
      status: 'QUEUED',
      reason: null,
      due: this.now,
      isHeld: false,
      sentAt: null,
    }));
    this.items.push({ ...arrival, key, at: this.now, order: this.items.length, startedAt: null, parts });
  }

  /** Other hours make what they held due. */
  change(rules: Rules): void {
    const hoursOf = ({ sendWindows, timezone, maxHoldHours, quietHours }: Rules) =>
      JSON.stringify([sendWindows, timezone, maxHoldHours, quietHours]);
    if (hoursOf(rules) !== hoursOf(this.rules))
      for (const part of this.items.flatMap(({ parts }) => parts))
        if (part.isHeld) part.due = Math.min(part.due, this.now);
    this.rules = rules;
  }

  /** Starts these at once: each sees the others as they were before. */
  start(starting: readonly { key: string; part: number }[]): void {
    const judged = starting.map(({ key, part }) => {
      const item = this.items.find((one) => one.key === key)!;
      return { item, part: item.parts[part]!, verdict: this.#judge(item) };
    });
    for (const { item, part, verdict } of judged) {
      Object.assign(part, { isHeld: false }, verdict);
      if (part.status === 'SENDING') item.startedAt ??= this.now;
    }
  }

  /** The provider of a part of a text or push answers. */
  settle({ key, part }: { key: string; part: number }, settled: Settled): void {
    const item = this.items.find((one) => one.key === key)!;
    const ended: Partial<Part> =
      settled.result === 'SENT'
        ? { status: 'SENT', sentAt: this.now }
        : settled.result === 'FAILED'
          ? { status: 'FAILED', reason: 'rejected' }
          : // It is asked again for some days only.
            item.startedAt! + EXPIRES < this.now
            ? { status: 'FAILED', reason: 'expired' }
            : { status: 'QUEUED', due: settled.due };
    Object.assign(item.parts[part]!, ended);
  }

  #judge(item: Item): Partial<Part> {
    const goes: Partial<Part> = this.#isTooOld(item) ? { status: 'FAILED', reason: 'expired' } : { status: 'SENDING' };
    if (item.category === 'transactional') return goes;
    // What is held too long expires; what finds its hours open goes, however long nobody started it.
    const isOpen = this.#isOpen(item.channel);
    const heldUntil = closedSince(this.now, item.at, isOpen) + this.rules.maxHoldHours * HOUR;
    const opens = isOpen(this.now) ? this.now : firstMoment(this.now, heldUntil, isOpen);
    if (opens === null) return { status: 'SUPPRESSED', reason: 'expired' };
    if (opens > this.now) return this.#isTooOld(item) ? goes : { due: opens, isHeld: true };
    if (item.startedAt !== null) return goes;
    const counts = this.rules.caps
      .filter(({ channels }) => channels.includes(item.channel))
      .map((cap) => {
        const taken = this.items.filter((other) => other !== item && this.#takesSlot(other, item, cap));
        // A slot that a higher priority took while this one was waiting.
        const higher = taken.filter(
          ({ priority, startedAt }) => priority > item.priority && (startedAt === null || startedAt > item.at),
        );
        return { isFull: taken.length >= cap.max, isFullOfOthers: taken.length - higher.length >= cap.max };
      });
    if (counts.some(({ isFullOfOthers }) => isFullOfOthers)) return { status: 'SUPPRESSED', reason: 'frequency_cap' };
    if (counts.some(({ isFull }) => isFull)) return { status: 'SUPPRESSED', reason: 'outranked' };
    return goes;
  }

  #isTooOld({ channel, category, at, startedAt }: Item): boolean {
    const isHeld = category === 'marketing';
    const until = (startedAt ?? at) + EXPIRES + (isHeld ? this.rules.maxHoldHours * HOUR : 0);
    return channel !== 'email' && until < this.now;
  }

  /** What was sent within the days, what was started and is not sent, and what is due and comes before it. */
  #takesSlot(other: Item, item: Item, { channels, perDays }: ChannelCap): boolean {
    if (other.category === 'transactional' || !channels.includes(other.channel)) return false;
    const since = this.now - perDays * DAY;
    // No mail server answers here.
    if (other.channel === 'email' && other.startedAt !== null) return other.startedAt > since;
    if (other.startedAt !== null) {
      const status = statusOf(other);
      if (status !== 'SENT') return status === 'SENDING' || status === 'QUEUED';
      return Math.min(...other.parts.flatMap(({ sentAt }) => sentAt ?? [])) > since;
    }
    const isDue = other.parts.some(({ status, due }) => status === 'QUEUED' && due <= this.now + GATHER);
    return isDue && comesBefore(other, item);
  }

  #isOpen(channel: Channel): (moment: number) => boolean {
    const { quietHours, sendWindows } = this.rules;
    const window = sendWindows[channel];
    const zones = window ? this.#zonesOf(channel, window) : [];
    return (moment) =>
      zones.every((zone) => isInWindow(window!, zone, moment)) && !(quietHours && isQuiet(quietHours, moment));
  }

  #zonesOf(channel: Channel, window: Window): string[] {
    if (window.timezone !== 'contact') return [window.timezone];
    if (this.#timezone !== null) return [this.#timezone];
    const areAll = (moment: number) => ZONES_OF_NUMBER.every((zone) => isInWindow(window, zone, moment));
    const hasCommon = channel === 'sms' && firstMoment(this.now, this.now + 14 * DAY, areAll) !== null;
    return hasCommon ? ZONES_OF_NUMBER : [this.rules.timezone];
  }
}

/** The higher priority, then what was queued first; of the same moment, emails. */
function comesBefore(one: Item, other: Item): boolean {
  if (one.priority !== other.priority) return one.priority > other.priority;
  if (one.at !== other.at) return one.at < other.at;
  const isEmail = ({ channel }: Item) => channel === 'email';
  return isEmail(one) === isEmail(other) ? one.order < other.order : isEmail(one);
}
