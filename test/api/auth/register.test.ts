import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm } from '../../../db/orm.ts';
import { User } from '../../../db/entities/auth.ts';
import { startService, type Service } from '../../support/service.ts';
import { logIn, newMember, PASSWORD, registration } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const register = (body: unknown) => service.api('POST', '/auth/register', body, { token: null });
const problemsOf = (answer: { body: { errors?: { path: string; code: string }[] } }) =>
  (answer.body.errors ?? []).map((e) => `${e.path} ${e.code}`).sort();

test('a registration answers the user, in the tenant default with the role User', async () => {
  const answer = await register({
    username: 'Ada.Byron',
    email: ' Ada@Example.com ',
    password: PASSWORD,
    firstName: ' Ada ',
    lastName: 'Byron',
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get('location'), '/api/v1/auth/profile');
  const { id, createdAt, updatedAt, ...rest } = answer.body;
  assert.deepEqual(rest, {
    username: 'Ada.Byron',
    email: 'Ada@Example.com',
    firstName: 'Ada',
    lastName: 'Byron',
    tenantId: 'default',
    active: true,
    emailVerified: false,
    roles: ['User'],
    version: 1,
  });
  assert.ok(Number.isSafeInteger(id) && id > 0);
  for (const at of [createdAt, updatedAt]) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('the password is kept as an argon2id hash and nothing else', async () => {
  const { user } = await newMember(service.api);
  const stored = await engineEm(service.deps.orm).findOneOrFail(User, { id: user.id });
  assert.match(stored.passwordHash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.ok(!JSON.stringify(user).includes('argon2'));
});

test('every rule that is not met is answered at once', async () => {
  assert.deepEqual(
    problemsOf(
      await register({ username: 'no spaces', email: 'nobody', password: 'abc', firstName: ' ', lastName: 'x' }),
    ),
    [
      '/email invalid_email',
      '/firstName required',
      '/password no_digit',
      '/password no_special_character',
      '/password no_upper_case',
      '/password too_short',
      '/username format',
    ],
  );
  assert.deepEqual(
    problemsOf(await register({ username: 'u'.repeat(51), email: `${'e'.repeat(90)}@example.com`, roles: ['Admin'] })),
    [
      '/email too_long',
      '/firstName required',
      '/lastName required',
      '/password required',
      '/roles unknown_field',
      '/username too_long',
    ],
  );
});

test('each rule of the password policy counts', async () => {
  for (const [password, code] of [
    ['Ab1-xyz', 'too_short'],
    ['abcdefg1-', 'no_upper_case'],
    ['ABCDEFG1-', 'no_lower_case'],
    ['Abcdefgh-', 'no_digit'],
    ['Abcdefgh1', 'no_special_character'],
    ['Abcdefgh 1', 'no_special_character'],
    [`Aa1-${'x'.repeat(197)}`, 'too_long'],
  ])
    assert.deepEqual(problemsOf(await register(registration({ password }))), [`/password ${code}`], password);
  for (const password of ['Ab1-wxyz', `Aa1-${'x'.repeat(196)}`, 'Ünïcödé٣€']) {
    const { username } = await newMember(service.api, { password });
    await logIn(service.api, username, password);
  }
});

test('a password is the same however its characters are composed', async () => {
  const { username } = await newMember(service.api, { password: 'Gr\u00fc\u00dfe-123'.normalize('NFC') });
  await logIn(service.api, username, 'Gr\u00fc\u00dfe-123'.normalize('NFD'));
});

test('usernames and addresses are unique ignoring case', async () => {
  const { user } = await newMember(service.api, { username: 'Grace', email: 'grace@example.com' });
  const name = await register(registration({ username: 'gRACE' }));
  assert.deepEqual(
    [name.status, name.body.code, problemsOf(name)],
    [409, 'username_taken', ['/username username_taken']],
  );
  const email = await register(registration({ email: 'GRACE@EXAMPLE.COM' }));
  assert.deepEqual([email.status, email.body.code, problemsOf(email)], [409, 'email_taken', ['/email email_taken']]);
  assert.equal(user.username, 'Grace');
});

test('twenty registrations of one name at once make one user', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => register(registration({ username: 'same', email: `same${n}@example.com` }))),
  );
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, ...Array<number>(19).fill(409)]);
});

test('nobody takes an address of somebody else as the username', async () => {
  assert.deepEqual(problemsOf(await register(registration({ username: 'grace@example.org' }))), ['/username format']);
  assert.deepEqual(problemsOf(await register(registration({ username: '@home' }))), ['/username format']);
  const own = await newMember(service.api, { username: 'Own@Example.com', email: 'own@example.com' });
  assert.equal((await logIn(service.api, 'OWN@example.com')).token.split('.').length, 3);
  assert.equal(own.user.username, 'Own@Example.com');
});

test('names of any script are taken, and none makes the service stumble', async () => {
  assert.equal((await register(registration({ username: 'zoë_李.Ωμέγα' }))).status, 201);
  for (const username of ['\u0130'.repeat(50), '\uFDFA'.repeat(50), 'a\u200Bb', 'a b', '-a', '😀', 'a\u0000b']) {
    assert.equal((await register(registration({ username }))).status, 400, JSON.stringify(username));
  }
  // In Unicode within the limit, in ASCII not.
  assert.deepEqual(
    problemsOf(await register(registration({ email: `x@${'龍一鬱丁黒世鯨中.'.repeat(4)}example.com` }))),
    ['/email too_long'],
  );
});

test('registration is refused where it is disabled', async () => {
  const closed = await startVariant(service, { ENABLE_REGISTRATION: false });
  const answer = await closed.api('POST', '/auth/register', registration(), { token: null });
  await closed.stop();
  assert.deepEqual([answer.status, answer.body.code], [403, 'registration_disabled']);
});

test('with email verification on, a new user can not log in before it', async () => {
  const strict = await startVariant(service, { ENABLE_EMAIL_VERIFICATION: true });
  const input = registration();
  assert.equal((await strict.api('POST', '/auth/register', input, { token: null })).body.active, false);
  const login = (password: string) =>
    strict.api('POST', '/auth/login', { username: input.username, password }, { token: null });
  const [right, wrong] = [await login(PASSWORD), await login('wrong')];
  await strict.stop();
  assert.deepEqual([right.status, right.body.code], [403, 'email_unverified']);
  assert.deepEqual([wrong.status, wrong.body.code], [401, 'invalid_credentials']);
});

test('with many tenants, a registration opens its own as its Admin', async () => {
  const many = await startVariant(service, { ENABLE_MULTI_TENANT: true });
  try {
    const [one, two] = [await newMember(many.api), await newMember(many.api)];
    for (const { user } of [one, two]) {
      assert.match(user.tenantId, /^[a-z0-9][a-z0-9_-]{0,49}$/);
      assert.deepEqual(user.roles, ['Admin']);
      assert.ok(!user.tenantId.includes(user.username));
    }
    assert.notEqual(one.user.tenantId, two.user.tenantId);
    const rules = await many.api('GET', '/scoring/rules?sort=id', undefined, { token: one.token });
    assert.deepEqual(
      rules.body.data.map((r: { eventType: string; points: number }) => [r.eventType, r.points]),
      [
        ['EMAIL_OPENED', 5],
        ['EMAIL_CLICKED', 10],
        ['FORM_SUBMITTED', 25],
        ['WEBSITE_VISITED', 2],
      ],
    );
    assert.deepEqual(
      new Set(rules.body.data.map((r: { tenantId: string }) => r.tenantId)),
      new Set([one.user.tenantId]),
    );
    const { warm, hot } = (await many.api('GET', '/scoring/settings', undefined, { token: two.token })).body;
    assert.deepEqual([warm, hot], [30, 70]);
    const foreign = `/scoring/rules/${rules.body.data[0].id}`;
    assert.equal((await many.api('GET', foreign, undefined, { token: one.token })).status, 200);
    assert.equal((await many.api('GET', foreign, undefined, { token: two.token })).status, 404);
    assert.equal((await many.api('DELETE', foreign, undefined, { token: two.token })).status, 404);
  } finally {
    await many.stop();
  }
});
