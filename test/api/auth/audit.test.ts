import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { sql } from '../../../db/orm.ts';
import { withClient } from '../../../dev/stack/postgres.ts';
import { engine, nthMail, tokenOf } from '../../support/mail/account-mails.ts';
import { memberWith, newRole, newTenant, outcome, problemsOf } from '../../support/accounts.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { newMember, PASSWORD, registration } from '../../support/users.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['senders'] });
});
afterAll(() => service.stop());

interface Entry {
  id: number;
  at: string;
  actorType: string;
  actorId: number | null;
  actorName: string | null;
  action: string;
  resourceType: string;
  resourceId: string | null;
  before: unknown;
  after: unknown;
  requestId: string | null;
  address: string | null;
}
/** The last entries, oldest first. */
const entries = async (query = ''): Promise<Entry[]> =>
  (await service.api('GET', `/auth/audit-log?limit=200${query}`)).body.data.reverse();
const newest = async (): Promise<number> => (await service.api('GET', '/auth/audit-log?limit=1')).body.data[0].id;
/** What `work` left in the log. */
async function logged(work: () => Promise<unknown>): Promise<Entry[]> {
  const before = await newest();
  await work();
  return (await entries()).filter((entry) => entry.id > before);
}
const told = ({ action, resourceType, resourceId, before, after }: Entry) => [
  action,
  `${resourceType}/${resourceId}`,
  before,
  after,
];
async function ok(method: string, path: string, body?: unknown, options = {}): Promise<Answer['body']> {
  const answer = await service.api(method, path, body, options);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

test('an entry says who did what to what, from where, by which request', async () => {
  const { user } = await newMember(service.api);
  const [entry] = await logged(() =>
    ok('PUT', `/auth/users/${user.id}`, { active: false }, { headers: { 'X-Request-Id': 'audit-1' } }),
  );
  const { id, at, ...rest } = entry!;
  assert.deepEqual(rest, {
    actorType: 'user',
    actorId: 1,
    actorName: 'admin',
    action: 'user.updated',
    resourceType: 'user',
    resourceId: String(user.id),
    before: { active: true },
    after: { active: false },
    requestId: 'audit-1',
    address: '127.0.0.1',
    tenantId: 'default',
  });
  assert.ok(id > 0 && Math.abs(Date.parse(at) - Date.now()) < 60_000);
});

test("an account's life is told: registered, logged in and out, password, address", async () => {
  const input = registration();
  const found = await logged(async () => {
    await ok('POST', '/auth/register', input, { token: null });
    const { accessToken: token } = await ok(
      'POST',
      '/auth/login',
      { username: input.email, password: PASSWORD },
      { token: null },
    );
    await ok('PUT', '/auth/profile', { firstName: 'Augusta' }, { token });
    await ok('PUT', '/auth/profile', { email: 'augusta@example.com', currentPassword: PASSWORD }, { token });
    await ok('PUT', '/auth/password', { currentPassword: PASSWORD, newPassword: 'Next-Staple-10' }, { token });
    await ok('POST', '/auth/logout', undefined, { token });
  });
  const id = String(found[0]!.resourceId);
  assert.deepEqual(found.map(told), [
    ['user.registered', `user/${id}`, null, { username: input.username, email: input.email, roles: ['User'] }],
    ['user.logged_in', `user/${id}`, null, null],
    ['user.email_changed', `user/${id}`, { email: input.email }, { email: 'augusta@example.com' }],
    ['user.password_changed', `user/${id}`, null, null],
    ['user.logged_out', `user/${id}`, null, null],
  ]);
  for (const entry of found)
    assert.deepEqual([entry.actorType, entry.actorId, entry.actorName], ['user', Number(id), input.username]);
});

test('a failed login is told of a user, and of nobody where the name is unknown', async () => {
  const { user, username, token } = await newMember(service.api);
  const login = (name: string, password: string) =>
    service.api('POST', '/auth/login', { username: name, password }, { token: null });
  const found = await logged(async () => {
    await login(username, 'Wrong-Horse-1');
    await login('Battery-Staple-Secret', 'Wrong-Horse-1');
    await service.api(
      'PUT',
      '/auth/password',
      { currentPassword: 'Wrong-Horse-1', newPassword: 'Next-Staple-10' },
      { token },
    );
    for (let n = 0; n < 10; n += 1) await login(username, 'Wrong-Horse-1');
  });
  assert.deepEqual(
    found.map(told),
    [...Array<string>(9).fill('user.login_failed'), 'user.login_locked'].map((action) => [
      action,
      `user/${user.id}`,
      null,
      null,
    ]),
  );
  for (const entry of found)
    assert.deepEqual(
      [entry.actorType, entry.actorId, entry.actorName, entry.address],
      ['anonymous', null, null, '127.0.0.1'],
    );
});

test('that a disabled user knows the password is told', async () => {
  const { user, username } = await newMember(service.api);
  await ok('PUT', `/auth/users/${user.id}`, { active: false });
  const found = await logged(() =>
    service.api('POST', '/auth/login', { username, password: PASSWORD }, { token: null }),
  );
  assert.deepEqual(found.map(told), [['user.login_failed', `user/${user.id}`, null, { active: false }]]);
});

test('roles, invitations and keys are told of', async () => {
  const ids: Record<string, number> = {};
  const found = await logged(async () => {
    ids['role'] = (await newRole(service, 'Editor', ['emails:read'])).id;
    await ok('PUT', `/auth/roles/${ids['role']}`, { name: 'Author', permissions: ['emails:read', 'emails:write'] });
    await ok('DELETE', `/auth/roles/${ids['role']}`);
    ids['first'] = (await ok('POST', '/auth/invitations', { email: 'first@example.com' })).id;
    await ok('DELETE', `/auth/invitations/${ids['first']}`);
    ids['second'] = (await ok('POST', '/auth/invitations', { email: 'second@example.com' })).id;
    const { email: _, ...person } = registration({ username: 'second' });
    ids['user'] = (
      await ok(
        'POST',
        '/auth/invitations/accept',
        { ...person, token: tokenOf(await nthMail(service, 'second@example.com')) },
        { token: null },
      )
    ).id;
    ids['key'] = (await ok('POST', '/auth/api-keys', { name: 'Robot', permissions: ['contacts:read'] })).id;
    await ok('DELETE', `/auth/api-keys/${ids['key']}`);
  });
  assert.deepEqual(found.map(told), [
    ['role.created', `role/${ids['role']}`, null, { name: 'Editor', description: null, permissions: ['emails:read'] }],
    [
      'role.updated',
      `role/${ids['role']}`,
      { name: 'Editor', permissions: ['emails:read'] },
      { name: 'Author', permissions: ['emails:read', 'emails:write'] },
    ],
    [
      'role.deleted',
      `role/${ids['role']}`,
      { name: 'Author', description: null, permissions: ['emails:read', 'emails:write'] },
      null,
    ],
    ['invitation.created', `invitation/${ids['first']}`, null, { email: 'first@example.com', roles: ['User'] }],
    ['invitation.revoked', `invitation/${ids['first']}`, { email: 'first@example.com', roles: ['User'] }, null],
    ['invitation.created', `invitation/${ids['second']}`, null, { email: 'second@example.com', roles: ['User'] }],
    [
      'invitation.accepted',
      `invitation/${ids['second']}`,
      null,
      { userId: ids['user'], username: 'second', email: 'second@example.com', roles: ['User'] },
    ],
    [
      'api_key.created',
      `api_key/${ids['key']}`,
      null,
      { name: 'Robot', permissions: ['contacts:read'], expiresAt: null },
    ],
    ['api_key.deleted', `api_key/${ids['key']}`, { name: 'Robot', permissions: ['contacts:read'] }, null],
  ]);
  assert.deepEqual(
    found.map((entry) => entry.actorId),
    [1, 1, 1, 1, 1, 1, ids['user'], 1, 1],
  );
});

test('campaigns, settings and what is deleted are told of, also when a key did it', async () => {
  const { id: keyId, key } = await ok('POST', '/auth/api-keys', {
    name: 'Runner',
    permissions: [
      'campaigns:write',
      'emails:write',
      'contacts:write',
      'forms:write',
      'scoring:write',
      'settings:write',
    ],
  });
  const by = { token: key };
  const ids: Record<string, number> = {};
  const made = async (name: string, path: string, body: object, as: object = {}): Promise<void> => {
    ids[name] = (await ok('POST', path, body, as)).id;
  };
  await made('campaign', '/campaigns', { name: 'Welcome', steps: [{ type: 'WAIT', config: { waitMinutes: 5 } }] });
  await made('template', '/emails/templates', { name: 'Hello', subject: 'Hi', content: '<p>Hi</p>' });
  await made('segment', '/contacts/lists', { name: 'Guests' });
  await made('form', '/forms', {
    name: 'Contact',
    fields: [{ name: 'email', type: 'email', label: 'Email', required: true }],
  });
  const found = await logged(async () => {
    for (const act of ['start', 'pause', 'pause', 'resume', 'stop', 'stop'])
      await ok('POST', `/campaigns/${ids['campaign']}/${act}`, undefined, by);
    await ok('DELETE', `/campaigns/${ids['campaign']}`, undefined, by);
    await ok('DELETE', `/emails/templates/${ids['template']}`, undefined, by);
    await ok('DELETE', `/contacts/lists/${ids['segment']}`, undefined, by);
    await ok('DELETE', `/forms/${ids['form']}`, undefined, by);
    await made('rule', '/scoring/rules', { name: 'Click', eventType: 'EMAIL_CLICKED', points: 7 }, by);
    const rule = `/scoring/rules/${ids['rule']}`;
    await ok('PUT', rule, { points: 8, decay: { halfLifeDays: 30 } }, by);
    await ok('PUT', rule, { points: 8 }, by);
    await ok('DELETE', rule, undefined, by);
    await ok('PUT', '/scoring/settings', { warm: 20 }, by);
    await ok('PUT', '/scoring/settings', { warm: 20 }, by);
  });
  const status = (value: string) => ({ status: value });
  const rule = `scoring_rule/${ids['rule']}`;
  const content = {
    ...{ name: 'Click', eventType: 'EMAIL_CLICKED', points: 7, category: null, weight: 1, conditions: [] },
    ...{ decay: null, maxPerContact: null, target: 'contact', active: true },
  };
  assert.deepEqual(found.map(told), [
    [
      'campaign.started',
      `campaign/${ids['campaign']}`,
      { status: 'DRAFT', publishedVersion: null },
      { status: 'ACTIVE', publishedVersion: 1 },
    ],
    ['campaign.paused', `campaign/${ids['campaign']}`, status('ACTIVE'), status('PAUSED')],
    ['campaign.resumed', `campaign/${ids['campaign']}`, status('PAUSED'), status('ACTIVE')],
    ['campaign.stopped', `campaign/${ids['campaign']}`, status('ACTIVE'), status('STOPPED')],
    ['campaign.deleted', `campaign/${ids['campaign']}`, { name: 'Welcome', status: 'STOPPED' }, null],
    ['email_template.deleted', `email_template/${ids['template']}`, { name: 'Hello', subject: 'Hi' }, null],
    ['segment.deleted', `segment/${ids['segment']}`, { name: 'Guests', type: 'static' }, null],
    ['form.deleted', `form/${ids['form']}`, { name: 'Contact', status: 'ACTIVE' }, null],
    ['scoring_rule.created', rule, null, content],
    ['scoring_rule.updated', rule, { points: 7, decay: null }, { points: 8, decay: { halfLifeDays: 30 } }],
    ['scoring_rule.deleted', rule, { ...content, points: 8, decay: { halfLifeDays: 30 } }, null],
    ['scoring_settings.updated', 'scoring_settings/null', { warm: 30 }, { warm: 20 }],
  ]);
  for (const entry of found)
    assert.deepEqual([entry.actorType, entry.actorId, entry.actorName], ['api_key', keyId, 'Runner']);
});

test('deletions of contacts and companies, lists, imports and thresholds are told of, by ids: nothing says whom it was about', async () => {
  const ids: Record<string, number> = {};
  const threshold = { name: 'Hot', score: 50, action: { type: 'NONE' } };
  const found = await logged(async () => {
    ids['contact'] = (
      await ok('POST', '/contacts', { firstName: 'Xanthippe', lastName: 'Quill', email: 'xanthippe@example.com' })
    ).id;
    ids['company'] = (await ok('POST', '/contacts/companies', { name: 'Xanthippe Quill' })).id;
    await ok('DELETE', `/contacts/${ids['contact']}`, undefined, { headers: { 'X-Request-Id': 'audit-2' } });
    await ok('DELETE', `/contacts/companies/${ids['company']}`);
    const list = (await ok('POST', '/contacts/lists', { name: 'Guests' })).id;
    const file = new FormData();
    file.set('listId', String(list));
    file.set('mode', 'create');
    file.set('file', new Blob(['firstName,lastName,email\nXanthippe,Quill,xanthippe@example.com\n']), 'xanthippe.csv');
    ids['list'] = list;
    ids['import'] = (await ok('POST', '/contacts/import', file)).id;
    await ok('POST', `/contacts/imports/${ids['import']}/cancel`);
    await ok('POST', `/contacts/imports/${ids['import']}/undo`);
    ids['threshold'] = (await ok('POST', '/scoring/thresholds', threshold)).id;
    const path = `/scoring/thresholds/${ids['threshold']}`;
    await ok('PUT', path, { score: 60, action: { type: 'ADD_TO_LIST', listId: list } });
    await ok('PUT', path, { score: 60 });
    await ok('DELETE', path);
  });
  const [listId, importEntry] = [ids['list'], `contact_import/${ids['import']}`];
  assert.deepEqual(found.map(told), [
    ['contact.deleted', `contact/${ids['contact']}`, null, null],
    ['company.deleted', `company/${ids['company']}`, null, null],
    ['segment.created', `segment/${listId}`, null, { name: 'Guests', type: 'static', doubleOptIn: false, version: 1 }],
    ['contact_import.started', importEntry, null, { mode: 'create', dryRun: false, listId }],
    ['contact_import.cancelled', importEntry, { status: 'PENDING' }, { status: 'CANCELLED' }],
    ['contact_import.undo_requested', importEntry, null, null],
    ['scoring_threshold.created', `scoring_threshold/${ids['threshold']}`, null, threshold],
    [
      'scoring_threshold.updated',
      `scoring_threshold/${ids['threshold']}`,
      { score: 50, action: { type: 'NONE' } },
      { score: 60, action: { type: 'ADD_TO_LIST', listId } },
    ],
    [
      'scoring_threshold.deleted',
      `scoring_threshold/${ids['threshold']}`,
      { ...threshold, score: 60, action: { type: 'ADD_TO_LIST', listId } },
      null,
    ],
  ]);
  for (const entry of found) assert.deepEqual([entry.actorType, entry.actorId, entry.actorName], ['user', 1, 'admin']);
  assert.equal(found[0]!.requestId, 'audit-2');
  assert.doesNotMatch(JSON.stringify(found), /xanthippe|quill/i);
});

test('what did not happen is not told', async () => {
  const { user } = await newMember(service.api);
  const { id: company } = await ok('POST', '/contacts/companies', { name: 'Stays' });
  assert.deepEqual(
    await logged(async () => {
      assert.equal((await service.api('PUT', '/auth/users/1', { active: false })).status, 409);
      assert.equal((await service.api('PUT', `/auth/users/${user.id}`, { roles: ['Ghost'] })).status, 400);
      assert.equal((await service.api('PUT', `/auth/users/${user.id}`, user)).status, 200);
      for (const path of ['/forms/999', '/contacts/999', '/contacts/companies/999', '/scoring/thresholds/999'])
        assert.equal((await service.api('DELETE', path)).status, 404, path);
      for (const act of ['cancel', 'undo'])
        assert.equal((await service.api('POST', `/contacts/imports/999/${act}`)).status, 404, act);
      assert.equal(
        (await service.api('DELETE', `/contacts/companies/${company}`, undefined, { headers: { 'if-match': '"9"' } }))
          .status,
        412,
      );
      assert.equal(
        (await service.api('POST', '/auth/register', registration({ username: user.username }), { token: null }))
          .status,
        409,
      );
    }),
    [],
  );
});

test('what can not be told does not happen', async () => {
  const owner = service.slot.env['DATABASE_MIGRATION_URL']!;
  const role = await newRole(service, 'Stays', []);
  await withClient(owner, (client) =>
    client.query(
      `alter table audit_log add constraint mute check (action not in ('role.created', 'role.deleted', 'user.registered')) not valid`,
    ),
  );
  try {
    const lost = registration();
    const answers = [
      await service.api('POST', '/auth/roles', { name: 'Lost', permissions: [] }),
      await service.api('DELETE', `/auth/roles/${role.id}`),
      await service.api('POST', '/auth/register', lost, { token: null }),
    ];
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [500, 500, 500],
    );
    assert.deepEqual(
      (await ok('GET', '/auth/roles?limit=200')).data
        .map((one: { name: string }) => one.name)
        .filter((name: string) => ['Lost', 'Stays'].includes(name)),
      ['Stays'],
    );
    assert.deepEqual((await ok('GET', `/auth/users?q=${lost.username}`)).data, []);
  } finally {
    await withClient(owner, (client) => client.query('alter table audit_log drop constraint mute'));
  }
});

test('entries are filtered and paged', async () => {
  const { user, username, token } = await newMember(service.api);
  await service.api('POST', '/auth/logout', undefined, { token });
  const of = async (query: string): Promise<string[]> => (await entries(query)).map((entry) => entry.action);
  assert.deepEqual(await of(`&actorType=user&actorId=${user.id}`), [
    'user.registered',
    'user.logged_in',
    'user.logged_out',
  ]);
  assert.deepEqual(await of(`&resourceType=user&resourceId=${user.id}&action=user.logged_in`), ['user.logged_in']);
  assert.deepEqual(await of(`&resourceType=form&resourceId=${user.id}`), []);
  const mine = await entries(`&actorId=${user.id}`);
  const [first, , last] = mine.map((entry) => entry.at) as [string, string, string];
  const between = await entries(`&actorId=${user.id}&atAfter=${first}&atBefore=${last}`);
  assert.deepEqual(
    between,
    mine.filter((entry) => entry.at > first && entry.at < last),
    'both ends are exclusive',
  );
  assert.deepEqual(await of(`&actorId=${user.id}&atAfter=${last}`), []);
  assert.equal(
    mine.every((entry) => entry.actorName === username),
    true,
  );
  const newestFirst = (await ok('GET', '/auth/audit-log?limit=2')).data;
  assert.ok(newestFirst[0].id > newestFirst[1].id);
  const page = await ok('GET', `/auth/audit-log?limit=2&actorId=${user.id}`);
  const rest = await ok('GET', `/auth/audit-log?limit=2&actorId=${user.id}&cursor=${page.page.nextCursor}`);
  assert.deepEqual(
    [...page.data, ...rest.data].map((entry: Entry) => entry.id),
    mine.map((entry) => entry.id).reverse(),
  );
  assert.deepEqual(
    problemsOf(await service.api('GET', '/auth/audit-log?action=odd&actorType=god&actorId=x&atAfter=now')),
    ['/action enum', '/actorId type', '/actorType enum', '/atAfter format'],
  );
});

test("the log is for those who may read it, and of one's own tenant", async () => {
  const foreign = await newTenant(service);
  const seen = (await ok('GET', '/auth/audit-log?sort=id', undefined, { token: foreign.token })).data;
  assert.deepEqual(
    seen.map((entry: Entry) => [entry.action, entry.actorId]),
    [
      ['user.registered', foreign.user.id],
      ['user.logged_in', foreign.user.id],
    ],
  );
  assert.deepEqual(await entries(`&actorId=${foreign.user.id}`), []);
  assert.deepEqual(
    outcome(
      await service.api('GET', '/auth/audit-log', undefined, { token: (await memberWith(service, 'User')).token }),
    ),
    [403, 'forbidden'],
  );
  await newRole(service, 'Auditor', ['audit-log:read']);
  assert.equal(
    (await service.api('GET', '/auth/audit-log', undefined, { token: (await memberWith(service, 'Auditor')).token }))
      .status,
    200,
  );
});

test('nobody can change the log, not even the service', async () => {
  const { id } = (await entries())[0]!;
  for (const method of ['PUT', 'POST', 'DELETE'])
    assert.equal((await service.api(method, '/auth/audit-log', {})).status, 405, method);
  const client = new pg.Client({ connectionString: service.slot.env['DATABASE_URL'] });
  await client.connect();
  try {
    for (const become of ['select 1', 'set role perennial_engine']) {
      await client.query(become);
      await client.query(`select set_config('app.tenant_id', 'default', false)`);
      for (const change of [
        `update audit_log set action = 'nothing' where id = ${id}`,
        `delete from audit_log where id = ${id}`,
        'truncate audit_log',
        'drop table audit_log',
        'alter table audit_log disable row level security',
      ]) {
        await assert.rejects(
          client.query(change),
          (error) => error instanceof pg.DatabaseError && error.code === '42501',
          `${become}: ${change}`,
        );
      }
    }
  } finally {
    await client.end();
  }
  assert.equal((await entries())[0]!.id, id);
});

test('the log holds no secret', async () => {
  const rows = await engine<Record<string, unknown>>(service, sql`select * from audit_log`);
  assert.ok(rows.length > 50);
  assert.doesNotMatch(
    JSON.stringify(rows),
    /argon2|pk_[\w-]{20}|Staple|Horse|"(\w*password\w*|\w*hash|\w*token|\w*secret)":/i,
  );
});
