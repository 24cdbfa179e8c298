import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { connect, engineEm, rows, sql, tenantEm, type Orm } from '../../../db/orm.ts';
import { Role, User } from '../../../db/entities/auth.ts';
import { ensureAdmin } from '../../../domain/accounts/ensure-admin.ts';
import { PERMISSIONS, USER_PERMISSIONS } from '../../../domain/auth/access/permissions.ts';
import { provisionTenant } from '../../../domain/accounts/provision-tenant.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';

let slot: Slot;
let orms: Orm[];
beforeAll(async () => {
  slot = await claimSlot();
  // Two, as two API processes have.
  orms = [
    await connect(slot.env['DATABASE_URL']!, { poolMax: 4 }),
    await connect(slot.env['DATABASE_URL']!, { poolMax: 4 }),
  ];
});
afterAll(async () => {
  await Promise.all(orms.map((orm) => orm.close()));
  await slot.release();
});

const told: unknown[] = [];
const log = {
  info: (details: object) => {
    told.push(details);
  },
};
const env = { ADMIN_USERNAME: 'Root', ADMIN_EMAIL: 'Root@Example.com', ADMIN_PASSWORD: 'Correct-Horse-7' };
const ensure = (overrides: Partial<typeof env> = {}) =>
  Promise.all(orms.map((orm) => ensureAdmin({ orm, env: { ...env, ...overrides }, log })));
const users = () => engineEm(orms[0]!).find(User, {}, { orderBy: { id: 'asc' } });

test('without a password there is the tenant, its roles and defaults, and no user', async () => {
  await ensure({ ADMIN_PASSWORD: '' });
  assert.deepEqual(await users(), []);
  const roles = await tenantEm(orms[0]!, 'default').find(Role, {}, { orderBy: { name: 'asc' } });
  assert.deepEqual(
    roles.map((role) => [role.name, role.permissions.toSorted()]),
    [
      ['Admin', PERMISSIONS.toSorted()],
      ['User', USER_PERMISSIONS.toSorted()],
    ],
  );
  const rules = await tenantEm(orms[0]!, 'default').transactional((tx) =>
    rows(tx, sql`select event_type, points from scoring_rules order by id`),
  );
  assert.deepEqual(rules, [
    { event_type: 'EMAIL_OPENED', points: 5 },
    { event_type: 'EMAIL_CLICKED', points: 10 },
    { event_type: 'FORM_SUBMITTED', points: 25 },
    { event_type: 'WEBSITE_VISITED', points: 2 },
  ]);
});

test('two processes that start at once make one Admin', async () => {
  await ensure();
  const [admin, ...others] = await users();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [admin!.username, admin!.email, admin!.tenantId, admin!.roles, admin!.active],
    ['Root', 'Root@Example.com', 'default', ['Admin'], true],
  );
  assert.deepEqual(told, [{ username: 'Root' }]);
});

test('where there is a user, no Admin is made and none is changed', async () => {
  const before = await users();
  await ensure({ ADMIN_USERNAME: 'second', ADMIN_EMAIL: 'second@example.com', ADMIN_PASSWORD: 'Another-Horse-8' });
  assert.deepEqual(
    (await users()).map((user) => [user.username, user.passwordHash]),
    before.map((user) => [user.username, user.passwordHash]),
  );
});

test('a tenant that is there is left as it is', async () => {
  const count = () => tenantEm(orms[0]!, 'default').transactional((tx) => rows(tx, sql`select id from scoring_rules`));
  await tenantEm(orms[0]!, 'default').transactional((tx) => rows(tx, sql`delete from scoring_rules where points = 2`));
  await tenantEm(orms[0]!, 'default').transactional((tx) => provisionTenant(tx, 'default'));
  assert.equal((await count()).length, 3);
});

test('the built-in roles of every tenant get the permissions that a release adds', async () => {
  await tenantEm(orms[0]!, 'acme').transactional((tx) => provisionTenant(tx, 'acme'));
  await engineEm(orms[0]!).transactional((tx) => rows(tx, sql`update roles set permissions = array['contacts:read']`));
  await engineEm(orms[0]!).transactional((tx) =>
    rows(tx, sql`insert into roles (tenant_id, name, permissions) values ('acme', 'Reader', array['contacts:read'])`),
  );
  await ensure();
  const roles = await engineEm(orms[0]!).find(Role, {}, { orderBy: { tenantId: 'asc', name: 'asc' } });
  assert.deepEqual(
    roles.map((role) => [role.tenantId, role.name, role.permissions.length]),
    [
      ['acme', 'Admin', PERMISSIONS.length],
      ['acme', 'Reader', 1],
      ['acme', 'User', USER_PERMISSIONS.length],
      ['default', 'Admin', PERMISSIONS.length],
      ['default', 'User', USER_PERMISSIONS.length],
    ],
  );
});

test('a User may all but manage people, keys, settings, the audit log, erasure and webhooks', () => {
  const withheld = PERMISSIONS.filter((permission) => !USER_PERMISSIONS.includes(permission));
  assert.deepEqual(
    new Set(withheld.map((permission) => permission.split(':')[0])),
    new Set(['users', 'roles', 'api-keys', 'settings', 'audit-log', 'erasure', 'webhooks']),
  );
  assert.ok(USER_PERMISSIONS.includes('webhooks:read'));
  for (const permission of PERMISSIONS) assert.match(permission, /^[a-z-]{1,50}:[a-z-]{1,50}$/);
  assert.equal(new Set(PERMISSIONS).size, PERMISSIONS.length);
});
