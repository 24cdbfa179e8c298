/**
 * `node bench/references/bare-posts.ts {url} {posts} {connections} {body}`: posts a signed body by node:http alone.
 * Prints the seconds that it took, and the CPU seconds of this process.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { hmacSigner, signedHeaders } from '../../domain/outbound/sign-webhook.ts';
import { postAll } from './post-all.ts';

const [url = '', posts = '0', connections = '1', body = ''] = process.argv.slice(2);
const signers = [hmacSigner(randomBytes(32))];
const length = Buffer.byteLength(body);

await postAll(Number(posts), Number(connections), () => {
  const signed = signedHeaders(signers, { id: randomUUID(), at: new Date(), body });
  return { url, body, headers: { 'content-type': 'application/json', 'content-length': length, ...signed } };
});
