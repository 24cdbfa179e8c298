import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

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
    /** Encrypted; not in use until it is confirmed. */
    totpSecret: p.text().nullable(),
    totpConfirmedAt: timestamp().nullable(),
    /** The time step (RFC 6238) of the last accepted code, so that no code is accepted twice. */
    totpLastStep: bigid().nullable(),
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

/** A login and its refreshes. Stores the hash of its one valid refresh token; access tokens contain its id. */
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
    /** When the refresh token expires; extended by each refresh. */
    expiresAt: timestamp(),
    revokedAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);

/** A recent failed login, by the hash of the login name (some people type their password there). */
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

/** A one-time permission that an email gives a user. Only the hash of the token in the email is stored. */
const UserTokenSchema = defineEntity({
  name: 'UserToken',
  tableName: 'user_tokens',
  ...tenantTable,
  indexes: [{ name: 'user_tokens_user_idx', properties: ['tenantId', 'userId'] }],
  properties: {
    id: p.uuid().primary(),
    tenantId: tenantId(),
    userId: bigid(),
    purpose: p.enum(['reset_password', 'verify_email'] as const),
    tokenHash: p.text(),
    expiresAt: timestamp(),
    usedAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class UserToken extends UserTokenSchema.class {}
UserTokenSchema.setClass(UserToken);

/**
 * A request for an email about an account. Written whether the address is known or not, and looked up only after the
 * response.
 */
const AccountMailRequestSchema = defineEntity({
  name: 'AccountMailRequest',
  tableName: 'account_mail_requests',
  ...tenantTable,
  properties: {
    id: id(),
    tenantId: tenantId(),
    emailKey: p.string().length(100),
    purpose: p.enum(['reset_password', 'verify_email'] as const),
    requestId: p.text().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class AccountMailRequest extends AccountMailRequestSchema.class {}
AccountMailRequestSchema.setClass(AccountMailRequest);

const InvitationSchema = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  ...tenantTable,
  uniques: [{ name: 'invitations_token_id_key', properties: ['tokenId'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    email: p.string().length(100),
    emailKey: p.string().length(100),
    roles: p.array().$type<string[]>(),
    tokenId: p.uuid(),
    tokenHash: p.text(),
    expiresAt: timestamp(),
    acceptedAt: timestamp().nullable(),
    invitedBy: bigid(),
    ...resourceColumns(),
  },
});
export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);

/** An API key. The key itself is shown only once; its permissions never exceed its creator's. */
const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  ...tenantTable,
  uniques: [
    { name: 'api_keys_hash_key', properties: ['keyHash'] },
    { name: 'api_keys_name_key', properties: ['tenantId', 'name'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(100),
    keyHash: p.text(),
    permissions: p.array().$type<string[]>(),
    createdBy: bigid(),
    expiresAt: timestamp().nullable(),
    lastUsedAt: timestamp().nullable(),
    ...resourceColumns(),
  },
});
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);

/**
 * Who did what, with the state before and after. Append-only: the service's roles can neither update nor delete rows.
 */
const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  ...tenantTable,
  indexes: [{ name: 'audit_log_tenant_idx', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    at: timestamp().defaultRaw('now()'),
    actorType: p.enum(['user', 'api_key', 'anonymous', 'system'] as const),
    actorId: bigid().nullable(),
    actorName: p.text().nullable(),
    action: p.string().length(50),
    resourceType: p.string().length(50),
    resourceId: p.string().length(100).nullable(),
    before: json<Record<string, unknown>>().nullable(),
    after: json<Record<string, unknown>>().nullable(),
    requestId: p.text().nullable(),
    address: p.text().nullable(),
  },
});
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);

/** The first response to a POST with an Idempotency-Key, written in the transaction of the request's changes. */
const IdempotentAnswerSchema = defineEntity({
  name: 'IdempotentAnswer',
  tableName: 'idempotent_answers',
  ...tenantTable,
  indexes: [{ name: 'idempotent_answers_created_idx', properties: ['createdAt'] }],
  properties: {
    tenantId: tenantId().primary(),
    /** `user/{id}` or `api_key/{id}`. */
    caller: p.string().length(40).primary(),
    /** Method and path. */
    operation: p.string().length(400).primary(),
    key: p.string().length(255).primary(),
    requestHash: p.text(),
    status: p.smallint(),
    headers: json<Record<string, string>>(),
    /** Null if it was not stored: a stream, or more than 1 MiB. */
    body: p.text().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class IdempotentAnswer extends IdempotentAnswerSchema.class {}
IdempotentAnswerSchema.setClass(IdempotentAnswer);

/** A token bucket shared by all API processes. UNLOGGED: after a crash of Postgres every bucket is full. */
const RateBucketSchema = defineEntity({
  name: 'RateBucket',
  tableName: 'rate_buckets',
  ...tenantTable,
  properties: {
    bucket: p.string().length(200).primary(),
    tenantId: tenantId(),
    /** The number of tokens left at `at`. */
    tokens: p.double(),
    at: timestamp(),
    /** How many of the requested tokens were granted the last time. */
    taken: p.integer(),
  },
});
export class RateBucket extends RateBucketSchema.class {}
RateBucketSchema.setClass(RateBucket);

export const authEntities = [
  Tenant,
  User,
  Role,
  Session,
  LoginFailure,
  UserToken,
  AccountMailRequest,
  Invitation,
  ApiKey,
  AuditEntry,
  IdempotentAnswer,
  RateBucket,
];
