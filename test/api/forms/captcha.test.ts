import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { deleteUsedChallenges, type Challenge } from '../../../domain/forms/captcha.ts';
import { KEPT_FILES } from '../../../transport/streams.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

const services: Service[] = [];
let own: Service;
/** What the stand-in of hCaptcha answers, and what it was asked. */
let provider: Server;
let answer: { status: number; body: object; afterMs?: number };
const asked: string[] = [];
let hosted: Service;

beforeAll(async () => {
  provider = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      asked.push(body);
      setTimeout(
        () =>
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body)),
        answer.afterMs ?? 0,
      );
    });
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  own = await startService({ env: { CAPTCHA_DIFFICULTY: '2000' } });
  hosted = await startService({
    env: {
      CAPTCHA_PROVIDER: 'hcaptcha',
      CAPTCHA_SITE_KEY: 'site',
      CAPTCHA_SECRET: 'secret',
      CAPTCHA_VERIFY_URL: `http://127.0.0.1:${port}/siteverify`,
    },
  });
  services.push(own, hosted);
});
afterEach(() => {
  asked.length = 0;
});
afterAll(async () => {
  for (const service of services) await service.stop();
  provider.closeAllConnections();
  provider.close();
});

async function makeForm(service: Service, more: object = {}): Promise<number> {
  const fields = [
    { name: 'email', label: 'Email', type: 'email' },
    { name: 'note', label: 'Note', type: 'text', maxLength: 20 },
  ];
  const made = await service.api('POST', '/forms', { name: 'Guarded', fields, enableCaptcha: true, ...more });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.id;
}
const open = { token: null };
const submit = (service: Service, id: number, body: object): Promise<Answer> =>
  service.api('POST', `/forms/${id}/submit`, body, open);
const errorsOf = ({ status, body }: Answer): string[] => [
  String(status),
  ...(body.errors ?? []).map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
];
const stored = async (service: Service, id: number): Promise<number> =>
  (await service.api('GET', `/forms/${id}/submissions?includeTotal=true`)).body.page.total;
const challengeOf = async (id: number): Promise<Challenge> =>
  (await own.api('GET', `/forms/${id}/captcha`, undefined, open)).body;

/** What a browser computes: the number whose hash with the salt is the challenge. */
function solve(given: Challenge, change: object = {}): string {
  for (let number = 0; number <= given.maxnumber; number += 1) {
    if (createHash('sha256').update(`${given.salt}${number}`).digest('hex') !== given.challenge) continue;
    const { algorithm, challenge, salt, signature } = given;
    return Buffer.from(JSON.stringify({ algorithm, challenge, number, salt, signature, ...change })).toString('base64');
  }
  throw new Error('there is no solution');
}

test('a solved challenge is taken once, also if two submissions bring it at once', async () => {
  const id = await makeForm(own);
  const { body: fields } = await own.api('GET', `/forms/${id}/fields`, undefined, open);
  assert.deepEqual(fields.captcha, { provider: 'altcha', siteKey: null });
  const altcha = solve(await challengeOf(id));
  // A mistake in a field does not use it up.
  const long = { email: 'a@example.com', note: 'x'.repeat(30), altcha };
  assert.deepEqual(errorsOf(await submit(own, id, long)), ['422', 'note too_long']);
  const both = await Promise.all(['a', 'b'].map((name) => submit(own, id, { email: `${name}@example.com`, altcha })));
  assert.deepEqual(both.map(errorsOf).sort(), [['200'], ['422', 'captcha captcha_invalid']]);
  assert.deepEqual(errorsOf(await submit(own, id, { email: 'c@example.com', altcha })), [
    '422',
    'captcha captcha_invalid',
  ]);
  assert.equal(await stored(own, id), 1);
  const [submission] = (await own.api('GET', `/forms/${id}/submissions`)).body.data;
  assert.equal('altcha' in submission.submissionData, false);
});

test('without a solution, or with a wrong, foreign, changed or expired one, nothing is stored', async () => {
  const id = await makeForm(own);
  const given = await challengeOf(id);
  const expired = new Date(Date.now() - 1000);
  const salt = given.salt.replace(/expires=\d+/, `expires=${Math.floor(expired.getTime() / 1000)}`);
  assert.notEqual(salt, given.salt);
  const attempts: [unknown, string][] = [
    [undefined, 'captcha_required'],
    ['', 'captcha_required'],
    [{ number: 1 }, 'captcha_required'],
    ['junk', 'captcha_invalid'],
    ['x'.repeat(9000), 'captcha_invalid'],
    [solve(given, { number: -1 }), 'captcha_invalid'],
    [solve(given, { signature: 'f'.repeat(64) }), 'captcha_invalid'],
    [solve(given, { algorithm: 'SHA-1' }), 'captcha_invalid'],
    [solve(given, { salt }), 'captcha_invalid'],
  ];
  for (const [altcha, code] of attempts)
    assert.deepEqual(
      errorsOf(await submit(own, id, { email: 'x@example.com', altcha })),
      ['422', `captcha ${code}`],
      String(altcha),
    );
  assert.equal(await stored(own, id), 0);
});

test('a challenge is solved for its form alone', async () => {
  const [id, other] = [await makeForm(own), await makeForm(own)];
  const given = await challengeOf(id);
  const altcha = solve(given);
  const moved = solve(given, { salt: given.salt.replace(/form=\d+/, `form=${other}`) });
  for (const foreign of [altcha, moved])
    assert.deepEqual(errorsOf(await submit(own, other, { email: 'x@example.com', altcha: foreign })), [
      '422',
      'captcha captcha_invalid',
    ]);
  assert.equal(await stored(own, other), 0);
  assert.equal((await submit(own, id, { email: 'x@example.com', altcha })).status, 200);
});

test('a solution that was used stores no file', async () => {
  const fields = [
    { name: 'email', label: 'Email', type: 'email' },
    { name: 'cv', label: 'CV', type: 'file' },
  ];
  const id = await makeForm(own, { fields });
  const altcha = solve(await challengeOf(id));
  const send = async (email: string): Promise<Answer> => {
    const form = new FormData();
    const { token } = (await own.api('GET', `/forms/${id}/token`, undefined, open)).body;
    for (const [name, value] of Object.entries({ _token: token as string, email, altcha })) form.set(name, value);
    form.set('cv', new Blob(['text']), 'a.txt');
    return own.api('POST', `/forms/${id}/submit`, form, { ...open, headers: { accept: '*/*' } });
  };
  assert.equal((await send('first@example.com')).status, 200);
  const files = async () => (await own.deps.nats.jsm.streams.info(KEPT_FILES)).state.last_seq;
  const before = await files();
  assert.deepEqual(errorsOf(await send('second@example.com')), ['422', 'captcha captcha_invalid']);
  assert.equal(await files(), before);
});

test('used challenges are forgotten when they have expired, and not before', async () => {
  const id = await makeForm(own);
  assert.equal(
    (await submit(own, id, { email: 'kept@example.com', altcha: solve(await challengeOf(id)) })).status,
    200,
  );
  const em = engineEm(own.deps.orm);
  const count = async (): Promise<number> =>
    (await em.transactional((tx) => rows(tx, sql`select 1 from used_challenges`))).length;
  const before = await count();
  await deleteUsedChallenges(em);
  assert.equal(await count(), before);
  await em.transactional((tx) => rows(tx, sql`update used_challenges set expires_at = now() - interval '1 second'`));
  await deleteUsedChallenges(em);
  assert.equal(await count(), 0);
});

test('a form without a CAPTCHA needs no solution and has no challenge', async () => {
  const id = await makeForm(own, { enableCaptcha: false });
  assert.equal((await own.api('GET', `/forms/${id}/captcha`, undefined, open)).status, 404);
  assert.equal((await own.api('GET', `/forms/${id}/fields`, undefined, open)).body.captcha, null);
  assert.equal((await submit(own, id, { email: 'free@example.com' })).status, 200);
});

test('a provider is asked with the secret, the solution and the address', async () => {
  const id = await makeForm(hosted);
  const { body } = await hosted.api('GET', `/forms/${id}/fields`, undefined, open);
  assert.deepEqual(body.captcha, { provider: 'hcaptcha', siteKey: 'site' });
  answer = { status: 200, body: { success: true } };
  const taken = await submit(hosted, id, { email: 'h@example.com', 'h-captcha-response': 'solved' });
  assert.equal(taken.status, 200, JSON.stringify(taken.body));
  assert.deepEqual(Object.fromEntries(new URLSearchParams(asked[0])), {
    secret: 'secret',
    response: 'solved',
    sitekey: 'site',
    remoteip: '127.0.0.1',
  });
  answer = { status: 200, body: { success: false, 'error-codes': ['already-seen-response'] } };
  const refused = await submit(hosted, id, { email: 'i@example.com', 'h-captcha-response': 'solved' });
  assert.deepEqual(errorsOf(refused), ['422', 'captcha captcha_invalid']);
  assert.equal(await stored(hosted, id), 1);
});

test('a provider that is down lets nobody in, and the page keeps what was typed', async () => {
  const id = await makeForm(hosted);
  for (const down of [
    { status: 500, body: {} },
    { status: 200, body: [] },
  ]) {
    answer = down;
    const program = await submit(hosted, id, { email: 'j@example.com', 'h-captcha-response': 'solved' });
    if (down.status === 500) assert.deepEqual([program.status, program.body.code], [503, 'captcha_unavailable']);
    else assert.equal(program.status, 422);
  }
  answer = { status: 500, body: {} };
  const { body: form } = await hosted.api('GET', `/forms/${id}/token`, undefined, open);
  const page = await fetch(`${hosted.url}/api/v1/forms/${id}/submit`, {
    method: 'POST',
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', origin: hosted.url },
    body: new URLSearchParams({
      email: 'k@example.com',
      note: 'typed text',
      'h-captcha-response': 'solved',
      _token: form.token,
    }),
  });
  assert.equal(page.status, 503);
  const html = await page.text();
  assert.match(html, /value="typed text"/);
  assert.match(html, /role="alert"[^>]*><p>The check for robots has failed\. Your entries are still here\./);
  assert.equal(page.headers.get('retry-after'), '10');
  assert.equal(await stored(hosted, id), 0);
});
