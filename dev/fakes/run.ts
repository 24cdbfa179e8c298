/**
 * `node dev/fakes/run.ts`: a text gateway, FCM and a push service on this machine, until Ctrl-C; prints what to give to
 * the API, which must be allowed to reach them (OUTBOUND_ALLOW=127.0.0.1/32, PUSH_HOSTS=127.0.0.1). With `--only`,
 * `--port`, `--log`, `--slow` and `--key`: one of them, as the fault tests run it.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startFcm } from './fcm.ts';
import { startGateway } from './gateway.ts';
import { startPushService } from './push-service.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    port: { type: 'string', default: '0' },
    log: { type: 'string' },
    /** It takes up to so many milliseconds before it accepts, and as long again before it answers. */
    slow: { type: 'string', default: '0' },
    /** A file with the key of FCM's service account (PEM). */
    key: { type: 'string' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const wants = (name: string): boolean => values.only === undefined || values.only === name;
const options = {
  port: Number(values.port),
  slowMs: Number(values.slow),
  ...(values.log === undefined ? {} : { logFile: values.log, remembers: false }),
};
if (wants('gateway')) {
  const gateway = await startGateway(options);
  say(`POST /channels/providers ${JSON.stringify(gateway.provider())}`);
}
if (wants('fcm')) {
  const fcm = await startFcm({
    ...options,
    ...(values.key === undefined ? {} : { privateKey: readFileSync(values.key, 'utf8') }),
  });
  // Not with its key in a log.
  if (values.key === undefined) say(`POST /channels/providers ${JSON.stringify(fcm.provider())}`);
}
if (wants('push')) {
  const service = await startPushService(options);
  say(`The endpoint of a device: ${service.endpointOf('{any name}')}`);
}
