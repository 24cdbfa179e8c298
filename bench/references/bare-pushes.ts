/**
 * `node bench/references/bare-pushes.ts {origin} {pushes} {connections} {payload}`: encrypts, signs and posts pushes to
 * different browsers by `web-push`'s `generateRequestDetails` and node:http. Prints the seconds that it took, and the CPU
 * seconds of this process.
 */
import webPush from 'web-push';
import { makeDevice } from '../../dev/fakes/device.ts';
import { postAll } from './post-all.ts';

const [origin = '', pushes = '0', connections = '1', payload = ''] = process.argv.slice(2);
const vapidDetails = { subject: 'mailto:bench@example.com', ...webPush.generateVAPIDKeys() };
const { keys } = makeDevice(origin).subscription;

await postAll(Number(pushes), Number(connections), (n) => {
  const subscription = { endpoint: `${origin}/push/${n}`, keys };
  const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, payload, { vapidDetails });
  return { url: endpoint, headers: { ...headers }, body: body };
});
