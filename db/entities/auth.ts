import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

const TenantSchema = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class Tenant extends TenantSchema.class {}
TenantSchema.setClass(Tenant);

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  ...tenantTable,
  uniques: [
    { name: 'users_username_key', properties: ['usernameKey'] },
    { name: 'users_email_key', properties: ['emailKey'] },
    { name: 'users_tenant_id_id_key', properties: ['tenantId', 'id'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    username: p.string().length(50),
    usernameKey: p.string().length(50),
    email: p.string().length(100),
    emailKey: p.string().length(100),
    passwordHash: p.text(),
    firstName: p.string().length(100),
    lastName: p.string().length(100),
    active: p.boolean().default(true),
    emailVerified: p.boolean().default(false),
    roles: p.array().$type<string[]>(),
    ...resourceColumns(),
  },
});
export class User extends UserSchema.class {}
UserSchema.setClass(User);

const RoleSchema = defineEntity({
  name: 'Role',
  tableName: 'roles',
  ...tenantTable,
  uniques: [{ name: 'roles_name_key', properties: ['tenantId', 'name'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(50),
    description: p.text().nullable(),
    permissions: p.array().$type<string[]>(),
    ...resourceColumns(),
  },
});
export class Role extends RoleSchema.class {}
RoleSchema.setClass(Role);

/** A login and what was refreshed from it. Holds the hash of its one live refresh token; access tokens name it. */
const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  ...tenantTable,
  indexes: [{ name: 'sessions_user_idx', properties: ['tenantId', 'userId'] }],
  properties: {
    id: p.uuid().primary(),
    tenantId: tenantId(),
    userId: bigid(),
    tokenHash: p.text(),
    /** When the refresh token dies; moves on with each refresh. */
    expiresAt: timestamp(),
    revokedAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);

/** A wrong password of the last minutes, by the hash of the name it was tried for (some type their password there). */
const LoginFailureSchema = defineEntity({
  name: 'LoginFailure',
  tableName: 'login_failures',
  ...tenantTable,
  indexes: [
    { name: 'login_failures_name_idx', properties: ['nameHash', 'at'] },
    { name: 'login_failures_at_idx', properties: ['at'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    nameHash: p.text(),
    address: p.text(),
    at: timestamp().defaultRaw('now()'),
  },
});
export class LoginFailure extends LoginFailureSchema.class {}
LoginFailureSchema.setClass(LoginFailure);

export const authEntities = [Tenant, User, Role, Session, LoginFailure];
