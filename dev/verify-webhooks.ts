/**
 * `node dev/verify-webhooks.ts [python]`: sends webhooks to a receiver on loopback as deliverers do, and has them
 * verified by code that is not ours (dev/verify-webhooks.py, which says what that Python needs).
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createOutbound } from '../domain/outbound/outbound.ts';
import { parseRanges } from '../lib/addresses/ranges.ts';
import { webhookHeaders, webhookSecret } from '../domain/outbound/sign-webhook.ts';
import { bodyOf } from '../domain/webhooks/content/body.ts';
import { sendWebhook } from '../domain/webhooks/deliveries/attempt.ts';
import { makeKey, openSecrets, type MadeKey } from '../domain/webhooks/endpoints/keys.ts';

interface Case {
  name: string;
  headers: IncomingHttpHeaders;
  body: string;
  secrets: string[];
  publicKeys: string[];
  /** Keys by which it must not verify. */
  wrong: string[];
}

const HOUR_MS = 3_600_000;
const env = { LINK_SECRET: 'the link secret of this run, 32+', LINK_SECRET_PREVIOUS: '' };
const received: { headers: IncomingHttpHeaders; body: string }[] = [];
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(204).end();
  });
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const outbound = createOutbound(parseRanges('127.0.0.1/32'));
const tenantId = 'default';
const data = JSON.stringify({ contactId: 7, name: 'Zoë 🚲 \u2028 "quoted"' });

/** What a receiver gets whose key was rotated, within the overlap or after it. */
async function sent(signature: 'v1' | 'v1a', format: 'standard' | 'cloudevents', isOver: boolean): Promise<Case> {
  const owner = { tenantId, id: 1 };
  const [before, now, foreign] = [1, 2, 3].map(() => makeKey(env, owner, signature)) as [MadeKey, MadeKey, MadeKey];
  const previousExpiresAt = new Date(Date.now() + (isOver ? -1 : 1) * HOUR_MS);
  const stored = { ...owner, signature, key: now.key, previousKey: before.key, previousExpiresAt, headers: {} };
  const id = randomUUID();
  const event = { id, tenantId, type: 'CONTACT_CREATED', time: new Date(), requestId: null, data };
  const { attempt } = await sendWebhook(outbound, {
    endpoint: { tenantId, url, format, timeoutMs: 5000 },
    secrets: openSecrets(env, stored),
    id,
    body: bodyOf(event, { format, sequence: 1 }, '{"id":7}'),
  });
  if (attempt.status !== 204) throw new Error(`not delivered: ${JSON.stringify(attempt)}`);
  const textOf = ({ secret, publicKey }: MadeKey): string => (secret ?? publicKey)!;
  const right = (isOver ? [now] : [now, before]).map(textOf);
  return {
    name: `${signature}, ${format}, ${isOver ? 'after' : 'within'} the overlap of a rotation`,
    ...received.at(-1)!,
    secrets: signature === 'v1' ? right : [],
    publicKeys: signature === 'v1a' ? right : [],
    wrong: [foreign, ...(isOver ? [before] : [])].map(textOf),
  };
}

const cases: Case[] = [];
for (const signature of ['v1', 'v1a'] as const)
  for (const format of ['standard', 'cloudevents'] as const)
    for (const isOver of [false, true]) cases.push(await sent(signature, format, isOver));

const rotated = { LINK_SECRET: 'another link secret, 32 characters', LINK_SECRET_PREVIOUS: env.LINK_SECRET };
cases.push({
  name: 'WEBHOOK steps, while LINK_SECRET is rotated',
  headers: webhookHeaders(rotated, { tenantId, id: randomUUID(), at: new Date(), body: data }),
  body: data,
  secrets: [webhookSecret(rotated, tenantId), webhookSecret(env, tenantId)],
  publicKeys: [],
  wrong: [webhookSecret(rotated, 'other')],
});
server.close();
outbound.close();

const input = cases.map((one) => JSON.stringify(one)).join('\n');
const { status } = spawnSync(process.argv[2] ?? 'python3', [resolve('dev/verify-webhooks.py')], {
  input,
  stdio: ['pipe', 'inherit', 'inherit'],
});
process.exit(status ?? 1);
