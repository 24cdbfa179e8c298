import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { sql } from '../../../db/orm.ts';
import { engine, linkOf, nthMail, tokenOf } from '../../support/mail/account-mails.ts';
import { collide, memberWith, newRole, newTenant, outcome, problemsOf, TENANT_LOCK } from '../../support/accounts.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { logIn, newMember, PASSWORD, registration } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['senders'] });
});
afterAll(() => service.stop());

let number = 0;
const newAddress = (): string => `guest${(number += 1)}@example.com`;
const invite = (body: Record<string, unknown>, token?: string) =>
  service.api('POST', '/auth/invitations', body, token ? { token } : {});
/** Who accepts: all that is asked for but the token. */
const person = (overrides: Record<string, unknown> = {}) => {
  const { email: _, ...rest } = registration(overrides);
  return rest;
};
const accept = (token: string, body: Record<string, unknown> = person()) =>
  service.api('POST', '/auth/invitations/accept', { token, ...body }, { token: null });
const remove = (id: number, options = {}) => service.api('DELETE', `/auth/invitations/${id}`, undefined, options);
const get = async (id: number): Promise<Answer['body']> => (await service.api('GET', `/auth/invitations/${id}`)).body;
const DEAD = [400, 'token_invalid'];

/** An invitation of the Admin, and the token of its mail. */
async function invited(
  body: Record<string, unknown> = {},
): Promise<{ invitation: Answer['body']; token: string; email: string }> {
  const email = newAddress();
  const { body: invitation } = await invite({ email, ...body });
  return { invitation, email, token: tokenOf(await nthMail(service, email)) };
}

test('who is invited gets a mail, and becomes a user of the tenant with the roles', async () => {
  await newRole(service, 'Writer', ['emails:write']);
  const email = 'Grace@example.com';
  const made = await invite({ email: ` ${email} `, roles: ['Writer', 'User', 'Writer'] });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get('location'), `/api/v1/auth/invitations/${made.body.id}`);
  const { id, createdAt, updatedAt: _, expiresAt, ...rest } = made.body;
  assert.deepEqual(rest, {
    email,
    roles: ['Writer', 'User'],
    status: 'OPEN',
    invitedBy: 1,
    acceptedAt: null,
    tenantId: 'default',
    version: 1,
  });
  const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;
  assert.ok(Math.abs(days - 7) < 0.001, `${days} days`);
  const mail = await nthMail(service, email);
  assert.equal(`${linkOf(mail).origin}${linkOf(mail).pathname}`, `${service.url}/accept-invitation`);
  const token = tokenOf(mail);
  const answer = await accept(token, person({ username: 'grace', firstName: ' Grace ', lastName: 'Hopper' }));
  assert.equal(answer.status, 201);
  const { id: userId, createdAt: __, updatedAt: ___, ...user } = answer.body;
  assert.deepEqual(user, {
    username: 'grace',
    email,
    firstName: 'Grace',
    lastName: 'Hopper',
    tenantId: 'default',
    active: true,
    emailVerified: true,
    roles: ['Writer', 'User'],
    version: 1,
  });
  const { token: access } = await logIn(service.api, email);
  assert.equal((await service.api('GET', '/auth/profile', undefined, { token: access })).body.id, userId);
  const accepted = await get(id);
  assert.equal(accepted.status, 'ACCEPTED');
  assert.ok(accepted.acceptedAt >= createdAt);
  assert.deepEqual(outcome(await remove(id)), [409, 'conflict']);
});

test('the token is kept as a hash, and in no answer', async () => {
  const { invitation, token, email } = await invited();
  const [row] = await engine<Record<string, unknown>>(
    service,
    sql`select * from invitations where id = ${invitation.id}`,
  );
  assert.equal(row!['token_hash'], createHash('sha256').update(token).digest('base64url'));
  const mails = await engine(service, sql`select * from emails where to_address = ${email}`);
  for (const stored of [row, mails, invitation, (await service.api('GET', '/auth/audit-log')).body])
    assert.ok(!JSON.stringify(stored).includes(token));
});

test('the role is User where none is named, and only there', async () => {
  assert.deepEqual((await invited()).invitation.roles, ['User']);
  assert.deepEqual(problemsOf(await invite({ email: newAddress(), roles: [] })), ['/roles too_few']);
  assert.deepEqual(problemsOf(await invite({ email: newAddress(), roles: ['User', 'Ghost'] })), ['/roles/1 not_found']);
  assert.deepEqual(problemsOf(await invite({ email: 'nobody' })), ['/email invalid_email']);
  assert.deepEqual(
    problemsOf(await invite({ email: newAddress(), tenantId: 'other', expiresAt: '2099-01-01T00:00:00Z', id: 1 })),
    ['/expiresAt', '/id', '/tenantId'].map((path) => `${path} unknown_field`),
  );
});

test('an address that has a user is not invited, whichever tenant it is in', async () => {
  const { user } = await newMember(service.api);
  const foreign = await newTenant(service);
  for (const email of [user.email.toUpperCase(), foreign.user.email]) {
    const answer = await invite({ email });
    assert.deepEqual([outcome(answer), problemsOf(answer)], [[409, 'email_taken'], ['/email email_taken']]);
  }
});

test('nobody invites to more than they may', async () => {
  await newRole(service, 'Host', ['users:read', 'users:write', 'contacts:read']);
  const host = await memberWith(service, 'Host');
  const beyond = await invite({ email: newAddress(), roles: ['Admin'] }, host.token);
  assert.deepEqual(outcome(beyond), [403, 'forbidden']);
  assert.deepEqual(outcome(await invite({ email: newAddress() }, host.token)), [403, 'forbidden'], 'a User may more');
  const within = await invite({ email: newAddress(), roles: ['Host'] }, host.token);
  assert.deepEqual([within.status, within.body.invitedBy], [201, host.user.id]);
});

test('nobody revokes or replaces an invitation to more than they may', async () => {
  await newRole(service, 'Doorman', ['users:read', 'users:write']);
  const { token } = await memberWith(service, 'Doorman');
  const revoke = (id: number) => service.api('DELETE', `/auth/invitations/${id}`, undefined, { token });
  const [above, below] = [newAddress(), newAddress()];
  const ofAdmin = await invite({ email: above, roles: ['Admin'] });
  assert.deepEqual(outcome(await revoke(ofAdmin.body.id)), [403, 'forbidden']);
  assert.deepEqual(outcome(await invite({ email: above, roles: ['Doorman'] }, token)), [403, 'forbidden']);
  assert.equal((await service.api('GET', `/auth/invitations/${ofAdmin.body.id}`)).body.status, 'OPEN');
  const within = await invite({ email: below, roles: ['Doorman'] });
  const again = await invite({ email: below, roles: ['Doorman'] }, token);
  assert.deepEqual([within.status, again.status], [201, 201]);
  assert.equal((await revoke(again.body.id)).status, 204);
});

test('the mail names the inviter, unless a mail program would make a link of the name', async () => {
  await newRole(service, 'Namer', ['users:write']);
  for (const [lastName, isShown] of [
    ['O. Hopper', true],
    ['www.example.com', false],
    ['https://example', false],
  ] as const) {
    const member = await newMember(service.api, { firstName: 'Grace', lastName });
    assert.equal((await service.api('PUT', `/auth/users/${member.user.id}`, { roles: ['Namer'] })).status, 200);
    const email = newAddress();
    assert.equal((await invite({ email, roles: ['Namer'] }, member.token)).status, 201);
    const { text } = (await nthMail(service, email)).parsed;
    assert.equal(text!.replaceAll(/\s+/g, ' ').includes(`Grace ${lastName} invites you`), isShown, text);
    assert.equal(text!.includes(lastName), isShown, text);
  }
});

test('a key invites for its creator', async () => {
  const { body: key } = await service.api('POST', '/auth/api-keys', { name: 'inviter', permissions: ['users:write'] });
  await newRole(service, 'Guest', []);
  const answer = await invite({ email: newAddress(), roles: ['Guest'] }, key.key);
  assert.deepEqual([answer.status, answer.body.invitedBy], [201, 1]);
  assert.deepEqual(
    outcome(await invite({ email: newAddress() }, key.key)),
    [403, 'forbidden'],
    'to no more than it may itself',
  );
});

test('an invitation counts once', async () => {
  const { token } = await invited();
  assert.equal((await accept(token)).status, 201);
  assert.deepEqual(outcome(await accept(token)), DEAD);
});

test('two who accept one invitation at the same moment are one user', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { token, email } = await invited();
    const answers = await collide(service, TENANT_LOCK, [
      () => accept(token),
      () => accept(token),
      () => accept(token),
    ]);
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 400, 400]);
    assert.ok(answers.every((answer) => answer.status === 201 || answer.body.code === 'token_invalid'));
    assert.equal((await service.api('GET', `/auth/users?q=${email}`)).body.data.length, 1);
  }
});

test('inviting again makes the earlier link worthless', async () => {
  const { invitation, token, email } = await invited();
  const again = await invite({ email: email.replace('guest', 'GUEST'), roles: ['Admin'] });
  assert.equal(again.status, 201);
  assert.equal((await service.api('GET', `/auth/invitations/${invitation.id}`)).status, 404);
  assert.deepEqual(outcome(await accept(token)), DEAD);
  const answer = await accept(tokenOf(await nthMail(service, again.body.email)));
  assert.deepEqual([answer.status, answer.body.roles], [201, ['Admin']]);
  const twice = newAddress();
  await Promise.all([invite({ email: twice }), invite({ email: twice })]);
  const open = (await service.api('GET', '/auth/invitations?status=OPEN&limit=200')).body.data.filter(
    (one: { email: string }) => one.email === twice,
  );
  assert.equal(open.length, 1, 'also of two at the same moment one is left');
});

test('a revoked, expired, forged or foreign token is worth nothing', async () => {
  const revoked = await invited();
  assert.deepEqual(outcome(await remove(revoked.invitation.id, { headers: { 'If-Match': '"9"' } })), [
    412,
    'precondition_failed',
  ]);
  assert.equal((await remove(revoked.invitation.id)).status, 204);
  const expired = await invited();
  await engine(service, sql`update invitations set expires_at = now() where id = ${expired.invitation.id}`);
  assert.equal((await get(expired.invitation.id)).status, 'EXPIRED');
  const { token } = await invited();
  const [tenantId, id] = service.deps.links.verify('account/invitation', token)!;
  const forged = {
    revoked: revoked.token,
    expired: expired.token,
    flipped: `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`,
    cut: token.slice(0, -1),
    longer: `${token}A`,
    empty: ' ',
    'another purpose': service.deps.links.sign('account/reset_password', [tenantId!, id!]),
    'another tenant': service.deps.links.sign('account/invitation', ['other', id!]),
    'an id that nobody has': service.deps.links.sign('account/invitation', [
      tenantId!,
      '0190d2a4-7b1c-4c5e-9f3a-2b6d8e4f1a90',
    ]),
  };
  for (const [what, wrong] of Object.entries(forged)) assert.deepEqual(outcome(await accept(wrong)), DEAD, what);
  assert.deepEqual(
    outcome(await service.api('POST', '/auth/reset-password', { token, password: PASSWORD }, { token: null })),
    DEAD,
    'nor is it a reset',
  );
  assert.equal((await accept(token)).status, 201, 'the token itself is still good');
});

test('what is wrong is answered at once, and the invitation stays open', async () => {
  const { token, email } = await invited();
  assert.deepEqual(
    problemsOf(await accept(token, { username: 'no spaces', password: 'abc', firstName: ' ', lastName: 'x' })),
    [
      '/firstName required',
      '/password no_digit',
      '/password no_special_character',
      '/password no_upper_case',
      '/password too_short',
      '/username format',
    ],
  );
  for (const extra of [
    { email: 'else@example.com' },
    { tenantId: 'other' },
    { roles: ['Admin'] },
    { id: 1 },
    { active: false },
    { emailVerified: true },
  ]) {
    assert.deepEqual(
      problemsOf(await accept(token, { ...person(), ...extra })),
      Object.keys(extra).map((name) => `/${name} unknown_field`),
    );
  }
  const { username } = await newMember(service.api);
  assert.deepEqual(outcome(await accept(token, person({ username }))), [409, 'username_taken']);
  const answer = await accept(token, person({ username: email }));
  assert.deepEqual(
    [answer.status, answer.body.username, answer.body.roles, answer.body.tenantId],
    [201, email, ['User'], 'default'],
  );
});

test('an address that registers meanwhile has its user already', async () => {
  const { token, email } = await invited();
  await newMember(service.api, { email });
  assert.deepEqual(outcome(await accept(token)), [409, 'email_taken']);
  const page = await fetch(`${service.url}/accept-invitation`, {
    method: 'POST',
    body: new URLSearchParams({ ...(person() as Record<string, string>), token }),
  });
  assert.deepEqual(
    [page.status, (await page.text()).includes('An account with this address already exists')],
    [409, true],
  );
});

test('an invitation holds where registration is disabled, and needs no verification', async () => {
  const closed = await startVariant(service, {
    ENABLE_REGISTRATION: false,
    ENABLE_EMAIL_VERIFICATION: true,
    ENABLE_MULTI_TENANT: true,
  });
  try {
    const { token, email } = await invited();
    const answer = await closed.api('POST', '/auth/invitations/accept', { token, ...person() }, { token: null });
    assert.deepEqual(
      [answer.status, answer.body.active, answer.body.emailVerified, answer.body.tenantId],
      [201, true, true, 'default'],
    );
    await logIn(closed.api, email);
  } finally {
    await closed.stop();
  }
});

test("a tenant's invitations are its own, and so is who accepts them", async () => {
  const foreign = await newTenant(service);
  const ours = await invited();
  for (const method of ['GET', 'DELETE']) {
    assert.deepEqual(
      outcome(
        await service.api(method, `/auth/invitations/${ours.invitation.id}`, undefined, { token: foreign.token }),
      ),
      [404, 'not_found'],
    );
  }
  const email = newAddress();
  await invite({ email, roles: ['Admin'] }, foreign.token);
  assert.deepEqual(
    (await service.api('GET', '/auth/invitations', undefined, { token: foreign.token })).body.data.map(
      (one: { email: string }) => one.email,
    ),
    [email],
  );
  const { body: user } = await accept(tokenOf(await nthMail(service, email)));
  assert.deepEqual([user.tenantId, user.roles], [foreign.user.tenantId, ['Admin']]);
});

test('invitations of an address are few, whichever tenants invite it', async () => {
  const foreign = await newTenant(service);
  const email = newAddress();
  for (const token of [undefined, foreign.token, undefined, foreign.token, undefined])
    assert.equal((await invite({ email }, token)).status, 201);
  for (const token of [undefined, foreign.token]) {
    const refused = await invite({ email: email.toUpperCase() }, token);
    assert.deepEqual(
      [outcome(refused), Number(refused.headers.get('retry-after')) > 600],
      [[429, 'too_many_requests'], true],
    );
  }
  // The last one of each still counts.
  const {
    body: { data },
  } = await service.api('GET', '/auth/invitations?status=OPEN');
  assert.ok(data.some((one: { email: string }) => one.email === email));
});

test('invitations are listed in pages, by status', async () => {
  const { invitation } = await invited();
  const first = (await service.api('GET', '/auth/invitations?limit=1&status=OPEN')).body;
  assert.deepEqual([first.data, first.page.hasMore], [[invitation], true]);
  const next = (await service.api('GET', `/auth/invitations?limit=1&status=OPEN&cursor=${first.page.nextCursor}`)).body;
  assert.ok(next.data[0].id < invitation.id);
  for (const status of ['OPEN', 'ACCEPTED', 'EXPIRED']) {
    const { data } = (await service.api('GET', `/auth/invitations?limit=200&status=${status}`)).body;
    assert.ok(data.length > 0 && data.every((one: { status: string }) => one.status === status), status);
  }
  assert.equal((await service.api('GET', '/auth/invitations?status=GONE')).status, 400);
});

test('the page shows a form, changes nothing until it is sent, and says what is wrong', async () => {
  const { invitation, token, email } = await invited();
  const page = (path: string, fields?: Record<string, string>) =>
    fetch(`${service.url}${path}`, fields ? { method: 'POST', body: new URLSearchParams(fields) } : {});
  const address = `/accept-invitation?token=${token}`;
  for (const method of ['GET', 'HEAD']) assert.equal((await fetch(`${service.url}${address}`, { method })).status, 200);
  const shown = await page(address);
  const html = await shown.text();
  assert.deepEqual(
    ['content-type', 'cache-control', 'referrer-policy'].map((name) => shown.headers.get(name)),
    ['text/html; charset=utf-8', 'no-store', 'no-referrer'],
  );
  assert.match(
    shown.headers.get('content-security-policy') ?? '',
    /^default-src 'none';.*form-action 'self'.*frame-ancestors 'none'/,
  );
  assert.ok(html.includes(email) && !/<script|https?:/.test(html));
  for (const name of ['firstName', 'lastName', 'username', 'password'])
    assert.match(html, new RegExp(`<label for="${name}">.*[^]*<input id="${name}" name="${name}"`));
  assert.deepEqual(await get(invitation.id), invitation, 'to look changes nothing');
  const wrong = await page('/accept-invitation', {
    token,
    username: '<b>"',
    password: 'short',
    firstName: 'Ada',
    lastName: 'Byron',
  });
  const mended = await wrong.text();
  assert.equal(wrong.status, 400);
  assert.ok(
    mended.includes('value="&lt;b&gt;&quot;"') &&
      mended.includes('value="Ada"') &&
      mended.includes('id="password-error"') &&
      mended.includes('id="username-error"'),
  );
  assert.ok(!mended.includes('value="short"'));
  const { username } = await newMember(service.api);
  const taken = await page('/accept-invitation', { ...(person({ username }) as Record<string, string>), token });
  assert.deepEqual([taken.status, (await taken.text()).includes('id="username-error"')], [409, true]);
  const done = await page('/accept-invitation', { ...(person() as Record<string, string>), token });
  assert.deepEqual([done.status, (await done.text()).includes('Your account was created')], [200, true]);
  await logIn(service.api, email);
  for (const dead of [
    await page(address),
    await page('/accept-invitation'),
    await page('/accept-invitation', { ...(person() as Record<string, string>), token }),
  ]) {
    assert.equal(dead.status, 400);
    assert.match(await dead.text(), /no longer works/);
  }
});
