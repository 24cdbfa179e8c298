import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { sql } from '../../../db/orm.ts';
import { engine, linkOf, mailsTo, nthMail, tokenOf, untilServed } from '../../support/mail/account-mails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { logIn, PASSWORD, registration } from '../../support/users.ts';
import { startVariant, type Variant } from '../../support/variant.ts';

let service: Service;
/** The same service without verification. */
let lax: Variant;
beforeAll(async () => {
  service = await startService({ worker: ['relay', 'senders'], env: { ENABLE_EMAIL_VERIFICATION: 'true' } });
  lax = await startVariant(service, { ENABLE_EMAIL_VERIFICATION: false });
});
afterAll(async () => {
  await lax.stop();
  await service.stop();
});

const open = (path: string, body: unknown) => service.api('POST', `/auth/${path}`, body, { token: null });
const login = (username: string, password = PASSWORD) => open('login', { username, password });
const verify = (token: string) => open('verify-email', { token });
const outcome = (answer: { status: number; body: { code?: string } }) => [answer.status, answer.body.code];
const userRow = async (id: number) =>
  (
    await engine<{ active: boolean; email_verified: boolean }>(
      service,
      sql`select active, email_verified from users where id = ${id}`,
    )
  )[0]!;

/** A user who has registered, with the mail that came. */
async function newcomer(overrides = {}) {
  const input = registration(overrides);
  const answer = await open('register', input);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const mail = await nthMail(service, input.email);
  return { ...input, id: answer.body.id as number, user: answer.body, mail, token: tokenOf(mail) };
}

test('a registration is mailed a link, and the user may log in after it and not before', async () => {
  const one = await newcomer({
    username: 'stranger.example',
    email: 'first@example.com',
    firstName: 'Buy-now',
    lastName: 'At-evil-example',
  });
  assert.deepEqual([one.user.active, one.user.emailVerified], [false, false]);
  assert.equal(one.mail.parsed.subject, 'Confirm your email address for Perennial');
  assert.equal(`${linkOf(one.mail).origin}${linkOf(one.mail).pathname}`, `${service.url}/verify-email`);
  for (const name of [one.username, one.firstName, one.lastName])
    assert.ok(!one.mail.raw.includes(name), 'what a stranger typed is not in it');
  assert.deepEqual(outcome(await login(one.username)), [403, 'email_unverified']);
  assert.deepEqual(outcome(await login(one.username, 'Wrong-Guess-1')), [401, 'invalid_credentials']);
  const answer = await verify(one.token);
  assert.deepEqual([answer.status, answer.body], [204, '']);
  const { token } = await logIn(service.api, one.username);
  const { active, emailVerified } = (await service.api('GET', '/auth/profile', undefined, { token })).body;
  assert.deepEqual([active, emailVerified], [true, true]);
  assert.deepEqual(outcome(await verify(one.token)), [400, 'token_invalid']);
});

test('a registration that fails mails nothing', async () => {
  const one = await newcomer();
  assert.equal(
    (await open('register', registration({ username: one.username, email: 'not.made@example.com' }))).status,
    409,
  );
  assert.deepEqual(await engine(service, sql`select 1 from emails where to_address = 'not.made@example.com'`), []);
});

test('a token ends after 24 hours, and another mail brings another', async () => {
  const one = await newcomer();
  const [{ left } = { left: 0 }] = await engine<{ left: number }>(
    service,
    sql`select extract(epoch from expires_at - now())::int as left from user_tokens where user_id = ${one.id}`,
  );
  assert.ok(left > 86_000 && left <= 86_400, `${left} s are left`);
  await engine(service, sql`update user_tokens set expires_at = now() where user_id = ${one.id}`);
  assert.deepEqual(outcome(await verify(one.token)), [400, 'token_invalid']);
  assert.equal((await open('verify-email/resend', { email: one.email })).status, 202);
  const next = tokenOf(await nthMail(service, one.email, 2));
  assert.deepEqual(outcome(await verify(one.token)), [400, 'token_invalid']);
  assert.equal((await verify(next)).status, 204);
  assert.equal((await login(one.username)).status, 200);
});

test('there is no mail for who is verified, for nobody, or more than five in an hour', async () => {
  const [one, two] = [await newcomer(), await newcomer()];
  assert.equal((await verify(one.token)).status, 204);
  const answers = [];
  for (const email of [one.email, 'nobody@example.com', ...Array<string>(7).fill(two.email)])
    answers.push(await open('verify-email/resend', { email }));
  assert.ok(answers.every(({ status, body }) => status === 202 && body === ''));
  await untilServed(service);
  const queued = await engine<{ to_address: string; n: number }>(
    service,
    sql`
    select to_address, count(*)::int as n from emails where to_address in (${one.email}, ${two.email}, 'nobody@example.com') group by 1 order by n`,
  );
  assert.deepEqual(queued, [
    { to_address: one.email, n: 1 },
    { to_address: two.email, n: 5 },
  ]);
  await nthMail(service, two.email, 5);
  const verified = [];
  for (const mail of mailsTo(service, two.email)) verified.push((await verify(tokenOf(mail))).status);
  // The link made last, whichever mail came last.
  assert.deepEqual(verified.sort(), [204, 400, 400, 400, 400]);
});

test('a reset proves the address too', async () => {
  const one = await newcomer();
  await open('forgot-password', { email: one.email });
  const mail = await nthMail(service, one.email, 2);
  assert.equal(linkOf(mail).pathname, '/reset-password');
  assert.equal((await open('reset-password', { token: tokenOf(mail), password: 'Another-Staple-10' })).status, 204);
  assert.deepEqual(await userRow(one.id), { active: true, email_verified: true });
  assert.equal((await login(one.username, 'Another-Staple-10')).status, 200);
  assert.deepEqual(outcome(await verify(one.token)), [400, 'token_invalid']);
});

test('who waits for verification still does after an Admin has changed the roles', async () => {
  const one = await newcomer();
  const role = (await service.api('POST', '/auth/roles', { name: 'Waiting', permissions: ['contacts:read'] })).body
    .name as string;
  assert.deepEqual((await service.api('PUT', `/auth/users/${one.id}`, { roles: ['User', role] })).body.roles, [
    'User',
    role,
  ]);
  assert.deepEqual(outcome(await login(one.username)), [403, 'email_unverified']);
  assert.equal((await verify(one.token)).status, 204);
  assert.equal((await login(one.username)).status, 200);
});

test('whom an Admin disabled, no mail makes active again', async () => {
  // One who registered before addresses were verified, one whose new address is not confirmed yet.
  const early = registration();
  const earlyId = (await lax.api('POST', '/auth/register', early, { token: null })).body.id as number;
  const moved = await newcomer();
  await verify(moved.token);
  const { token } = await logIn(service.api, moved.username);
  const email = 'moved.away@example.com';
  assert.equal(
    (await service.api('PUT', '/auth/profile', { email, currentPassword: PASSWORD }, { token })).status,
    200,
  );
  const movedToken = tokenOf(await nthMail(service, email));
  for (const id of [earlyId, moved.id])
    assert.equal((await service.api('PUT', `/auth/users/${id}`, { active: false })).status, 200);
  for (const address of [early.email, email]) {
    for (const path of ['forgot-password', 'verify-email/resend'])
      assert.equal((await open(path, { email: address })).status, 202);
  }
  await untilServed(service);
  assert.deepEqual(
    await engine(
      service,
      sql`select to_address, count(*)::int as n from emails where to_address in (${early.email}, ${email}) group by 1`,
    ),
    [{ to_address: email, n: 1 }],
  );
  assert.deepEqual(outcome(await verify(movedToken)), [400, 'token_invalid']);
  for (const id of [earlyId, moved.id]) assert.equal((await userRow(id)).active, false);
  for (const name of [early.username, moved.username])
    assert.deepEqual(outcome(await login(name)), [401, 'invalid_credentials'], 'there is nothing to verify');
});

test('a new address is mailed a link, the user stays active, and the former address proves nothing', async () => {
  const one = await newcomer();
  await verify(one.token);
  const { token } = await logIn(service.api, one.username);
  const put = (email: string) => service.api('PUT', '/auth/profile', { email, currentPassword: PASSWORD }, { token });
  const first = await put('first.new@example.com');
  assert.deepEqual([first.status, first.body.emailVerified, first.body.active], [200, false, true]);
  const firstToken = tokenOf(await nthMail(service, 'first.new@example.com'));
  await put('second.new@example.com');
  const secondToken = tokenOf(await nthMail(service, 'second.new@example.com'));
  assert.deepEqual(outcome(await verify(firstToken)), [400, 'token_invalid']);
  assert.equal((await put('Second.New@example.com')).body.emailVerified, false, 'another spelling needs no new mail');
  assert.equal((await login(one.username)).status, 200);
  assert.equal((await verify(secondToken)).status, 204);
  assert.deepEqual(await userRow(one.id), { active: true, email_verified: true });
  assert.deepEqual(await engine(service, sql`select 1 from emails where to_address = 'Second.New@example.com'`), []);
});

test('an address is the new one of few users within an hour, or each could have it mailed', async () => {
  const email = 'passed.on@example.com';
  const moves: number[] = [];
  for (let n = 0; n < 6; n += 1) {
    const one = await newcomer();
    await verify(one.token);
    const { token } = await logIn(service.api, one.username);
    const put = async (address: string) =>
      (await service.api('PUT', '/auth/profile', { email: address, currentPassword: PASSWORD }, { token })).status;
    moves.push(await put(email));
    if (moves.at(-1) === 200) assert.equal(await put(`gone${n}@example.com`), 200);
  }
  assert.deepEqual(moves, [200, 200, 200, 200, 200, 429]);
  await until('its mails are there', () => mailsTo(service, email).length === 5);
});

test('without verification no mail is sent and everyone is active', async () => {
  const input = registration();
  const answer = await lax.api('POST', '/auth/register', input, { token: null });
  assert.equal(answer.body.active, true);
  assert.deepEqual(await engine(service, sql`select 1 from emails where to_address = ${input.email}`), []);
  await logIn(lax.api, input.username);
});

test('the audit log tells of a confirmed address', async () => {
  const one = await newcomer();
  await verify(one.token);
  const entries = await engine(
    service,
    sql`
    select action, actor_type, actor_id, before, after from audit_log where resource_type = 'user' and resource_id = ${String(one.id)} and action = 'user.email_verified'`,
  );
  assert.deepEqual(entries, [
    {
      action: 'user.email_verified',
      actor_type: 'user',
      actor_id: one.id,
      before: { active: false, emailVerified: false },
      after: { active: true, emailVerified: true },
    },
  ]);
});
