import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { hotp, stepOf } from '../../../domain/auth/credentials/totp.ts';
import { pushToken } from '../../../domain/channels/push/push-token.ts';
import { newBrowser, pushing } from '../../support/channels/pushing.ts';
import { keyedRequests, type KeyedRequest } from '../../support/keyed-requests.ts';
import { makeMailed } from '../../support/mail/bounces.ts';
import { nthMail, tokenOf } from '../../support/mail/account-mails.ts';
import { makeContact, makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { startVariant } from '../../support/variant.ts';
import { newMember, type Member } from '../../support/users.ts';

let service: Service;
let owner: pg.Client;
let keyed: Record<string, () => Promise<KeyedRequest>>;
beforeAll(async () => {
  service = await startService({ worker: ['relay', 'senders'] });
  owner = new pg.Client(service.slot.env['DATABASE_MIGRATION_URL']);
  await owner.connect();
  keyed = keyedRequests(service, owner);
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

type Fields = Record<string, unknown>;
interface Operation {
  operationId: string;
  security: object[];
  requestBody?: { content: Record<string, { example: Fields }> };
}

/** What an example is posted with: where, by whom, and in place of what nobody can know in advance. */
interface Given {
  path?: string;
  token?: string | null;
  /** Secrets and ids of this service, by the name of the field of the example that they stand for. */
  instead?: Fields;
}

const make = async (path: string, body: unknown): Promise<Fields & { id: number }> => {
  const answer = await service.api('POST', path, body);
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

/** Makes what examples refer to: one of each kind, with the id 1. */
async function makeReferred(): Promise<void> {
  const first = async (path: string, body: object): Promise<void> =>
    assert.equal((await make(path, body)).id, 1, `the id of the first of ${path}`);
  for (let n = 0; n < 3; n += 1) await makeContact(service, { phone: `+44207946095${n}` });
  for (let n = 0; n < 2; n += 1) await makeTemplate(service);
  await first('/contacts/companies', { name: 'Referred' });
  await first('/contacts/custom-fields', { entity: 'contact', name: 'size', type: 'enum', options: ['s', 'l'] });
  await first('/contacts/lists', { name: 'Referred', contactIds: [1, 2] });
  await first('/emails/topics', { name: 'Referred' });
  await first('/emails/senders', { email: 'referred@example.org' });
  await first('/campaigns', { name: 'Referred', steps: [{ type: 'WAIT', config: { waitMinutes: 5 } }] });
  await first('/forms', { name: 'Referred', fields: [{ name: 'email', label: 'Email', type: 'email' }] });
  await first('/scoring/thresholds', { name: 'Referred', score: 1000 });
  await first('/analytics/reports', {
    name: 'Referred',
    type: 'emails',
    format: 'csv',
    schedule: { cron: '0 6 1 * *', timezone: 'UTC', recipients: ['admin@example.com'], period: 'month' },
  });
  await first('/channels/templates', { name: 'Referred', channel: 'sms', body: 'Hello' });
  await first('/channels/providers', {
    name: 'Referred',
    channel: 'sms',
    type: 'http',
    config: { url: 'https://example.com/', body: { to: '{{to}}', text: '{{text}}' } },
  });
  const { siteKey } = await pushing(service).makeSite();
  const { subscription } = newBrowser();
  await first('/channels/push/subscriptions', { siteKey, subscription, contactId: 1 });
  await first('/webhooks', {
    name: 'Referred',
    url: 'https://example.com/',
    types: ['CONTACT_CREATED'],
    active: false,
  });
}

const PASSWORD = 'Correct-Horse-7';
const member = (): Promise<Member> => newMember(service.api, { password: PASSWORD });

/** The code that an authenticator app shows for a secret. */
function codeOf(secret: unknown): string {
  const bits = [...String(secret)]
    .map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'))
    .join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return hotp(bytes, stepOf(Date.now()));
}

async function withTotp(): Promise<{ token: string; secret: string }> {
  const { token } = await member();
  const { body } = await service.api('POST', '/auth/totp', { currentPassword: PASSWORD }, { token });
  return { token, secret: body.secret };
}

/** The token of an email about an account. */
async function mailed(ask: (user: Member['user']) => Promise<unknown>, api = service.api): Promise<Given> {
  const { user } = await newMember(api);
  await ask(user);
  return { instead: { token: tokenOf(await nthMail(service, user.email)) } };
}
const askForReset = () =>
  mailed(({ email }) => service.api('POST', '/auth/forgot-password', { email }, { token: null }));
async function askForVerification(): Promise<Given> {
  const verifying = await startVariant(service, { ENABLE_EMAIL_VERIFICATION: true });
  const address = `verify${Date.now()}@example.com`;
  try {
    await verifying.api(
      'POST',
      '/auth/register',
      { username: address, email: address, password: PASSWORD, firstName: 'A', lastName: 'B' },
      { token: null },
    );
  } finally {
    await verifying.stop();
  }
  return { instead: { token: tokenOf(await nthMail(service, address)) } };
}
let invited = 0;
async function invite(): Promise<Given> {
  const email = `invited${(invited += 1)}@example.com`;
  await make('/auth/invitations', { email });
  return { instead: { token: tokenOf(await nthMail(service, email)), username: `invited${invited}` } };
}
const formToken = async (): Promise<Given> => ({
  instead: { _token: (await service.api('GET', '/forms/1/token')).body.token },
});

async function preferencesToken(): Promise<string> {
  const { contact, emailId } = await makeMailed(service);
  return service.deps.links.unsubscribeToken({ tenantId: 'default', emailId, contactId: contact.id, address: null });
}

const given: Record<string, () => Promise<Given>> = {
  refresh: async () => ({ instead: { refreshToken: (await member()).refreshToken } }),
  changePassword: async () => ({ token: (await member()).token }),
  resetPassword: askForReset,
  submitResetPassword: askForReset,
  verifyEmail: askForVerification,
  submitVerifyEmail: askForVerification,
  startTotp: async () => ({ token: (await member()).token }),
  confirmTotp: async () => {
    const { token, secret } = await withTotp();
    return { token, instead: { totp: codeOf(secret) } };
  },
  removeTotp: async () => ({ token: (await withTotp()).token }),
  acceptInvitation: invite,
  submitAcceptInvitation: invite,
  updateRole: async () => ({
    path: `/auth/roles/${(await make('/auth/roles', { name: 'Referred', permissions: ['contacts:read'] })).id}`,
  }),
  updateEmailCampaign: async () => ({
    path: `/emails/campaigns/${(await make('/emails/campaigns', { name: 'Referred', templateId: 1, listId: 1 })).id}`,
  }),
  submitForm: formToken,
  createPushSubscription: async () => {
    const { siteKey } = await pushing(service).makeSite();
    return { instead: { siteKey } };
  },
  reportPushEvent: async () => ({ instead: { token: pushToken(service.deps.links, 'default', 1) } }),
  submitPreferences: async () => ({ path: `/emails/preferences/${await preferencesToken()}` }),
};

/** A body as its type has it. */
function encoded(type: string, body: Fields): unknown {
  if (type === 'application/json') return body;
  if (type === 'text/plain') return JSON.stringify(body);
  const form = type === 'multipart/form-data' ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries(body))
    if (name === 'file') (form as FormData).set(name, new Blob([String(value)]), 'people.csv');
    else form.set(name, String(value));
  return form;
}

test('every example of a request in the API description is accepted', async () => {
  await makeReferred();
  const { paths } = (await service.api('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, Operation>>;
  };
  const refused: string[] = [];
  let posted = 0;
  for (const [template, methods] of Object.entries(paths))
    for (const [method, { operationId, requestBody, security }] of Object.entries(methods))
      for (const [type, { example }] of Object.entries(requestBody?.content ?? {})) {
        const { path = template.replaceAll(/\{\w+\}/g, '1').replace('/api/v1', ''), ...call }: Given = (await given[
          operationId
        ]?.()) ?? { path: (await keyed[operationId]?.())?.path };
        const instead = Object.entries(call.instead ?? {}).filter(([name]) => name in example);
        const answer = await service.api(
          method.toUpperCase(),
          template.startsWith('/api/') ? path : `/../..${path}`,
          encoded(type, { ...example, ...Object.fromEntries(instead) }),
          {
            token: call.token === undefined && security.length > 0 ? service.admin.token : (call.token ?? null),
            headers: { accept: 'application/json', ...(type === 'text/plain' ? { 'content-type': type } : {}) },
          },
        );
        posted += 1;
        if (answer.status < 200 || answer.status > 299)
          refused.push(
            `${operationId} ${type} ${JSON.stringify(example)}: ${answer.status} ${JSON.stringify(answer.body)}`,
          );
      }
  assert.deepEqual(refused, []);
  assert.ok(posted > 100, `${posted} were posted`);
});
