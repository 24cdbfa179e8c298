import type { Client } from '../demo/client.ts';
import { pause } from '../process.ts';
import type { AcceptedFcmPush } from '../fakes/fcm.ts';
import type { AcceptedText } from '../fakes/gateway.ts';
import type { AcceptedPush } from '../fakes/push-service.ts';
import type { Queued } from './channels-queue.ts';
import type { Recipients } from './channels-recipients.ts';
import { entries, type Logs } from './channels-reports.ts';

const STALLED_MS = 60_000;
const ENDED = ['SENT', 'UNKNOWN', 'DELIVERED', 'UNDELIVERED'];
/** The first in this list is the status of a push that was sent to several devices. */
const BEST = ['DELIVERED', 'SENT', 'UNKNOWN', 'SENDING', 'QUEUED', 'UNDELIVERED', 'FAILED', 'SUPPRESSED'];

interface Message {
  id: number;
  channel: string;
  status: string;
  contactId: number | null;
  to: string | null;
  devices: { subscriptionId: number; status: string }[];
}

/** What was sent to one number or device. */
interface Send {
  key: string;
  status: string;
}

export interface Given {
  client: Client;
  queued: Queued;
  recipients: Recipients;
  logs: Logs;
  say: (line: string) => void;
}

/**
 * Checks what was sent, using only the logs of those who took it and the API. `inDoubt`: how many were on their way at
 * kills, at most.
 */
export async function checkSent(given: Given, inDoubt: number, crashes: number): Promise<boolean> {
  const { client, queued, recipients } = given;
  const messages = await readAll(client);
  const [texts, pushes] = ['sms', 'push'].map((channel) => messages.filter((one) => one.channel === channel)) as [
    Message[],
    Message[],
  ];
  const sends = sendsOf(messages, recipients);
  const times = await acceptedTimes(given.logs);
  const had = ({ key }: Send): number => times.get(key) ?? 0;
  const of = (status: string): Send[] => sends.filter((one) => one.status === status);
  const amount = (what: readonly unknown[]): number => what.length;
  const keys = new Set(sends.map(({ key }) => key));
  const unasked = [...times.keys()].filter((key) => !keys.has(key));
  return tell(given.say, [
    ['processes that ended without being killed', crashes, crashes === 0],
    ['texts in the ledger', amount(texts), isSame(texts, (one) => one.to, queued.texts)],
    ['pushes in the ledger', amount(pushes), isSame(pushes, (one) => one.contactId, queued.pushes)],
    ['numbers and devices', amount(sends), amount(sends) === queued.texts.size + recipients.devices.size],
    ['SENT', amount(of('SENT')), amount(of('SENT')) + amount(of('UNKNOWN')) === amount(sends)],
    ['UNKNOWN', amount(of('UNKNOWN')), amount(of('UNKNOWN')) <= inDoubt],
    ['of these accepted', amount(of('UNKNOWN').filter(had)), true],
    ['SENT but not accepted once', ...none(of('SENT').filter((one) => had(one) !== 1))],
    ['accepted more than once', ...none([...times.values()].filter((n) => n > 1))],
    ['accepted, but asked by nobody', ...none(unasked)],
    ['pushes without the best status of their devices', ...none(pushes.filter((one) => !isBest(one)))],
  ]);
}

/** Checks what became of what was accepted, after it was reported: `expected`, by number, device or token. */
export async function checkReported(given: Given, expected: ReadonlyMap<string, string>): Promise<boolean> {
  const look = async () => {
    const sends = sendsOf(await readAll(given.client), given.recipients);
    return { sends, wrong: sends.filter(({ key, status }) => status !== (expected.get(key) ?? 'UNKNOWN')) };
  };
  let { sends, wrong } = await look();
  // Clicks are judged later than they come.
  for (let last = wrong.length, since = Date.now(); wrong.length > 0 && Date.now() - since < STALLED_MS;) {
    await pause(2000);
    ({ sends, wrong } = await look());
    if (wrong.length !== last) [last, since] = [wrong.length, Date.now()];
  }
  const of = (status: string): Send[] => sends.filter((one) => one.status === status);
  for (const { key, status } of wrong.slice(0, 10))
    given.say(`! ${key} is ${status}, must be ${expected.get(key) ?? 'UNKNOWN'}`);
  return tell(given.say, [
    ...ENDED.map((status): Verdict => [status, of(status).length, true]),
    ['UNKNOWN but accepted', ...none(of('UNKNOWN').filter(({ key }) => expected.has(key)))],
    ['not what was reported', ...none(wrong)],
  ]);
}

type Verdict = [what: string, n: number, holds: boolean];
const none = (found: readonly unknown[]): [number, boolean] => [found.length, found.length === 0];

function tell(say: Given['say'], verdicts: readonly Verdict[]): boolean {
  for (const [what, n, holds] of verdicts) say(`${holds ? '  ' : '! '}${what}: ${n}`);
  return verdicts.every(([, , holds]) => holds);
}

/** All messages of the ledger. */
async function readAll(client: Client): Promise<Message[]> {
  const found: Message[] = [];
  for (let cursor: string | null = null; ;) {
    const { data, page } = (await client.call(
      'GET',
      `/channels/messages?limit=200${cursor ? `&cursor=${cursor}` : ''}`,
    )) as { data: Message[]; page: { nextCursor: string | null } };
    found.push(...data);
    cursor = page.nextCursor;
    if (!cursor) return found;
  }
}

const sendsOf = (messages: readonly Message[], { devices }: Recipients): Send[] =>
  messages.flatMap(({ channel, to, status, devices: its }) =>
    channel === 'sms'
      ? [{ key: to!, status }]
      : its.map((one) => ({ key: devices.get(one.subscriptionId)!, status: one.status })),
  );

/** Whether these are the messages that the API promised, each once. */
function isSame<Key>(
  messages: readonly Message[],
  keyOf: (one: Message) => Key | null,
  asked: ReadonlyMap<Key, number>,
) {
  const ids = new Map(messages.map((one) => [keyOf(one), one.id]));
  return messages.length === asked.size && [...asked].every(([key, id]) => ids.get(key) === id);
}

const isBest = ({ status, devices }: Message): boolean =>
  status === BEST.find((best) => devices.some((device) => device.status === best));

/** How often something was accepted, by number, device or registration token. */
async function acceptedTimes(logs: Logs): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const count = (key: string): void => void times.set(key, (times.get(key) ?? 0) + 1);
  for await (const { to } of entries<AcceptedText>(logs.gateway)) count(to);
  for await (const { device } of entries<AcceptedPush>(logs.push)) count(device);
  for await (const { token } of entries<AcceptedFcmPush>(logs.fcm)) count(token);
  return times;
}
