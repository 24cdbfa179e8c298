import { setTimeout as delay } from 'node:timers/promises';
import { at } from '../support/load.ts';
import type { Started } from './started.ts';

const IDLE_MS = 10_000;
/** The pause after each round of requests. */
const PAUSE_MS = 100;

/** Response times (ms) by request. */
type Times = Map<string, number[]>;

/** Requests a page of contacts, a contact and a search, one after the other, until `work` is over. */
async function timesDuring({ url, token }: Started, contactId: number, work: Promise<unknown>): Promise<Times> {
  const times: Times = new Map();
  let isOver = false;
  const ended = work.finally(() => (isOver = true));
  const paths = ['/contacts?limit=50', `/contacts/${contactId}`, '/contacts/search?q=family7'];
  while (!isOver) {
    for (const path of paths) {
      const begun = performance.now();
      const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
      times.set(path, [...(times.get(path) ?? []), performance.now() - begun]);
    }
    await delay(PAUSE_MS);
  }
  await ended;
  return times;
}

/**
 * Runs `work`, and prints the API's response times during it beside those of an idle service. The idle ones are measured
 * afterwards, so that the tables are not smaller.
 */
export async function withProbe(started: Started, work: () => Promise<void>): Promise<void> {
  const { data } = await started.client.call('GET', '/contacts?limit=1');
  const contactId = data[0].id as number;
  await timesDuring(started, contactId, delay(1_000));
  const busy = await timesDuring(started, contactId, work());
  const idle = await timesDuring(started, contactId, delay(IDLE_MS));
  for (const [path, all] of busy) {
    const p95 = (values: number[]): number =>
      at(
        values.sort((a, b) => a - b),
        0.95,
      );
    const [during, after] = [p95(all), p95(idle.get(path)!)];
    console.log(
      `  GET ${path}: p95 ${during.toFixed(1)} ms meanwhile, ${after.toFixed(1)} ms idle (${(during / after).toFixed(1)} times, ${all.length} requests)`,
    );
  }
}
