import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/common';
import { QUEUES } from '../../../registry/workflows.ts';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import {
  DEAD_LETTERS,
  EMAIL_SEND_REQUESTS,
  EVENT_BATCHES,
  EVENTS,
  FILES,
  KEPT_FILES,
  TRACKING_HITS,
} from '../../../transport/streams.ts';
import { rowsWith } from '../../support/database/rows-with.ts';
import { startEndpoint, type Endpoint } from '../../support/endpoint.ts';
import { hasHandledAll } from '../../support/events.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const FIRST = 'Xanthippe';
const LAST = 'Quillfeather';
const EMAIL = 'Xanthippe.Quillfeather@example.com';
const PHONE = '+44 20 7946 0999';
const TRACES = new RegExp([FIRST, LAST, '7946 ?0999', 'Secret Hobby', 'curl-of-hers'].join('|'), 'i');

let service: Service;
/** An endpoint that repeats her address in its answers. */
let endpoint: Endpoint;
beforeAll(async () => {
  service = await startService({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
  endpoint = await startEndpoint([{ status: 200, body: `welcome, ${EMAIL}` }]);
});
afterAll(async () => {
  await endpoint.close();
  await service.stop();
});

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
async function ok(...call: Parameters<Service['api']>) {
  const answer = await api(...call);
  assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

const tracesInTables = (trace = TRACES) => rowsWith(service.slot.env['DATABASE_MIGRATION_URL']!, trace);

/** Every message of every stream that has a trace. */
async function tracesInStreams(): Promise<string[]> {
  const { jsm } = service.deps.nats;
  const found: string[] = [];
  for (const stream of [EVENTS, EVENT_BATCHES, DEAD_LETTERS, EMAIL_SEND_REQUESTS, TRACKING_HITS, FILES, KEPT_FILES]) {
    const { state } = await jsm.streams.info(stream);
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await jsm.streams.getMessage(stream, { seq }).catch(() => null);
      if (message && TRACES.test(new TextDecoder().decode(message.data)))
        found.push(`${stream} ${seq}: ${new TextDecoder().decode(message.data)}`);
    }
  }
  return found;
}

const erasureOf = async (id: number) => {
  const job = await ok('POST', `/contacts/${id}/erase`);
  return until(
    'the erasure is over',
    async () => {
      const erasure = await ok('GET', `/contacts/erasures/${job.id}`);
      return ['COMPLETED', 'FAILED'].includes(erasure.status) && erasure;
    },
    60_000,
  );
};

async function importCsv(csv: string) {
  const form = new FormData();
  form.set('file', new Blob([csv]), 'people.csv');
  const job = await ok('POST', '/contacts/import', form);
  return until('the import is over', async () => {
    const body = await ok('GET', `/contacts/imports/${job.id}`);
    return ['COMPLETED', 'FAILED'].includes(body.status) && body;
  });
}

/** A person that has left a trace wherever one can. */
async function makePerson() {
  await ok('POST', '/contacts/custom-fields', { entity: 'contact', name: 'hobby', type: 'string' });
  const person = await ok(
    'POST',
    '/contacts',
    {
      firstName: FIRST,
      lastName: LAST,
      email: EMAIL,
      phone: PHONE,
      jobTitle: 'Secret Hobby host',
      customFields: { hobby: 'Secret Hobby' },
    },
    { headers: { 'idempotency-key': `make-${EMAIL}` } },
  );
  const twin = await ok('POST', '/contacts', { firstName: FIRST, lastName: LAST, email: `old.${EMAIL}` });
  const list = await ok('POST', '/contacts/lists', { name: 'All', contactIds: [person.id] });
  await importCsv(
    `email,firstName,lastName,status\n${EMAIL},${FIRST},${LAST},nonsense\nsomebody@example.com,Some,Body,active\n`,
  );
  await importCsv(`email,jobTitle\n${EMAIL},Engineer\n`);
  const form = await ok('POST', '/forms', {
    name: 'Sign-up',
    fields: [
      { name: 'email', label: 'Email', type: 'email', required: true },
      { name: 'hobby', label: 'Hobby', type: 'text' },
      { name: 'cv', label: 'CV', type: 'file' },
    ],
  });
  const submission = new FormData();
  submission.set('email', EMAIL);
  submission.set('hobby', 'Secret Hobby');
  submission.set('_token', (await ok('GET', `/forms/${form.id}/token`)).token as string);
  submission.set('cv', new Blob([`I am ${FIRST}. `, 'x'.repeat(600_000), LAST]), `${FIRST}.txt`);
  await ok('POST', `/forms/${form.id}/submit`, submission, {
    token: null,
    headers: { 'user-agent': 'curl-of-hers', accept: 'application/json' },
  });
  // A link to a page of hers.
  await query(
    sql`insert into analytics_links (tenant_id, url, url_hash) values ('default', ${`https://example.com/?of=${encodeURIComponent(EMAIL)}`}, 'x')`,
  );
  const template = await ok('POST', '/emails/templates', {
    name: 'T',
    subject: 'Dear {{firstName}}',
    content: '<a href="https://example.com/x">x</a>',
  });
  const sent = await ok('POST', '/emails/send', {
    templateId: template.id,
    recipientId: person.id,
    data: { about: LAST },
  });
  const bare = await ok('POST', '/emails/send', { templateId: template.id, to: EMAIL.toUpperCase() });
  for (const { emailId } of [sent, bare])
    await until('the email is sent', async () => (await ok('GET', `/emails/tracking/${emailId}`)).status === 'SENT');
  const open = () =>
    fetch(`${service.url}/api/v1/emails/tracking/open/${service.deps.links.openTrackingId(sent.emailId)}`, {
      headers: { 'user-agent': 'curl-of-hers' },
    });
  await open();
  await until('the open is recorded', async () => (await ok('GET', `/emails/tracking/${sent.emailId}`)).opens === 1);
  await query(
    sql`insert into suppressions (tenant_id, email_key, reason, source) values ('default', ${EMAIL.toLowerCase()}, 'unsubscribed', 'link'), ('default', ${`old.${EMAIL}`.toLowerCase()}, 'bounced', null)`,
  );
  const topic = await ok('POST', '/emails/topics', { name: 'News' });
  await query(
    sql`insert into topic_opt_outs (tenant_id, address, topic_id) values ('default', ${EMAIL.toLowerCase()}, ${topic.id}), ('default', ${`old.${EMAIL}`.toLowerCase()}, ${topic.id})`,
  );
  const e164 = PHONE.replaceAll(' ', '');
  await query(sql`
    with message as (
      insert into messages (tenant_id, send_key, channel, category, contact_id, to_address, status, content)
      values ('default', 'to-her', 'sms', 'marketing', ${person.id}, ${e164}, 'SENT', ${JSON.stringify({ body: `Dear ${FIRST}` })}::jsonb) returning id)
    insert into message_clicks (tenant_id, message_id, send_id, event_id, at, url, user_agent, automated)
    select 'default', id, 1, gen_random_uuid(), now(), ${`https://example.com/?of=${LAST}`}, 'curl-of-hers', false from message`);
  await query(sql`
    insert into inbound_texts (tenant_id, provider_id, provider_message_id, from_address, text, opt_out, contact_ids)
    values ('default', 1, 'from-her', ${e164}, ${`I am ${FIRST}`}, 'no', array[${person.id}::bigint])`);
  await query(
    sql`insert into text_consents (tenant_id, address, status, source, text) values ('default', ${e164}, 'unsubscribed', 'text', 'Stop')`,
  );
  await query(
    sql`insert into opt_ins (tenant_id, contact_id, form_id, confirmed_at, ip, user_agent) values ('default', ${person.id}, ${form.id}, now(), '192.0.2.7', 'curl-of-hers')`,
  );
  await query(sql`
    insert into dead_letters (tenant_id, consumer, subject, body, error, deliveries, stream_seq)
    values ('default', 'contact', 'events.default.CONTACT_CREATED', ${JSON.stringify({ data: { contactId: person.id, email: EMAIL } })}, 'Error', 5, 1)`);
  await service.deps.nats.js.publish(
    'dead.contact',
    JSON.stringify({ body: JSON.stringify({ data: { contactId: person.id, email: EMAIL } }) }),
  );
  const campaign = await ok('POST', '/campaigns', {
    name: 'Journey',
    steps: [
      {
        id: 'tell',
        type: 'NOTIFY',
        config: { to: 'admin@example.com', subject: 'New', body: '{{firstName}} {{email}}' },
      },
      { id: 'call', type: 'WEBHOOK', config: { url: endpoint.url } },
      { id: 'is', type: 'CONDITION', config: { if: { field: 'email', operator: 'eq', value: 'nobody@example.com' } } },
      { id: 'long', type: 'WAIT', config: { waitMinutes: 10_000 } },
    ],
  });
  const path = (contactId: number) => ({
    contactId,
    steps: [{ stepId: 'is', reason: `email eq "x": no ("${EMAIL}")` }],
  });
  await query(sql`
    insert into campaign_simulations (tenant_id, campaign_id, request, contacts, workflow_id, result)
    values ('default', ${campaign.id}, '{}', 2, 'simulation', ${JSON.stringify({ entered: 2, paths: [path(person.id), path(twin.id)] })}::jsonb)`);
  await ok('POST', `/campaigns/${campaign.id}/start`, { contactIds: [person.id] });
  const [execution] = await until('the execution runs', async () => {
    const { data } = await ok('GET', `/campaigns/${campaign.id}/executions`);
    return (
      data[0]?.currentStepId === 'long' &&
      (await service.deps.temporal.workflow
        .getHandle(data[0].workflowId)
        .describe()
        .then(
          () => true,
          () => false,
        )) &&
      data
    );
  });
  await ok('POST', `/contacts/${person.id}/merge`, { sourceId: twin.id });
  await until('the events are published', async () => (await query(sql`select 1 from outbox_events`)).length === 0);
  await until('the activities are there', async () =>
    (await ok('GET', `/contacts/${person.id}/activities`)).data.some(
      ({ type }: { type: string }) => type === 'EMAIL_OPENED',
    ),
  );
  return { person, list, sent, bare, execution, open, form, template, topic };
}

test('a person is erased everywhere: tables, streams, histories; figures and a hash stay', async () => {
  const other = await ok('POST', '/contacts', {
    firstName: 'Other',
    lastName: 'Person',
    email: `another-${EMAIL.replace(FIRST, 'x')}`.replace(LAST, 'y'),
  });
  const { person, sent, execution, open, form, template, topic } = await makePerson();
  assert.ok(
    (await tracesInTables()).length > 11 && (await tracesInStreams()).length >= 3,
    'there is something to erase',
  );

  // Once, because each export is in the audit log: not before what it is to have is there.
  await until('what she did is recorded and scored', async () => {
    const { data } = await ok('GET', `/contacts/${person.id}/activities`);
    return (
      data.length > 3 &&
      (await query(sql`select 1 from score_history where subject = 'contact' and subject_id = ${person.id}`)).length > 0
    );
  });
  const held = await api('GET', `/contacts/${person.id}/data-export`);
  assert.equal(held.status, 200, JSON.stringify(held.body));
  assert.match(held.headers.get('content-disposition')!, /^attachment; filename="contact-\d+\.json"$/);
  assert.deepEqual(
    [held.body.contact.email, held.body.emails[0].events[0].userAgent, held.body.submissions[0].data.hobby],
    [EMAIL, 'curl-of-hers', 'Secret Hobby'],
  );
  assert.deepEqual(
    held.body.submissions[0].files.map(({ field, fileName }: Record<string, string>) => [field, fileName]),
    [['cv', `${FIRST}.txt`]],
  );
  assert.deepEqual(
    [held.body.memberships[0].name, held.body.executions[0].id, held.body.suppressions[0].reason, held.body.company],
    ['All', execution.id, 'unsubscribed', null],
  );
  assert.deepEqual(
    [held.body.topicOptOuts[0].topicId, held.body.optIns[0].formId, held.body.optIns[0].userAgent],
    [topic.id, form.id, 'curl-of-hers'],
  );
  assert.ok(held.body.activities.length > 3 && held.body.score.history.length > 0 && held.body.score.total > 0);
  assert.equal(
    (
      await query(
        sql`select 1 from audit_log where action = 'contact.data_exported' and resource_id = ${String(person.id)}`,
      )
    ).length,
    1,
  );

  const replay = await ok('POST', `/scoring/rules/${(await ok('GET', '/scoring/rules')).data[0].id}/replay`, {
    from: new Date(0).toISOString(),
  });
  await until(
    'the replay is over',
    async () => (await ok('GET', `/scoring/replays/${replay.id}`)).status !== 'RUNNING',
  );
  await query(sql`
    update scoring_replays set figures = jsonb_set(figures, '{changes}', jsonb_build_array(
      jsonb_build_object('id', ${person.id}::bigint, 'before', 1, 'after', 2),
      jsonb_build_object('id', ${person.id + 999}::bigint, 'before', 3, 'after', 4)))`);
  const erasure = await erasureOf(person.id);
  assert.equal(erasure.status, 'COMPLETED', JSON.stringify(erasure));
  assert.deepEqual((await ok('GET', `/scoring/replays/${replay.id}`)).changes, [
    { contactId: person.id + 999, before: 3, after: 4 },
  ]);
  assert.deepEqual(await tracesInTables(), []);
  assert.deepEqual(await tracesInStreams(), []);
  assert.equal((await service.deps.nats.jsm.streams.info(KEPT_FILES)).state.messages, 0);
  assert.deepEqual(await query(sql`select 1 from file_removals`), []);
  const { requestedBy, erased } = erasure.certificate;
  assert.equal(requestedBy.name, 'admin');
  assert.deepEqual(
    Object.fromEntries(
      [
        'contacts',
        'emails',
        'submissions',
        'formFiles',
        'importRejects',
        'importUndo',
        'links',
        'simulatedPaths',
        'deadLetters',
        'deadLetterMessages',
        'suppressions',
        'topicOptOuts',
        'optIns',
        'messages',
        'messageClicks',
        'inboundTexts',
        'textConsents',
        'workflows',
        'memberships',
        'stepReasons',
      ].map((place) => [place, erased[place]]),
    ),
    {
      contacts: 1,
      // Two to her, and one to a user about her.
      emails: 3,
      submissions: 1,
      formFiles: 1,
      importRejects: 1,
      importUndo: 1,
      links: 1,
      simulatedPaths: 1,
      deadLetters: 1,
      deadLetterMessages: 1,
      suppressions: 2,
      topicOptOuts: 2,
      optIns: 1,
      messages: 1,
      messageClicks: 1,
      inboundTexts: 1,
      textConsents: 1,
      workflows: 1,
      memberships: 1,
      // Of the call and of the condition.
      stepReasons: 2,
    },
  );
  assert.ok(
    erased.idempotentAnswers >= 1 &&
      erased.events >= 4 &&
      erased.activities >= 3 &&
      erased.scoreChanges >= 1 &&
      erased.emailEvents >= 1,
    JSON.stringify(erased),
  );
  assert.ok(erasure.startedAt <= erasure.finishedAt);

  for (const path of [`/contacts/${person.id}`, `/contacts/${person.id}/data-export`])
    assert.equal((await api('GET', path)).status, 404);
  assert.equal((await api('POST', `/contacts/${person.id}/erase`)).status, 404);
  const stopped = await ok('GET', `/campaigns/executions/${execution.id}`);
  assert.deepEqual([stopped.status, stopped.exitReason], ['STOPPED', 'contact_erased']);
  assert.deepEqual(
    [
      (await ok('GET', `/emails/tracking/${sent.emailId}`)).opens,
      (await ok('GET', `/forms/${form.id}/stats`)).submissions,
    ],
    [1, 1],
    'figures stay',
  );
  assert.deepEqual(await ok('GET', `/contacts/${other.id}`), other, 'a like address is another person');

  // Later hits of old mail leave no trace, and the address does not get rid of its opt-out.
  await open();
  await until('the hit is taken in', () => hasHandledAll(service.deps.nats, TRACKING_HITS, 'tracking'));
  assert.deepEqual(await tracesInTables(), []);
  for (const [to, reason] of [
    [EMAIL, 'address_unsubscribed'],
    [`old.${EMAIL}`, 'address_bounced'],
  ] as const) {
    const { emailId } = await ok('POST', '/emails/send', { templateId: template.id, to });
    const mail = await ok('GET', `/emails/${emailId}`);
    assert.deepEqual([mail.status, mail.reason], ['SUPPRESSED', reason], 'a mail to the bare address is held too');
  }
  const kept = await query<{ address: string }>(sql`select address from topic_opt_outs where topic_id = ${topic.id}`);
  assert.deepEqual(
    kept.map(({ address: key }) => key.slice(0, 7)),
    ['erased:', 'erased:'],
    'what it refused is kept without the address',
  );
  assert.equal((await ok('POST', '/contacts', { firstName: 'A', lastName: 'B', email: EMAIL })).status, 'unsubscribed');
  const { results } = await ok('POST', '/contacts/batch', {
    contacts: [{ firstName: 'A', lastName: 'B', email: `old.${EMAIL}` }],
  });
  assert.equal((await ok('GET', `/contacts/${results[0].id}`)).status, 'bounced', 'that of the merged one neither');
  // Temporal deletes in its own time, some twenty seconds after the end of the execution.
  await until(
    'its history is deleted',
    () =>
      service.deps.temporal.workflow
        .getHandle(execution.workflowId)
        .describe()
        .then(
          () => false,
          (error: unknown) => error instanceof WorkflowNotFoundError,
        ),
    120_000,
  );
});

test('asked twice it is one erasure; who may not, and what is not there, is refused', async () => {
  const contact = await ok('POST', '/contacts', { firstName: 'Twice', lastName: 'Asked', email: 'twice@example.com' });
  const [one, two] = await Promise.all([
    api('POST', `/contacts/${contact.id}/erase`),
    api('POST', `/contacts/${contact.id}/erase`),
  ]);
  assert.deepEqual([one.status, two.status], [202, 202]);
  assert.equal(one.body.id, two.body.id);
  assert.deepEqual([one.body.status, one.body.certificate, one.body.contactId], ['PENDING', null, contact.id]);
  assert.equal(one.headers.get('location'), `/api/v1/contacts/erasures/${one.body.id}`);
  await until('it is over', async () => (await ok('GET', `/contacts/erasures/${one.body.id}`)).status === 'COMPLETED');
  assert.deepEqual(
    (await ok('GET', `/contacts/erasures?contactId=${contact.id}`)).data.map(({ id }: { id: number }) => id),
    [one.body.id],
  );
  assert.equal((await api('POST', '/contacts/999999/erase')).status, 404);
  assert.equal((await api('GET', '/contacts/erasures/999999')).status, 404);

  await ok(
    'POST',
    '/auth/register',
    {
      username: 'plain',
      email: 'plain@example.com',
      password: 'Correct-Horse-8-Battery',
      firstName: 'P',
      lastName: 'U',
    },
    { token: null },
  );
  const { accessToken: token } = await ok(
    'POST',
    '/auth/login',
    { username: 'plain', password: 'Correct-Horse-8-Battery' },
    { token: null },
  );
  for (const [method, path] of [
    ['POST', `/contacts/${contact.id}/erase`],
    ['GET', '/contacts/erasures'],
    ['GET', `/contacts/erasures/${one.body.id}`],
  ] as const) {
    assert.equal((await api(method, path, undefined, { token })).status, 403, path);
  }
});

test('what an activity fails of is in Temporal without the value that it failed of', async () => {
  const { temporal } = service.deps;
  const handle = await temporal.workflow.start('contactErasure', {
    taskQueue: QUEUES.jobs,
    workflowId: 'failing-erasure',
    args: [{ tenantId: 'default', erasureId: `${FIRST} ${LAST}` }],
  });
  try {
    const failure = await until(
      'it has failed',
      async () => (await handle.describe()).raw.pendingActivities?.[0]?.lastFailure,
    );
    assert.match(failure.message!, /invalid input syntax for type bigint: "…"/);
    assert.doesNotMatch(JSON.stringify(failure), TRACES);
  } finally {
    await handle.terminate();
  }
});
