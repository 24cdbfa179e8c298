import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { reportPush } from '../fakes/device.ts';
import type { AcceptedFcmPush } from '../fakes/fcm.ts';
import { ACCOUNT, reportText, type AcceptedText, type TextStatus } from '../fakes/gateway.ts';
import type { AcceptedPush } from '../fakes/push-service.ts';
import type { Recipients } from './channels-recipients.ts';
import type { FakeName } from './fake-places.ts';

export type Logs = Record<FakeName, string>;

const AT_ONCE = 16;
const TWICE = 0.1;
const BACKWARDS = 0.1;
const UNDELIVERED = 0.05;
/** An unreachable number, which says nothing about the next text. */
const UNREACHABLE = 30003;
const BROWSER = 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/145.0.0.0 Mobile Safari/537.36';

type Report = () => Promise<Response>;

/** What a log says; none if nothing was accepted. */
export async function* entries<Entry>(log: string): AsyncGenerator<Entry> {
  for await (const line of createInterface({ input: createReadStream(log) })) yield JSON.parse(line) as Entry;
}

/**
 * Reports what became of all that was accepted: the gateway calls back, browsers say what they showed, and the links of
 * pushes to apps are followed. Some reports come twice, some backwards. Returns the status that each must have now, by
 * number, device or registration token.
 */
export async function reportAll({
  url,
  logs,
  recipients,
  random,
  say,
}: {
  url: string;
  logs: Logs;
  recipients: Recipients;
  random: () => number;
  say: (line: string) => void;
}): Promise<Map<string, string>> {
  const expected = new Map<string, string>();
  const jobs: Report[][] = [];
  const add = (key: string, status: string, reports: Report[]): void => {
    expected.set(key, status);
    const ordered = random() < BACKWARDS ? reports.toReversed() : reports;
    jobs.push(random() < TWICE ? [...ordered, ...ordered] : ordered);
  };
  for await (const text of entries<AcceptedText>(logs.gateway)) {
    const isDelivered = random() >= UNDELIVERED;
    const told: TextStatus[] = ['queued', 'sent', isDelivered ? 'delivered' : 'undelivered'];
    const report = (status: TextStatus): Report => {
      const code = status === 'undelivered' ? UNREACHABLE : undefined;
      return () => reportText(ACCOUNT, text, status, code);
    };
    add(text.to, isDelivered ? 'DELIVERED' : 'UNDELIVERED', told.map(report));
  }
  const follow =
    (link: string): Report =>
    () =>
      fetch(link, { redirect: 'manual', headers: { 'user-agent': BROWSER } });
  // An API that takes no reports of devices still learns of clicks.
  const takesReports = (await reportPush(`${url}/api/v1`, 'none', 'shown')).status !== 404;
  if (!takesReports) say('there is nothing that devices could report to: links of pushes are followed instead');
  for await (const { device, body } of entries<AcceptedPush>(logs.push)) {
    const push = recipients.keysOf(device).open(Buffer.from(body, 'base64')) as { token: string; url: string };
    if (!takesReports) {
      add(device, 'SENT', [follow(push.url)]);
      continue;
    }
    const { token } = push;
    const did = (['shown', 'clicked', 'closed'] as const).slice(0, 1 + Math.floor(random() * 3));
    add(
      device,
      'DELIVERED',
      did.map((type) => () => reportPush(`${url}/api/v1`, token, type)),
    );
  }
  for await (const { token, message } of entries<AcceptedFcmPush>(logs.fcm)) {
    add(token, 'SENT', [follow(message.data!['url']!)]);
  }
  let [next, sent] = [0, 0];
  const work = async (): Promise<void> => {
    for (let job = jobs[next++]; job; job = jobs[next++])
      for (const report of job) {
        await untilTaken(report);
        sent += 1;
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  say(`${sent} reports about ${expected.size} accepted messages were taken`);
  return expected;
}

/** A report is repeated while the service is overloaded, as those who report do. */
async function untilTaken(report: Report): Promise<void> {
  for (;;) {
    const answer = await report();
    await answer.text();
    if (answer.status < 400) return;
    if (answer.status !== 503) throw new Error(`a report was answered with ${answer.status}`);
    await delay(200);
  }
}
