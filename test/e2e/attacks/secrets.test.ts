import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { nthMail, tokenOf } from '../../support/mail/account-mails.ts';
import { ADMIN_PASSWORD, startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { PASSWORD, registration } from '../../support/users.ts';

let service: Service;
let api: ApiProcess;
const secrets = new Map<string, string>();
beforeAll(async () => {
  service = await startService({ worker: true });
  const { JWT_SECRET, LINK_SECRET, NATS_URL } = service.deps.env;
  for (const [name, value] of Object.entries({
    JWT_SECRET,
    LINK_SECRET,
    'NATS password': new URL(NATS_URL).password,
    'Admin password': ADMIN_PASSWORD,
  }))
    secrets.set(name, value);
  api = await startApiProcess(service, { LOG_LEVEL: 'trace' });
});
afterAll(async () => {
  await api.end();
  await service.stop();
});

const call = async (method: string, path: string, body: unknown, token: string | null, expected: number) => {
  const answer = await api.api(method, path, body, { token });
  assert.equal(answer.status, expected, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

/** A user's, a program's and a recipient's whole day; notes every secret on the way. */
async function liveThrough(): Promise<void> {
  const user = registration();
  secrets.set('password', PASSWORD);
  await call('POST', '/auth/register', user, null, 201);
  await call('POST', '/auth/register', { ...user, password: 'Weak-Secret' }, null, 400);
  secrets.set('refused password', 'Weak-Secret');
  await call('POST', '/auth/login', { username: user.username, password: 'Wrong-Guess-11' }, null, 401);
  secrets.set('wrong password', 'Wrong-Guess-11');
  const session = await call('POST', '/auth/login', { username: user.username, password: PASSWORD }, null, 200);
  const next = await call('POST', '/auth/refresh', { refreshToken: session.refreshToken }, null, 200);
  await call('POST', '/auth/refresh', { refreshToken: `${session.refreshToken}x` }, null, 401);
  for (const [name, tokens] of [
    ['first', session],
    ['next', next],
  ] as const) {
    secrets.set(`${name} access token`, tokens.accessToken);
    secrets.set(`${name} refresh token`, tokens.refreshToken);
  }
  const totp = await call('POST', '/auth/totp', { currentPassword: PASSWORD }, next.accessToken, 200);
  secrets.set('TOTP secret', totp.secret);
  await call('POST', '/auth/forgot-password', { email: user.email }, null, 202);
  const reset = tokenOf(await nthMail(service, user.email));
  secrets.set('reset token', reset);
  secrets.set('new password', 'Another-Horse-12');
  await fetch(`${api.url}/reset-password?token=${reset}`);
  await call('POST', '/auth/reset-password', { token: `${reset}x`, password: 'Another-Horse-12' }, null, 400);
  await call('POST', '/auth/reset-password', { token: reset, password: 'Another-Horse-12' }, null, 204);
  const { key } = await call(
    'POST',
    '/auth/api-keys',
    { name: 'Secrets', permissions: ['contacts:read'] },
    service.admin.token,
    201,
  );
  secrets.set('API key', key);
  await call('GET', '/contacts', undefined, key, 200);
  secrets.set('Admin access token', service.admin.token);

  const contact = await call(
    'POST',
    '/contacts',
    { firstName: 'Ada', lastName: 'Byron', email: 'secrets@example.com' },
    service.admin.token,
    201,
  );
  const template = await call(
    'POST',
    '/emails/templates',
    { name: 'Secrets', subject: 'Hello', content: '<p>Hello</p>' },
    service.admin.token,
    201,
  );
  const campaign = await call(
    'POST',
    '/campaigns',
    { name: 'Secrets', steps: [{ type: 'EMAIL', config: { templateId: template.id } }] },
    service.admin.token,
    201,
  );
  await call('POST', `/campaigns/${campaign.id}/start`, { contactIds: [contact.id] }, service.admin.token, 202);
  const mail = await until('the mail is there', () =>
    service.sink.mails.find((sunk) => sunk.to.includes('secrets@example.com')),
  );
  const unsubscribe = /\/unsubscribe\/([\w.~-]+)/.exec(String(mail.parsed.html))![1]!;
  secrets.set('unsubscribe token', unsubscribe);
  await call('GET', `/emails/unsubscribe/${unsubscribe}`, undefined, null, 200);
  await call('POST', `/emails/unsubscribe/${unsubscribe}`, undefined, null, 200);
  await until(
    'the journey is over',
    async () =>
      (await call('GET', `/campaigns/${campaign.id}/stats`, undefined, service.admin.token, 200)).executions.running ===
      0,
  );
}

/** Everything that Temporal keeps of the workflows of this service. */
async function histories(): Promise<string> {
  const { workflow } = service.deps.temporal;
  const texts: string[] = [];
  for await (const { workflowId } of workflow.list()) {
    const { events } = await workflow.getHandle(workflowId).fetchHistory();
    // Payloads are bytes; as latin-1 their text stays what it is.
    texts.push(
      JSON.stringify(events, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
      ),
    );
  }
  return texts.join('\n');
}

/** Every message of every stream. */
async function messages(): Promise<string> {
  const { jsm } = service.deps.nats;
  const texts: string[] = [];
  for await (const {
    config: { name },
    state,
  } of jsm.streams.list()) {
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await jsm.streams.getMessage(name, { seq }).catch(() => null);
      if (message) texts.push(`${message.subject} ${Buffer.from(message.data).toString()}`);
    }
  }
  return texts.join('\n');
}

test('no secret is in a log, a history, an event or the database', async () => {
  await liveThrough();
  await api.api('GET', '/health', undefined, { headers: { 'x-request-id': 'the-last' } });
  await until('the whole log is there', () => api.log().includes('the-last'));
  const database = await engineEm(service.deps.orm).transactional((tx) =>
    rows<{ text: string }>(
      tx,
      sql`
    select query_to_xml('select * from ' || relname, true, false, '')::text as text from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity`,
    ),
  );
  const history = await until('the journey is in a history', async () => {
    const text = await histories();
    return /campaignExecution/.test(text) && text;
  });
  const message = await until('the mail is told of', async () => {
    const text = await messages();
    return /EMAIL_SENT/.test(text) && text;
  });
  const places = {
    'the log': api.log(),
    "a workflow's history": history,
    'a message': message,
    'the database': database.map((row) => row.text).join('\n'),
  };
  assert.match(places['the log'], /"operation":"login"/);
  assert.match(places['the database'], /secrets@example.com/);
  for (const [place, text] of Object.entries(places)) {
    for (const [name, secret] of secrets) assert.ok(!text.includes(secret), `the ${name} is in ${place}`);
  }
});
