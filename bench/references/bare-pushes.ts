/**
 * `node bench/references/bare-pushes.ts {origin} {pushes} {connections} {payload}`: encrypts, signs and posts pushes to
 * different browsers by `web-push`'s `generateRequestDetails` and node:http. Prints the seconds that it took, and the CPU
 * seconds of this process.
 */
import http from 'node:http';
import webPush from 'web-push';
import { makeDevice } from '../../dev/fakes/device.ts';

const [origin = '', pushes = '0', connections = '1', payload = ''] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(connections) });
const vapidDetails = { subject: 'mailto:bench@example.com', ...webPush.generateVAPIDKeys() };
const { keys } = makeDevice(origin).subscription;
let sent = 0;

const push = (n: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const subscription = { endpoint: `${origin}/push/${n}`, keys };
    const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, payload, { vapidDetails });
    const request = http.request(endpoint, { method: 'POST', agent, headers: { ...headers } }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    request.on('error', reject);
    request.end(body);
  });

const begun = performance.now();
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (sent < Number(pushes)) await push((sent += 1));
  }),
);
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage();
process.stdout.write(`${seconds} ${(user + system) / 1e6}`);
agent.destroy();
