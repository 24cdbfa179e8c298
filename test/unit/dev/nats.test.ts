import assert from 'node:assert/strict';
import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { connect } from 'nats';
import { localAccounts, natsUrl, startNats } from '../../../dev/stack/nats.ts';
import { natsConfig } from '../../../dev/stack/nats-config.ts';
import { freePorts } from '../../../dev/stack/ports.ts';
import { tempDir } from './temp-dir.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

const secrets = {
  JWT_SECRET: '',
  LINK_SECRET: '',
  NATS_PASSWORD: 'service-secret',
  NATS_LISTENER_PASSWORD: 'listener-secret',
};
const log = (): void => {};

async function withStream<T>(
  port: number,
  run: (jsm: Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['jetstreamManager']>>) => Promise<T>,
): Promise<T> {
  const { host, username: user, password: pass } = new URL(natsUrl(port, 'perennial', secrets.NATS_PASSWORD));
  const connection = await connect({ servers: host, user, pass });
  try {
    return await run(await connection.jetstreamManager());
  } finally {
    await connection.close();
  }
}

test("what was kept before there were accounts is the service's afterwards", async () => {
  const dataDir = tempDir();
  const [port = 0] = await freePorts(1);
  const start = async (account: string) => {
    const accounts = localAccounts(secrets, true);
    const service = await startNats({
      dataDir,
      port,
      accounts: [{ ...accounts, service: { ...accounts.service, account } }],
      log,
    });
    onTestFinished(() => service.stop());
    return service;
  };
  const before = await start('OLD');
  await withStream(port, (jsm) => jsm.streams.add({ name: 'KEPT', subjects: ['kept'] }));
  await before.stop();
  const folder = join(dataDir, 'nats', 'jetstream', 'jetstream');
  renameSync(join(folder, 'OLD'), join(folder, '$G'));
  await start('PERENNIAL');
  assert.equal((await withStream(port, (jsm) => jsm.streams.info('KEPT'))).config.name, 'KEPT');
  assert.ok(!existsSync(join(folder, '$G')));
  assert.equal(statSync(join(dataDir, 'nats', 'nats.conf')).mode & 0o777, 0o600);
});

test('with many tenants listeners are not even led to the requests for mail', () => {
  const config = (listenersSend: boolean) =>
    natsConfig({ port: 1, storeDir: '/x', accounts: [localAccounts(secrets, listenersSend)] });
  assert.equal(config(true).match(/email\.send\.requests/g)?.length, 4);
  assert.ok(!config(false).includes('email.send.requests'));
});
