import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { pino } from 'pino';
import { sql } from '../../../db/orm.ts';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';
import { engine, linkOf, nthMail, tokenOf, untilServed } from '../../support/mail/account-mails.ts';
import { published } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { newMember, PASSWORD, type Member } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['relay', 'senders'] });
});
afterAll(() => service.stop());

const NEXT = 'Another-Staple-10';
const open = (path: string, body: unknown, headers = {}) =>
  service.api('POST', `/auth/${path}`, body, { token: null, headers });
const login = (username: string, password: string) => open('login', { username, password });
const forgot = (email: string, headers = {}) => open('forgot-password', { email }, headers);
const reset = (token: string, password = NEXT) => open('reset-password', { token, password });
const outcome = (answer: { status: number; body: { code?: string } }) => [answer.status, answer.body.code];

/** A user who has forgotten the password, and the token of the mail. */
async function forgetful(): Promise<Member & { mail: Awaited<ReturnType<typeof nthMail>>; resetToken: string }> {
  const member = await newMember(service.api);
  assert.equal((await forgot(member.user.email)).status, 202);
  const mail = await nthMail(service, member.user.email);
  return { ...member, mail, resetToken: tokenOf(mail) };
}

test('the mail has one link, to our page, and nothing else that leads anywhere', async () => {
  const { mail } = await forgetful();
  const link = linkOf(mail);
  assert.equal(`${link.origin}${link.pathname}`, `${service.url}/reset-password`);
  assert.equal(mail.parsed.subject, 'Set a new password for Perennial');
  assert.equal(mail.parsed.from?.text, '"Perennial" <no-reply@example.com>');
  assert.doesNotMatch(mail.parsed.html as string, /<img|\/tracking\/|unsubscribe|view\//i);
  assert.doesNotMatch(mail.raw, /^list-unsubscribe/im);
  for (const part of [mail.parsed.text!, mail.parsed.html as string]) assert.match(part, /one hour/);
});

test('the token sets a password once, ends every session and unlocks the name', async () => {
  const member = await forgetful();
  for (let n = 0; n < 10; n += 1) await login(member.username, `Wrong-Guess-${n}`);
  assert.equal((await login(member.username, PASSWORD)).status, 429);
  const answer = await reset(member.resetToken);
  assert.deepEqual([answer.status, answer.body], [204, '']);
  assert.equal(
    (await service.api('GET', '/auth/profile', undefined, { token: member.token })).body.code,
    'token_revoked',
  );
  assert.equal((await open('refresh', { refreshToken: member.refreshToken })).status, 401);
  assert.equal((await login(member.username, PASSWORD)).status, 401);
  assert.equal((await login(member.username, NEXT)).status, 200);
  assert.deepEqual(outcome(await reset(member.resetToken, 'Third-Staple-11')), [400, 'token_invalid']);
  const told = await engine(
    service,
    sql`
    select actor_type, actor_id, before, after from audit_log where action = 'user.password_reset' and resource_id = ${String(member.user.id)}`,
  );
  assert.deepEqual(told, [
    { actor_type: 'user', actor_id: member.user.id, before: { emailVerified: false }, after: { emailVerified: true } },
  ]);
  assert.equal((await login(member.username, NEXT)).status, 200);
});

test('a password that does not do answers every rule at once, and the token stays good', async () => {
  const { resetToken } = await forgetful();
  const answer = await reset(resetToken, 'abc');
  assert.deepEqual(outcome(answer), [400, 'validation_failed']);
  assert.deepEqual(
    answer.body.errors.map((e: { path: string; code: string }) => `${e.path} ${e.code}`),
    ['/password too_short', '/password no_upper_case', '/password no_digit', '/password no_special_character'],
  );
  assert.equal((await reset(resetToken)).status, 204);
});

test('of twenty uses of one token at once, one counts', async () => {
  const { resetToken, username } = await forgetful();
  const passwords = Array.from({ length: 20 }, (_, n) => `Race-Staple-${n}`);
  const answers = await Promise.all(passwords.map((password) => reset(resetToken, password)));
  const statuses = answers.map((answer) => answer.status);
  assert.deepEqual(statuses.filter((status) => status === 204).length, 1, String(statuses));
  assert.ok(answers.every((answer) => answer.status === 204 || answer.body.code === 'token_invalid'));
  assert.equal((await login(username, passwords[statuses.indexOf(204)]!)).status, 200);
});

test('a token ends after an hour, and with the next one', async () => {
  const old = await forgetful();
  await engine(
    service,
    sql`update user_tokens set expires_at = expires_at - interval '59 minutes' where user_id = ${old.user.id}`,
  );
  const [{ left } = { left: 0 }] = await engine<{ left: number }>(
    service,
    sql`select extract(epoch from expires_at - now())::int as left from user_tokens where user_id = ${old.user.id}`,
  );
  assert.ok(left > 0 && left <= 60, `${left} s are left`);
  await forgot(old.user.email);
  const next = tokenOf(await nthMail(service, old.user.email, 2));
  assert.deepEqual(outcome(await reset(old.resetToken)), [400, 'token_invalid']);
  await engine(service, sql`update user_tokens set expires_at = now() where user_id = ${old.user.id}`);
  assert.deepEqual(outcome(await reset(next)), [400, 'token_invalid']);
  assert.equal((await login(old.username, PASSWORD)).status, 200);
});

test('what is not our token for this, for this user, changes nothing', async () => {
  const [one, two] = [await forgetful(), await forgetful()];
  const { links } = service.deps;
  const [{ id } = { id: '' }] = await engine<{ id: string }>(
    service,
    sql`select id from user_tokens where user_id = ${one.user.id}`,
  );
  const forged = [
    '',
    'x',
    one.resetToken.slice(1),
    `${one.resetToken}A`,
    `${one.resetToken.slice(0, -8)}${two.resetToken.slice(-8)}`,
    id,
    links.sign('account/verify_email', ['default', id]),
    links.sign('account/reset_password', ['acme', id]),
    links.sign('account/reset_password', ['default', '0190d2a4-7b1c-4c5e-9f3a-2b6d8e4f1a90']),
    links.sign('account/reset_password', ['default', 'x']),
    createLinkSigner({ secret: 'z'.repeat(32) }).sign('account/reset_password', ['default', id]),
    'A'.repeat(2000),
  ];
  for (const token of forged) assert.deepEqual(outcome(await reset(token)), [400, 'token_invalid'], token);
  assert.deepEqual(outcome(await open('verify-email', { token: one.resetToken })), [400, 'token_invalid']);
  for (const member of [one, two]) assert.equal((await login(member.username, PASSWORD)).status, 200);
  // The row is another user's by now: the hash, not the id, is what counts.
  await engine(
    service,
    sql`update user_tokens set token_hash = ${createHash('sha256').update('other').digest('base64url')} where id = ${id}::uuid`,
  );
  assert.deepEqual(outcome(await reset(one.resetToken)), [400, 'token_invalid']);
  assert.equal((await reset(two.resetToken)).status, 204);
});

test('a new address or a new password makes the links mailed before it worthless', async () => {
  const [moved, changed] = [await forgetful(), await forgetful()];
  const put = (member: Member, path: string, body: unknown) => service.api('PUT', path, body, { token: member.token });
  assert.equal(
    (await put(moved, '/auth/profile', { email: 'moved@example.com', currentPassword: PASSWORD })).status,
    200,
  );
  assert.equal(
    (await put(changed, '/auth/password', { newPassword: 'Chosen-Staple-12', currentPassword: PASSWORD })).status,
    204,
  );
  for (const member of [moved, changed])
    assert.deepEqual(outcome(await reset(member.resetToken)), [400, 'token_invalid']);
});

test('unknown and disabled users get no mail, and the answer does not say so', async () => {
  const [known, disabled] = [await newMember(service.api), await newMember(service.api)];
  await engine(service, sql`update users set active = false where id = ${disabled.user.id}`);
  const answers = [];
  for (const email of [disabled.user.email, 'nobody@example.com', known.user.email.toUpperCase()])
    answers.push(await forgot(email));
  for (const answer of answers) assert.deepEqual([answer.status, answer.body], [202, '']);
  const shown = answers.map(({ headers }) =>
    [...headers].filter(([name]) => !/^(date|x-request-id|ratelimit.*)$/.test(name)),
  );
  assert.deepEqual(shown[0], shown[2]);
  assert.deepEqual(shown[1], shown[2]);
  await nthMail(service, known.user.email);
  await untilServed(service);
  assert.deepEqual(
    await engine(service, sql`select 1 from emails where to_address in (${disabled.user.email}, 'nobody@example.com')`),
    [],
  );
  assert.deepEqual(outcome(await forgot('not an address')), [400, 'validation_failed']);
});

test('a user gets five mails an hour and no more, and the last link stays good', async () => {
  const { user } = await forgetful();
  for (let n = 2; n <= 5; n += 1) {
    await forgot(user.email);
    await nthMail(service, user.email, n);
  }
  for (let n = 0; n < 3; n += 1) assert.equal((await forgot(user.email)).status, 202);
  await untilServed(service);
  const [{ n } = { n: 0 }] = await engine<{ n: number }>(
    service,
    sql`select count(*)::int as n from emails where to_address = ${user.email}`,
  );
  assert.equal(n, 5);
  await engine(
    service,
    sql`update user_tokens set created_at = created_at - interval '1 hour' where user_id = ${user.id}`,
  );
  await forgot(user.email);
  const last = tokenOf(await nthMail(service, user.email, 6));
  assert.equal((await reset(last)).status, 204);
});

test('the Host that a request names does not reach the mail', async () => {
  const member = await newMember(service.api);
  const trusting = await startVariant(service, { TRUST_PROXY: 1 });
  const answer = await trusting.api(
    'POST',
    '/auth/forgot-password',
    { email: member.user.email },
    {
      token: null,
      headers: {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example',
        'x-original-host': 'evil.example',
      },
    },
  );
  assert.equal(answer.status, 202);
  await trusting.stop();
  // fetch sets Host itself.
  const { request } = await import('node:http');
  const { hostname, port } = new URL(service.url);
  const status = await new Promise((resolve, reject) => {
    const call = request(
      {
        hostname,
        port,
        path: '/api/v1/auth/forgot-password',
        method: 'POST',
        headers: { host: 'evil.example', 'content-type': 'application/json' },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    call.on('error', reject);
    call.end(JSON.stringify({ email: member.user.email }));
  });
  assert.equal(status, 202);
  for (const n of [1, 2]) {
    const mail = await nthMail(service, member.user.email, n);
    assert.equal(linkOf(mail).origin, service.url);
    assert.ok(!mail.raw.includes('evil.example'));
  }
});

test('while LINK_SECRET is rotated, links that were mailed work, and by no other secret', async () => {
  const { resetToken } = await forgetful();
  const { env } = service.deps;
  const withLinks = (secret: string, previous: string) =>
    startVariant({ ...service, deps: { ...service.deps, links: createLinkSigner({ secret, previous }) } });
  const foreign = await withLinks('a'.repeat(32), '');
  const rotated = await withLinks('a'.repeat(32), env.LINK_SECRET);
  const attempt = (api: Service['api']) =>
    api('POST', '/auth/reset-password', { token: resetToken, password: NEXT }, { token: null });
  assert.deepEqual(outcome(await attempt(foreign.api)), [400, 'token_invalid']);
  assert.equal((await attempt(rotated.api)).status, 204);
  await Promise.all([foreign.stop(), rotated.stop()]);
});

test('no token is in the database, in events or in logs, and no address in logs', async () => {
  const lines: string[] = [];
  const log = pino(
    { level: 'trace' },
    {
      write: (line: string) => {
        lines.push(line);
      },
    },
  );
  const watched = await startVariant({ ...service, deps: { ...service.deps, log } });
  const { user, username } = await newMember(service.api);
  await watched.api('POST', '/auth/forgot-password', { email: user.email }, { token: null });
  const mail = await nthMail(service, user.email);
  const token = tokenOf(mail);
  const pageUrl = `${watched.url}/reset-password?token=${token}`;
  assert.equal((await fetch(pageUrl)).status, 200);
  assert.equal(
    (await watched.api('POST', '/auth/reset-password', { token, password: 'abc' }, { token: null })).status,
    400,
  );
  assert.equal(
    (await watched.api('POST', '/auth/reset-password', { token, password: NEXT }, { token: null })).status,
    204,
  );
  await watched.api('POST', '/auth/login', { username, password: NEXT }, { token: null });
  await watched.stop();

  const [row] = await engine<{ data: { token: object } }>(
    service,
    sql`select * from emails where to_address = ${user.email}`,
  );
  assert.deepEqual(Object.keys(row!.data), ['token']);
  assert.deepEqual(Object.keys(row!.data.token).sort(), ['hash', 'id']);
  for (const table of [
    'emails',
    'user_tokens',
    'email_attempts',
    'outbox_events',
    'audit_log',
    'email_template_versions',
    'email_templates',
  ]) {
    const found = await engine(
      service,
      sql`select 1 from ${sql.table(table)} t where strpos(to_jsonb(t)::text, ${token}) > 0`,
    );
    assert.deepEqual(found, [], table);
  }
  const sent = JSON.stringify(await published(service, 'EMAIL_SENT'));
  assert.ok(!sent.includes(token) && !sent.includes(user.email));
  const logged = lines.join('');
  assert.match(logged, /forgotPassword/);
  assert.match(logged, /showResetPassword/);
  for (const secret of [token, user.email, NEXT]) assert.ok(!logged.includes(secret));
});

test('what the service mails by is no template of the API', async () => {
  await forgetful();
  const [{ id } = { id: 0 }] = await engine<{ id: number }>(
    service,
    sql`select id from email_templates where system_key = 'reset_password'`,
  );
  assert.ok(id > 0);
  const listed = await service.api('GET', '/emails/templates?limit=200&includeTotal=true');
  assert.deepEqual([listed.body.data, listed.body.page.total], [[], 0]);
  for (const [method, path, body] of [
    ['GET', `/emails/templates/${id}`, undefined],
    ['PUT', `/emails/templates/${id}`, { subject: 'Mine' }],
    ['DELETE', `/emails/templates/${id}`, undefined],
    ['POST', `/emails/templates/${id}/preview`, {}],
    ['POST', `/emails/templates/${id}/test`, { to: 'a@example.com' }],
    ['POST', '/emails/send', { templateId: id, to: 'a@example.com', data: { token: { id: 'x', hash: 'y' } } }],
  ] as const)
    assert.equal((await service.api(method, path, body)).status, 404, `${method} ${path}`);
  const campaign = await service.api('POST', '/campaigns', {
    name: 'C',
    steps: [{ type: 'EMAIL', config: { templateId: id } }],
  });
  assert.equal(campaign.status, 400);
});

test('a release that says something else brings the template up to date, and mails keep what they said', async () => {
  const { user } = await forgetful();
  await engine(
    service,
    sql`update email_templates set subject = 'Of an older release' where system_key = 'reset_password'`,
  );
  const version = async () =>
    (
      await engine<{ content_version: number; subject: string }>(
        service,
        sql`
    select t.content_version, v.subject from email_templates t
    join email_template_versions v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.content_version = t.content_version where t.system_key = 'reset_password'`,
      )
    )[0]!;
  const { content_version: before } = await version();
  await Promise.all(Array.from({ length: 3 }, () => forgot(user.email)));
  assert.equal((await nthMail(service, user.email, 4)).parsed.subject, 'Set a new password for Perennial');
  assert.deepEqual(await version(), { content_version: before + 1, subject: 'Set a new password for Perennial' });
});
