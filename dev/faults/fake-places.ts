import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fcmProvider, makeFcmKey } from '../fakes/fcm.ts';
import { gatewayProvider } from '../fakes/gateway.ts';
import { freePorts } from '../stack/ports.ts';

export const FAKES = ['gateway', 'fcm', 'push'] as const;
export type FakeName = (typeof FAKES)[number];

/** Where a fake is, so that it is there again after it was killed. */
export interface FakePlace {
  url: string;
  /** Its log: a line for each thing that it has accepted. */
  log: string;
  /** What to give to `POST /channels/providers`; null for a push service. */
  provider: object | null;
  /** How to start it. */
  args: string[];
}

/** Chooses ports, logs and keys of the fakes. */
export async function makeFakePlaces(dir: string): Promise<Record<FakeName, FakePlace>> {
  const ports = await freePorts(FAKES.length);
  const key = makeFcmKey();
  const keyFile = join(dir, 'fcm.pem');
  await writeFile(keyFile, key, { mode: 0o600 });
  const place = (name: FakeName, provider: (url: string) => object | null, more: string[] = []): FakePlace => {
    const port = ports[FAKES.indexOf(name)]!;
    const url = `http://127.0.0.1:${port}`;
    const log = join(dir, `${name}.log`);
    return {
      ...{ url, log, provider: provider(url) },
      args: ['--only', name, '--port', String(port), '--log', log, ...more],
    };
  };
  return {
    gateway: place('gateway', gatewayProvider),
    fcm: place('fcm', (url) => fcmProvider(url, key), ['--key', keyFile]),
    push: place('push', () => null),
  };
}
