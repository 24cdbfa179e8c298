import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { engineEm, rows, sql, tenantEm, type EntityManager } from '../../../db/orm.ts';
import { listMessages } from '../../../domain/channels/ledger/read-messages.ts';
import { markLostSends } from '../../../domain/channels/ledger/recover-sends.ts';
import { startSends } from '../../../domain/channels/ledger/start-sends.ts';
import { settleSends, type SendSettlement } from '../../../domain/channels/ledger/settle-sends.ts';
import { holding } from '../../support/accounts.ts';
import { texting } from '../../support/channels/texting.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let tools: ReturnType<typeof texting>;
let provider: number;
beforeAll(async () => {
  service = await startService();
  tools = texting(service);
  provider = await tools.makeHttp();
});
afterAll(() => service.stop());

let numbers = 0;
const newNumber = (): string => `+43664${String(20_000_000 + (numbers += 1))}`;
/** A text that was tried once, 13 hours ago, by a provider that is asked again under the same key. */
async function tried(
  status: 'SENT' | 'UNKNOWN' | 'QUEUED',
  category: string = 'transactional',
  to: string = newNumber(),
): Promise<number> {
  const at = sql`now() - interval '13 hours'`;
  const [made] = await tools.inTenant<{ id: number }>(sql`
    with message as (
      insert into messages (tenant_id, send_key, channel, category, to_address, status, started_at)
      values ('default', ${`test/${to}`}, 'sms', ${category}, ${to}, ${status}, ${at}) returning id)
    insert into message_sends (tenant_id, message_id, type, lane, status, attempt, provider_id, bound_provider_id)
    select 'default', id, 'sms', 'bulk', ${status}, 1, ${provider}, ${provider} from message returning message_id as id`);
  return made!.id;
}
const resolve = (id: number, status: number, outcome: string) =>
  tools.call('POST', `/channels/messages/${id}/resolve`, status, { outcome });
const sendOf = async (id: number) =>
  (
    await tools.inTenant<object>(sql`
    select status, attempt, bound_provider_id as bound from message_sends where message_id = ${id}`)
  )[0];

test('a message has the fields of the API description', async () => {
  const message = await tools.call('GET', `/channels/messages/${await tried('UNKNOWN')}`, 200);
  const fields =
    'id channel status reason contactId to templateId campaignId executionId stepId providerId providerMessageId ' +
    'segments encoding devices clicks firstClickedAt createdAt sentAt deliveredAt';
  assert.deepEqual(
    fields.split(' ').filter((field) => !(field in message)),
    [],
  );
});

test('of the category of a call and that of its template the stricter one counts; the content is one of both', async () => {
  const template = { name: 'Shipped', channel: 'sms', body: 'Hi' };
  const send = async (body: object) => {
    const { messageId, status, reason } = await tools.call('POST', '/channels/sms/send', 202, {
      to: newNumber(),
      ...body,
    });
    return [(await tools.call('GET', `/channels/messages/${messageId}`, 200)).category, status, reason];
  };
  const refused = ['marketing', 'SUPPRESSED', 'no_consent'];
  const queued = ['transactional', 'QUEUED', null];
  for (const category of ['marketing', 'transactional']) {
    const { id: templateId } = await tools.call('POST', '/channels/templates', 201, { ...template, category });
    assert.deepEqual(await send({ templateId }), category === 'marketing' ? refused : queued);
    assert.deepEqual(
      await send({ templateId, category: 'transactional' }),
      category === 'marketing' ? refused : queued,
    );
    assert.deepEqual(await send({ templateId, category: 'marketing' }), refused);
    await tools.call('POST', '/channels/sms/send', 400, { to: newNumber(), templateId, body: 'Hi' });
  }
});

test('the content of a call is checked as that of a template', async () => {
  const { id: recipientId } = await tools.call('POST', '/contacts', 201, {
    ...{ email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
  });
  const refused = async (more: object) => {
    const push = { recipientId, title: 'T', body: 'B', ...more };
    const { errors } = await tools.call('POST', '/channels/push/send', 400, push);
    return errors.map(({ path, code }: { path: string; code: string }) => [path, code]);
  };
  const action = { action: 'a', title: 'A' };
  assert.deepEqual(
    await refused({
      ...{ url: 'javascript:alert(1)', iconUrl: '/icon.png', imageUrl: '{{ data.image }}' },
      actions: [
        { ...action, title: '{{ x | nofilter }}', url: 'https://example.com/{{ data.id }}' },
        { ...action, url: 'data:text/html,x' },
      ],
    }),
    [
      ['/url', 'invalid_url'],
      ['/iconUrl', 'invalid_url'],
      ['/actions/1/url', 'invalid_url'],
      ['/actions/0/title', 'template_syntax'],
    ],
  );
  assert.deepEqual(await refused({ actions: [{ ...action, url: '{% if %}' }] }), [
    ['/actions/0/url', 'template_syntax'],
  ]);
  assert.deepEqual(await refused({ actions: [{ action: 'a', url: 'javascript:x' }, 1] }), [
    ['/actions/0/title', 'required'],
    ['/actions/1', 'type'],
    ['/actions/0/url', 'invalid_url'],
  ]);
  const large = { recipientId, title: 'T', body: 'x'.repeat(4_000) };
  assert.equal((await tools.call('POST', '/channels/push/send', 422, large)).code, 'template_limit');
  const branches = `{% if data.a %}${'a'.repeat(900)}{% else %}${'b'.repeat(900)}{% endif %}`;
  await tools.call('POST', '/channels/sms/send', 202, { to: newNumber(), body: branches });
  await tools.call('POST', '/channels/sms/send', 422, { to: newNumber(), body: `${branches}${'x'.repeat(1_600)}` });
});

test('a text that says how to opt out has less room, until its number was told', async () => {
  await tools.call('PUT', '/channels/settings', 200, { optOutText: 'Reply STOP to opt out' });
  const [to, other] = [newNumber(), newNumber()];
  await tools.inTenant(sql`insert into opt_out_notices (tenant_id, address, at) values ('default', ${other}, now())`);
  const body = 'x'.repeat(1_530);
  const phone = { phone: to, email: 'bob@example.com', firstName: 'Bob', lastName: 'Ross' };
  const { id: recipientId } = await tools.call('POST', '/contacts', 201, phone);
  for (const recipient of [{ to }, { recipientId }]) {
    const { detail } = await tools.call('POST', '/channels/sms/send', 422, { ...recipient, body });
    assert.match(detail, /opt out/);
    await tools.call('POST', '/channels/sms/send', 202, { ...recipient, body, category: 'transactional' });
    await tools.call('POST', '/channels/sms/send', 202, { ...recipient, body: body.slice(30) });
  }
  await tools.call('POST', '/channels/sms/send', 202, { to: other, body });
  await tools.call('PUT', '/channels/settings', 200, { optOutText: null });
});

test('an UNKNOWN message is resolved once, and another one not at all', async () => {
  for (const [outcome, status] of [
    ['sent', 'SENT'],
    ['failed', 'FAILED'],
  ] as const) {
    const id = await tried('UNKNOWN');
    const resolved = await resolve(id, 200, outcome);
    assert.deepEqual([resolved.status, resolved.reason], [status, `resolved_${outcome}`]);
    assert.equal(resolved.sentAt !== null, outcome === 'sent');
    for (const again of ['sent', 'failed', 'resend']) await resolve(id, 409, again);
    const explained = await tools.call('GET', `/channels/messages/${id}/explain`, 200);
    assert.deepEqual([explained.messageId, explained.status], [id, status]);
    const { gate, passed } = explained.gates.at(-1);
    assert.deepEqual([gate, passed], ['provider', outcome === 'sent']);
    const log = await tools.call('GET', `/auth/audit-log?resourceType=message&resourceId=${id}`, 200);
    assert.deepEqual(
      log.data.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]),
      [['message.resolved', null, { outcome }]],
      'once, and what is refused is no change',
    );
  }
  await resolve(await tried('SENT'), 409, 'failed');
  const erased = await tried('UNKNOWN');
  await tools.inTenant(sql`update messages set reason = 'erased' where id = ${erased}`);
  for (const outcome of ['sent', 'failed', 'resend']) await resolve(erased, 409, outcome);
  await resolve(await tried('UNKNOWN'), 400, 'maybe');
  await resolve(999_999_999, 404, 'sent');
});

test('what waits for a provider says so', async () => {
  const id = (
    await tools.call('POST', '/channels/sms/send', 202, { to: newNumber(), body: 'x', category: 'transactional' })
  ).messageId;
  const last = async () => {
    const { gate, passed, reason } = (await tools.call('GET', `/channels/messages/${id}/explain`, 200)).gates.at(-1);
    return [gate, passed, reason];
  };
  assert.deepEqual(await last(), ['send_window', true, null]);
  const next = new Date(Date.now() + 600_000);
  await tools.inTenant(sql`update message_sends set next_attempt_at = ${next} where message_id = ${id}`);
  assert.deepEqual(await last(), ['provider', false, `next_attempt_${next.toISOString()}`]);
  const report = (state: string) =>
    engineEm(service.deps.orm).transactional((tx) =>
      rows(
        tx,
        sql`insert into email_providers (provider, holder, state, failures, last_error_at) values (${`channels/${provider}`}, 'test', ${state}, 1, now())
          on conflict (provider, holder) do update set state = excluded.state, seen_at = now()`,
      ),
    );
  await report('open');
  assert.deepEqual(await last(), ['provider', false, 'provider_down']);
  await report('closed');
  await tools.call('PUT', `/channels/providers/${provider}`, 200, { active: false });
  assert.deepEqual(await last(), ['provider', false, 'no_provider']);
  await tools.call('PUT', `/channels/providers/${provider}`, 200, { active: true });
  assert.equal((await last())[2], `next_attempt_${next.toISOString()}`);
});

test('what is sent again as not accepted is a new attempt, which any provider may take', async () => {
  const id = await tried('UNKNOWN');
  assert.equal((await resolve(id, 200, 'resend')).status, 'QUEUED');
  assert.deepEqual(await sendOf(id), { status: 'QUEUED', attempt: 2, bound: null });
  const [message] = await tools.inTenant<{ isNew: boolean }>(
    sql`select started_at > now() - interval '1 minute' as "isNew" from messages where id = ${id}`,
  );
  assert.equal(message!.isNew, true, 'the time for which it is tried begins again');
});

const NO_STOP = 'Reply STOP to opt out';
/** A marketing text that is SENDING, with the opt-out text. */
async function sending(to = newNumber()) {
  const messageId = await tried('SENT', 'marketing', to);
  await tools.inTenant(sql`update messages set status = 'SENDING' where id = ${messageId}`);
  const [send] = await tools.inTenant<{ id: number }>(sql`
    update message_sends set status = 'SENDING', bound_provider_id = null, lease_until = now() - interval '1 s'
    where message_id = ${messageId} returning id`);
  const settle = (result: SendSettlement['result'], wasTried = true) =>
    settleSends(engineEm(service.deps.orm), [
      {
        ...{ id: send!.id, tenantId: 'default', messageId, attempt: 1, providerId: provider, wasTried, result },
        ...{ reason: null, providerMessageId: null, reply: null, hasNotice: true },
      },
    ]);
  const isTold = async () =>
    (await tools.inTenant(sql`select 1 from opt_out_notices where address = ${to}`)).length === 1;
  return { messageId, to, settle, isTold };
}

test('a number was told how to opt out when a text that says so may have arrived, and not before', async () => {
  await tools.call('PUT', '/channels/settings', 200, { optOutText: NO_STOP });
  for (const [result, expected] of [
    ['SENT', true],
    ['UNKNOWN', true],
    ['QUEUED', false],
    ['FAILED', false],
  ] as const) {
    const text = await sending();
    assert.equal(await text.isTold(), false);
    await text.settle(result);
    assert.equal(await text.isTold(), expected, result);
  }
  const lose = () => markLostSends(engineEm(service.deps.orm));
  const lost = await Promise.all([1, 2, 3, 4].map(() => sending()));
  assert.equal(await lose(), lost.length);
  const told = () => Promise.all(lost.map(({ isTold }) => isTold()));
  assert.deepEqual(await told(), [true, true, true, true], 'nobody can tell');
  // Of two of them it turns out that they were not accepted, so the next texts must say it.
  await lost[0]!.settle('QUEUED');
  await lost[1]!.settle('SENT');
  await resolve(lost[2]!.messageId, 200, 'resend');
  await resolve(lost[3]!.messageId, 200, 'sent');
  assert.deepEqual(await told(), [false, true, false, true]);
  const reported = await sending();
  await reported.settle('UNKNOWN');
  const status = { type: 'status', messageId: reported.messageId, status: 'failed' };
  assert.equal((await tools.asHttp(provider, status)).status, 204);
  assert.equal(await reported.isTold(), false);
  // Another text to the number has told it before.
  const [first, second] = [await sending('+4366429999999'), await sending('+436642999999')];
  await first.settle('SENT');
  await tools.inTenant(sql`update messages set to_address = ${first.to} where id = ${second.messageId}`);
  await lose();
  await second.settle('FAILED');
  assert.equal(await first.isTold(), true);
  await tools.call('PUT', '/channels/settings', 200, { optOutText: null });
});

test('an attempt whose sender is lost is shown, with what becomes known of it', async () => {
  const texts = await Promise.all([1, 2, 3].map(() => sending()));
  await markLostSends(engineEm(service.deps.orm));
  const shown = (id: number) => tools.call('GET', `/channels/messages/${id}/explain`, 200);
  const lost = { providerId: provider, outcome: 'unknown', reply: 'the sender was lost before the answer came' };
  for (const { messageId } of texts) {
    const { status, attempts } = await shown(messageId);
    assert.equal(status, 'UNKNOWN');
    assert.equal(attempts.length, 1);
    assert.partialDeepStrictEqual(attempts[0], lost);
  }
  const [sent, queued, untried] = texts;
  await sent!.settle('SENT');
  await queued!.settle('QUEUED');
  // Whoever started it without knowing that, has sent nothing.
  await untried!.settle('QUEUED', false);
  for (const [{ messageId }, outcome] of [
    [sent!, 'sent'],
    [queued!, 'queued'],
    [untried!, 'queued'],
  ] as const) {
    const { attempts } = await shown(messageId);
    assert.equal(attempts.length, 1);
    assert.partialDeepStrictEqual(attempts[0], { ...lost, outcome, reply: null });
  }
});

test('what may have been accepted is UNKNOWN, not suppressed, when its number opts out', async () => {
  const to = newNumber();
  const id = await tried('QUEUED', 'marketing', to);
  const stop = { type: 'inbound', messageId: 'stop', from: to, to: '+15005550006', text: 'STOP' };
  assert.equal((await tools.asHttp(provider, stop)).status, 204);
  assert.deepEqual(await sendOf(id), { status: 'UNKNOWN', attempt: 1, bound: provider });
});

interface Counts {
  read: number;
  updated: number;
  hot: number;
}
/** What work did with these tables, in its transaction. */
async function countedOf(tx: EntityManager, tables: readonly string[], work: () => Promise<unknown>): Promise<Counts> {
  // They may have counts of earlier transactions of the session.
  const counts = async () =>
    (
      await rows<Counts>(
        tx,
        sql`
        select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int as read,
          coalesce(sum(n_tup_upd), 0)::int as updated, coalesce(sum(n_tup_hot_upd), 0)::int as hot
        from pg_stat_xact_user_tables where relname = any(${[...tables]}::text[])`,
      )
    )[0]!;
  const before = await counts();
  await work();
  const { read, updated, hot } = await counts();
  return { read: read - before.read, updated: updated - before.updated, hot: hot - before.hot };
}

test('few messages with a status are found among many without reading those', async () => {
  await tools.inTenant(sql`
    with made as (
      insert into messages (tenant_id, send_key, channel, category, status, reason)
      select 'default', 'many/' || n, 'sms', 'marketing', status, case when status <> 'QUEUED' and status <> 'DELIVERED' and status <> 'SENDING' then 'x' end
      from (select n, coalesce((array['FAILED', 'UNDELIVERED', 'SUPPRESSED', 'QUEUED', 'SENDING', 'UNKNOWN'])[n], 'DELIVERED') as status
        from generate_series(1, 5000) n) many
      returning id, status)
    insert into message_sends (tenant_id, message_id, type, lane, status, lease_until) select 'default', id, 'sms', 'bulk', status, now() + interval '1 hour' from made`);
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  await owner.query('analyze messages, message_sends');
  await owner.end();
  for (const [at, status] of ['FAILED', 'UNDELIVERED', 'SUPPRESSED', 'QUEUED', 'SENDING', 'UNKNOWN'].entries()) {
    let keys: string[] = [];
    const { read } = await tenantEm(service.deps.orm, 'default').transactional((tx) =>
      countedOf(tx, ['messages', 'message_sends'], async () => {
        keys = (await listMessages(tx, { status, limit: 200 }, ({ message }) => message.sendKey)).data;
      }),
    );
    assert.ok(keys.includes(`many/${at + 1}`), status);
    assert.deepEqual(
      keys.filter((key) => key.startsWith('many/')),
      [`many/${at + 1}`],
    );
    assert.ok(read < 1_000, `${status}: ${read} rows were read`);
  }
});

test('a message that is started, and settled as SENT, writes to no index', async () => {
  const id = await tried('QUEUED');
  const [send] = await tools.inTenant<{ id: number }>(sql`
    update message_sends set holder = 'test', lease_until = now() + interval '1 minute', bound_provider_id = null
    where message_id = ${id} returning id`);
  const key = { id: send!.id, tenantId: 'default', messageId: id };
  const [contact] = await tools.inTenant<{ version: number | null; number: string }>(sql`
    select c.version, m.to_address as number from messages m left join contacts c on c.id = m.contact_id where m.id = ${id}`);
  const { updated, hot } = await engineEm(service.deps.orm).transactional((tx) =>
    countedOf(tx, ['messages'], async () => {
      const inTurn = async (statements: readonly Parameters<typeof rows>[1][]): Promise<unknown[][]> => {
        const answers: unknown[][] = [];
        for (const statement of statements) answers.push(await rows(tx, statement));
        return answers;
      };
      const call = { holder: 'test', name: 'test/1', leaseSeconds: 60 };
      const [started] = await startSends(inTurn, {
        ...call,
        settlements: [],
        sends: [
          {
            ...{ ...key, contactVersion: contact!.version, contentVersion: null, address: contact!.number },
            ...{
              segments: 1,
              encoding: 'gsm-7',
              links: [],
              cappedContactId: null,
              providerId: provider,
              isSendable: true,
            },
          },
        ],
      });
      assert.equal(started?.status, 'SENDING');
      await startSends(inTurn, {
        ...call,
        sends: [],
        settlements: [
          {
            ...{ ...key, attempt: started.attempt, providerId: provider, wasTried: true, result: 'SENT' },
            ...{ reason: null, providerMessageId: null, reply: null },
          },
        ],
      });
    }),
  );
  assert.deepEqual([updated, hot], [2, 2]);
});

test('a list that takes too long ends, and says what to ask for instead', async () => {
  const { status, body } = await holding(service, 'lock table messages in access exclusive mode', () =>
    service.api('GET', '/channels/messages?status=SENT'),
  );
  assert.deepEqual([status, body.code], [503, 'unavailable']);
  assert.match(body.detail, /contact, campaign or template/);
});
