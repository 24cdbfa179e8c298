import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from '@jest/globals';
import { assertFree, freePorts, portOpens } from '../../../dev/stack/ports.ts';

const use = (port: number, setting = 'NATS_PORT') => ({ port, what: 'NATS', setting });

test('a busy port is one line that names the setting, whichever address holds it', async () => {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [free = 0] = await freePorts(1);
    const message = `Port ${port} for NATS is in use: free it, or set NATS_PORT to another port.`;
    await assert.rejects(assertFree([use(free), use(port)]), { message });
    server.close();
    await once(server, 'close');
    await assertFree([use(port)]);
  }
});

test('two parts on one port are a conflict of settings', async () => {
  const [port = 0] = await freePorts(1);
  await assert.rejects(assertFree([use(port), use(port, 'SMTP_PORT')]), /is set for both .*: change SMTP_PORT/);
});

test('free ports are distinct and closed', async () => {
  const ports = await freePorts(20);
  assert.equal(new Set(ports).size, 20);
  await assert.rejects(portOpens(ports[0] as number), { code: 'ECONNREFUSED' });
});
