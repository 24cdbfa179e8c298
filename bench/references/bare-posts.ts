/**
 * `node bench/references/bare-posts.ts {url} {posts} {connections} {body}`: posts a signed body by node:http alone.
 * Prints the seconds that it took, and the CPU seconds of this process.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import { hmacSigner, signedHeaders } from '../../domain/outbound/sign-webhook.ts';

const [url = '', posts = '0', connections = '1', body = ''] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(connections) });
const signers = [hmacSigner(randomBytes(32))];
const length = Buffer.byteLength(body);
let left = Number(posts);

const post = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const signed = signedHeaders(signers, { id: randomUUID(), at: new Date(), body });
    const headers = { 'content-type': 'application/json', 'content-length': length, ...signed };
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    request.on('error', reject);
    request.end(body);
  });

const begun = performance.now();
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (left > 0) {
      left -= 1;
      await post();
    }
  }),
);
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage();
process.stdout.write(`${seconds} ${(user + system) / 1e6}`);
agent.destroy();
