import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StorageType } from 'nats';
import { test } from '@jest/globals';
import { keepRunning } from '../../../dev/supervise.ts';
import { hasBrokenStream, localAccounts, natsUrl, startNats } from '../../../dev/stack/nats.ts';
import { freePorts } from '../../../dev/stack/ports.ts';
import { connectNats, isUnanswered } from '../../../transport/nats.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { until } from '../../support/until.ts';

const run = promisify(execFile);

test('a stream that a full disk has broken takes messages again when there is room, and has all that it took', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'perennial', dataDir]);
  const accounts = [
    localAccounts({ JWT_SECRET: '', LINK_SECRET: '', NATS_PASSWORD: 'a', NATS_LISTENER_PASSWORD: 'b' }, true),
  ];
  const [port = 0] = await freePorts(1);
  const lines: string[] = [];
  const supervised = await keepRunning({
    name: 'NATS',
    start: () => startNats({ dataDir, port, accounts, log: () => {} }),
    log: (line) => lines.push(line),
    isBroken: (service) => hasBrokenStream(service, dataDir),
  });
  const nats = await connectNats(natsUrl(port, 'perennial', 'a'), 'test');
  onTestFinished(async () => {
    await nats.connection.close();
    await supervised.stop();
    await run('umount', [dataDir]);
    await rm(dataDir, { recursive: true });
  });
  const filler = join(dataDir, 'filler');
  await writeFile(filler, Buffer.alloc(16 * 1024 ** 2));
  await nats.jsm.streams.add({ name: 'FILES', subjects: ['files'], storage: StorageType.File });
  let stored = 0;
  const publish = () =>
    nats.js.publish('files', new Uint8Array(512 * 1024)).then(
      () => (stored += 1),
      (error: unknown) => {
        assert.ok(isUnanswered(error), String(error));
        return 0;
      },
    );
  while ((await publish()) > 0) assert.ok(stored < 32);
  assert.ok(stored > 0);
  await rm(filler);
  await until('it takes messages again', async () => (await publish()) > 0, 120_000);
  assert.match(lines[0]!, /^NATS runs, but does not work: stopping it, see /);
  const { state } = await nats.jsm.streams.info('FILES');
  assert.ok(state.messages >= stored, `${state.messages} of ${stored}`);
});
