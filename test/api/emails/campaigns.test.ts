import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { advanceEmailCampaign } from '../../../domain/email-campaigns/advance-email-campaign.ts';
import { releaseEmails } from '../../../domain/email-campaigns/release-emails.ts';
import { leaseEmails } from '../../../domain/emails/ledger/lease-emails.ts';
import { makeAudience, makeEmailCampaign, makeList } from '../../support/mail/email-campaigns.ts';
import { makeContact, makeTemplate, send, startAs } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';

// No worker runs here: what is said of a campaign is its state.
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const errorsOf = ({ status, body }: { status: number; body: { errors?: { path: string; code: string }[] } }) => [
  status,
  (body.errors ?? []).map(({ path, code }) => `${path} ${code}`),
];

test('clicks are counted by the links of the template, which name nobody', async () => {
  const links = [
    'https://example.com/static?utm_source=mail&amp;x=1',
    'https://example.com/p/{{ id }}?e={{ email | url_encode }}&amp;z=1',
    'https://example.com/p/{{ id }}/more',
    'https://example.com/{% if vip %}vip{% else %}all{% endif %}/{{ customFields.code }}',
    'https://example.com/form?contactToken={{ contactToken }}&amp;f={{ id }}',
    '{{ data.link }}',
    '{{ data.more }}',
    '{{ webViewUrl }}',
  ];
  const content = `<!--[if mso]><v:roundrect href="https://example.com/vml/{{ id }}">x</v:roundrect><![endif]-->${links.map((href) => `<a href="${href}">x</a>`).join(' ')}`;
  const templateId = await makeTemplate(service, { content });
  const { id: campaignId } = await makeEmailCampaign(service, { templateId, listId: await makeList(service, []) });
  const contacts = [await makeContact(service), await makeContact(service)];
  const clicksOf = (n: number, email: string): string[] => [
    'https://example.com/static?utm_source=mail&x=1',
    `https://example.com/p/${n}?e=${encodeURIComponent(email)}&z=1`,
    `https://example.com/p/${n}/more`,
    `https://example.com/${n % 2 ? 'vip' : 'all'}/secret-${n}`,
    `https://example.com/form?f=${n}`,
    `https://example.com/vml/${n}`,
    'http://localhost:8080/api/v1/emails/view',
    `https://other.example/${email}/abcdefghij0123456789${n}?t=${n}#${n}`,
  ];
  for (const { id, email } of contacts) {
    const [sent] = await engine<{ id: number }>(sql`
      insert into emails (tenant_id, send_key, template_id, contact_id, campaign_id, lane, status, content_version, to_address, link_count, attempt, provider, accepted_at, sent_at)
      values ('default', ${`links-${id}`}, ${templateId}, ${id}, ${campaignId}, 'bulk', 'SENT', 1, ${email}, 9, 1, 'mx:25', now(), now()) returning id`);
    for (const url of [...clicksOf(id, email), clicksOf(id, email)[1]!])
      await engine(sql`
        insert into email_events (tenant_id, email_id, campaign_id, event_id, type, at, url, automated)
        values ('default', ${sent!.id}, ${campaignId}, gen_random_uuid(), 'CLICK', now(), ${url}, false)`);
  }
  const read = async () => (await service.api('GET', `/emails/campaigns/${campaignId}/stats`)).body.links;
  const shown = await read();
  assert.deepEqual(shown, await read());
  // Two are Liquid alone, so what no other link explains is shown as far as it is safe.
  assert.deepEqual(
    new Map(shown.map(({ url, clicks, uniqueClicks }: Record<string, unknown>) => [url, [clicks, uniqueClicks]])),
    new Map([
      ['https://example.com/p/{{ id }}?e={{ email | url_encode }}&z=1', [4, 2]],
      ['http://localhost:8080/api/v1/emails/view', [2, 2]],
      ['https://example.com/form?contactToken={{ contactToken }}&f={{ id }}', [2, 2]],
      ['https://example.com/p/{{ id }}/more', [2, 2]],
      ['https://example.com/static?utm_source=mail&x=1', [2, 2]],
      ['https://example.com/vml/{{ id }}', [2, 2]],
      ['https://example.com/{% if vip %}vip{% else %}all{% endif %}/{{ customFields.code }}', [2, 2]],
      ['https://other.example/…/…', [2, 2]],
    ]),
  );
  const text = JSON.stringify(shown);
  for (const { email } of contacts) assert.ok(!text.includes(email) && !text.includes(encodeURIComponent(email)));
});

test('what is wrong with a campaign is told whole', async () => {
  const templateId = await makeTemplate(service);
  const listId = await makeList(service, []);
  const post = (body: Record<string, unknown>) =>
    service.api('POST', '/emails/campaigns', { name: 'x', templateId, listId, ...body });
  const cases: [Record<string, unknown>, string[]][] = [
    [{ name: ' ' }, ['/name required']],
    [{ templateId: null }, ['/templateId required']],
    [{ listId: null }, ['/segmentId required']],
    [{ segmentId: listId + 1000 }, ['/listId conflict']],
    [{ scheduleType: 'scheduled' }, ['/scheduledAt required']],
    [{ scheduleType: 'recurring', timezone: 'Mars/Base' }, ['/cron required', '/timezone timezone']],
    [{ scheduleType: 'recurring', cron: '* * * * * *' }, ['/cron cron']],
    [{ scheduleType: 'recurring', cron: '61 * * * *' }, ['/cron cron']],
    [{ scheduleType: 'recurring', cron: '0 0 30 2 *' }, ['/cron cron']],
    [{ scheduleType: 'recipient_local_time' }, ['/scheduledAt required']],
    [{ scheduleType: 'recipient_local_time', scheduledAt: '0001-01-01T00:00:00Z' }, ['/scheduledAt out_of_range']],
    [{ scheduleType: 'scheduled', scheduledAt: '0001-01-01T00:00:00+14:00' }, ['/scheduledAt out_of_range']],
    [{ scheduledAt: '9999-12-31T23:59:59Z' }, ['/scheduledAt out_of_range']],
    [
      {
        variants: [
          { name: 'A', templateId, weight: 1 },
          { name: 'A', templateId, weight: 1 },
        ],
      },
      ['/variants/1/name unique', '/templateId conflict'],
    ],
    [{ winner: { metric: 'opens', afterMinutes: 60, testPercent: 10 } }, ['/winner conflict']],
  ];
  for (const [body, expected] of cases)
    assert.deepEqual(errorsOf(await post(body)), [400, expected], JSON.stringify(body));
  for (const body of [
    { ratePerMinute: 0 },
    { scheduleType: 'now' },
    { scheduledAt: 'tomorrow' },
    { variants: [] },
    { status: 'SENT' },
    { unknown: 1 },
    { templateId: '1' },
    {
      variants: [
        { name: 'A', templateId, weight: 0 },
        { name: 'B', templateId, weight: 1 },
      ],
    },
  ])
    assert.equal((await post(body)).status, 400, JSON.stringify(body));
  const variants = [999_998, templateId, 999_999].map((id, n) => ({ name: `V${n}`, templateId: id, weight: 1 }));
  const unknown: [Record<string, unknown>, string[]][] = [
    [{ templateId: 999_999 }, ['/templateId']],
    [{ listId: 999_999 }, ['/listId']],
    [{ templateId: 999_999, listId: null, segmentId: 999_999 }, ['/templateId', '/segmentId']],
    [{ templateId: null, variants, listId: 999_999 }, ['/variants/0/templateId', '/variants/2/templateId', '/listId']],
  ];
  for (const [body, paths] of unknown)
    assert.deepEqual(errorsOf(await post(body)), [404, paths.map((path) => `${path} not_found`)], JSON.stringify(body));
  const system = await engine<{ id: number }>(sql`select id from email_templates where system_key is not null limit 1`);
  if (system[0]) assert.equal((await post({ templateId: system[0].id })).status, 404);
});

test('what was read can be put back; what is on its way can be changed only in part', async () => {
  const { listId } = await makeAudience(service, 1);
  const templateId = await makeTemplate(service);
  const draft = await makeEmailCampaign(service, { templateId, listId });
  const path = `/emails/campaigns/${draft.id}`;
  const same = await service.api('PUT', path, draft);
  assert.deepEqual([same.status, same.body.version], [200, draft.version]);
  const other = await makeList(service, []);
  const moved = await service.api('PUT', path, { ...draft, segmentId: other });
  assert.deepEqual([moved.status, moved.body.segmentId, moved.body.listId], [200, other, other]);
  assert.equal(
    (await service.api('PUT', path, { name: 'Stale' }, { headers: { 'If-Match': `"${draft.version}"` } })).status,
    412,
  );
  assert.equal((await service.api('PUT', path, { status: 'SENT' })).status, 400);
  const scheduled = await service.api('PUT', path, {
    scheduleType: 'scheduled',
    scheduledAt: '2099-05-01T10:00:00+02:00',
  });
  assert.deepEqual([scheduled.body.status, scheduled.body.scheduledAt], ['DRAFT', '2099-05-01T08:00:00.000Z']);
  assert.equal((await service.api('POST', `${path}/send`)).body.status, 'SCHEDULED');
  assert.deepEqual(errorsOf(await service.api('PUT', path, { scheduleType: null })), [400, ['/scheduleType required']]);
  assert.equal((await service.api('DELETE', path)).status, 409);
  assert.equal((await service.api('POST', `${path}/cancel`)).body.status, 'CANCELLED');
  assert.equal((await service.api('PUT', path, { ratePerMinute: 5 })).status, 409);
  assert.equal((await service.api('PUT', path, { name: 'For the archive' })).status, 200);
  assert.equal((await service.api('DELETE', path)).status, 204);
  assert.equal((await service.api('GET', path)).status, 404);

  const sending = await makeEmailCampaign(service, { templateId, listId, scheduleType: 'immediate' });
  const changed = await service.api('PUT', `/emails/campaigns/${sending.id}`, { ratePerMinute: 100, name: 'Slower' });
  assert.deepEqual([changed.status, changed.body.ratePerMinute], [200, 100]);
  const refused = await service.api('PUT', `/emails/campaigns/${sending.id}`, {
    templateId: await makeTemplate(service),
  });
  assert.deepEqual(
    [refused.status, refused.body.detail],
    [409, 'The campaign is SENDING: templateId can no longer be changed'],
  );
  for (const verb of ['send', 'pause', 'resume', 'cancel'])
    assert.equal((await service.api('POST', `/emails/campaigns/999999/${verb}`)).status, 404);
  assert.equal((await service.api('GET', '/emails/campaigns?status=SENDING')).body.data.length, 1);
  const audit = await service.api('GET', '/auth/audit-log?limit=200');
  const actions = audit.body.data.map(({ action }: { action: string }) => action);
  for (const action of ['email_campaign.started', 'email_campaign.cancelled', 'email_campaign.deleted'])
    assert.ok(actions.includes(action), action);
});

test('one that waits for its time can be paused, and goes on waiting when it is resumed', async () => {
  const {
    contacts: [member],
    listId,
  } = await makeAudience(service, 1);
  const templateId = await makeTemplate(service);
  const weekly = await makeEmailCampaign(service, { templateId, listId, scheduleType: 'recurring', cron: '0 9 * * 1' });
  const act = (id: number, verb: string) => service.api('POST', `/emails/campaigns/${id}/${verb}`);
  assert.deepEqual(
    [(await act(weekly.id, 'pause')).body.status, (await act(weekly.id, 'pause')).status],
    ['PAUSED', 202],
  );
  assert.equal((await act(weekly.id, 'send')).status, 409);
  assert.equal((await service.api('DELETE', `/emails/templates/${templateId}`)).status, 409);
  const { body: explained } = await service.api(
    'GET',
    `/contacts/${member!.id}/emails/explain?campaignId=${weekly.id}`,
  );
  assert.deepEqual(
    explained.gates.map(
      ({ gate, passed, reason }: { gate: string; passed: boolean; reason: string }) => `${gate} ${passed} ${reason}`,
    ),
    [`membership true segment_${listId}`, 'campaign false campaign_paused'],
  );
  // An occurrence that it was paused over is left out.
  await engine(sql`update email_campaigns set next_run_at = now() - interval '3 days' where id = ${weekly.id}`);
  const resumed = (await act(weekly.id, 'resume')).body;
  assert.deepEqual([resumed.status, resumed.nextRunAt], ['SCHEDULED', weekly.nextRunAt]);
  assert.deepEqual(
    [(await act(weekly.id, 'resume')).status, (await act(weekly.id, 'cancel')).body.status],
    [202, 'CANCELLED'],
  );

  const once = await makeEmailCampaign(service, {
    templateId,
    listId,
    scheduleType: 'scheduled',
    scheduledAt: '2099-05-01T10:00:00Z',
  });
  await act(once.id, 'pause');
  const again = (await act(once.id, 'resume')).body;
  assert.deepEqual([again.status, again.nextRunAt], ['SCHEDULED', '2099-05-01T10:00:00.000Z']);
});

test('one id space: a campaignId means one campaign, of either kind', async () => {
  const templateId = await makeTemplate(service);
  const mailing = await makeEmailCampaign(service, { templateId, listId: await makeList(service, []) });
  const journey = await service.api('POST', '/campaigns', { name: 'Journey', steps: [] });
  assert.ok(journey.body.id > mailing.id);
  assert.equal((await service.api('GET', `/campaigns/${mailing.id}`)).status, 404);
  assert.equal((await service.api('GET', `/emails/campaigns/${journey.body.id}`)).status, 404);
});

test('a contact without an email of a campaign is told what stands between', async () => {
  const templateId = await makeTemplate(service);
  const {
    contacts: [member],
    listId,
  } = await makeAudience(service, 1);
  const outsider = await makeContact(service);
  await service.api('PUT', `/contacts/${outsider.id}`, { status: 'unsubscribed' });
  const draft = await makeEmailCampaign(service, { templateId, listId });
  const explain = async (contactId: number, campaignId: number) => {
    const { status, body } = await service.api('GET', `/contacts/${contactId}/emails/explain?campaignId=${campaignId}`);
    assert.equal(status, 200, JSON.stringify(body));
    return [
      body.emailId,
      body.status,
      body.gates.map(
        ({ gate, passed, reason }: { gate: string; passed: boolean; reason: string }) => `${gate} ${passed} ${reason}`,
      ),
    ];
  };
  assert.deepEqual(await explain(member!.id, draft.id), [
    null,
    null,
    [`membership true segment_${listId}`, 'campaign false campaign_draft'],
  ]);
  assert.deepEqual(await explain(outsider.id, draft.id), [
    null,
    null,
    [`membership false not_in_segment_${listId}`, 'campaign false campaign_draft', 'status false contact_unsubscribed'],
  ]);
  const { body: journey } = await service.api('POST', '/campaigns', {
    name: 'Journey',
    steps: [{ type: 'EMAIL', config: { templateId } }],
  });
  assert.deepEqual(await explain(member!.id, journey.id), [null, null, ['membership false never_entered']]);
  const emailId = await send(service, { templateId, recipientId: member!.id, campaignId: journey.id });
  const [id, status] = await explain(member!.id, journey.id);
  assert.deepEqual([id, status], [emailId, 'QUEUED']);
  const { body: latest } = await service.api('GET', `/contacts/${member!.id}/emails/explain`);
  assert.deepEqual([latest.emailId, latest.campaignId, latest.emails.length], [emailId, null, 1]);
  assert.equal((await service.api('GET', `/contacts/${outsider.id}/emails/explain`)).body.emailId, null);
  assert.equal((await service.api('GET', `/contacts/${member!.id}/emails/explain?campaignId=x`)).status, 400);
  assert.equal((await service.api('GET', `/contacts/${member!.id}/emails/explain?campaignId=999999`)).status, 404);
  assert.equal((await service.api('GET', `/contacts/999999/emails/explain?campaignId=${draft.id}`)).status, 404);
});

test('mail of somebody who was erased was stopped at the contact', async () => {
  const emailId = await send(service, {
    templateId: await makeTemplate(service),
    recipientId: (await makeContact(service)).id,
  });
  await engine(
    sql`update emails set status = 'SUPPRESSED', reason = 'erased', to_address = null where id = ${emailId}`,
  );
  const { body } = await service.api('GET', `/emails/${emailId}/explain`);
  assert.deepEqual(
    body.gates.map(
      ({ gate, passed, reason }: { gate: string; passed: boolean; reason: string }) => `${gate} ${passed} ${reason}`,
    ),
    ['template true null', 'contact false erased'],
  );
});

test("mail that could not be written is not explained as a provider's refusal", async () => {
  for (const [reason, gate] of [
    ['template_failed', 'message'],
    ['address_invalid', 'message'],
    ['rejected', 'provider'],
  ]) {
    const emailId = await send(service, {
      templateId: await makeTemplate(service),
      recipientId: (await makeContact(service)).id,
    });
    await engine(
      sql`update emails set status = 'FAILED', reason = ${reason}, accepted_at = now() where id = ${emailId}`,
    );
    const { body } = await service.api('GET', `/emails/${emailId}/explain`);
    assert.deepEqual(body.gates.at(-1), { gate, passed: false, reason, at: body.gates.at(-1).at });
  }
});

/** Leases and starts what may go, as a sender does; returns the statuses by email. */
async function startAll(notBefore?: Date): Promise<Map<number, string>> {
  const em = engineEm(service.deps.orm);
  await engine(
    sql`update emails set accepted_at = coalesce(accepted_at, now()), created_at = created_at - interval '2 seconds', next_attempt_at = least(next_attempt_at, now()) where status = 'QUEUED' and lane = 'journey'`,
  );
  const leased = await leaseEmails(em.fork(), { holder: 'test', lane: 'journey', limit: 100, seconds: 60 });
  const started = await startAs(
    service,
    'test',
    leased.map((email) => ({
      id: email.id,
      tenantId: email.tenantId,
      batchId: email.batchId,
      contactVersion: email.contactVersion,
      contentVersion: email.contentVersion,
      linkCount: 0,
      fromKey: null,
      address: email.address,
      isBareAddress: email.contactId === null,
      attempt: email.attempt,
      cappedContactId: email.isCapped ? email.contactId : null,
      ...(notBefore ? { notBefore } : {}),
    })),
  );
  return new Map(started.map(({ id, status }) => [id, status]));
}

test("the tenant's rules for marketing mail: how often at most, and when", async () => {
  const path = '/emails/settings';
  assert.deepEqual((await service.api('GET', path)).body, { frequencyCap: null, sendWindow: null, version: 1 });
  assert.deepEqual(
    errorsOf(await service.api('PUT', path, { sendWindow: { from: '18:00', to: '09:00', timezone: 'Nowhere' } })),
    [400, ['/sendWindow/timezone timezone', '/sendWindow/to range']],
  );
  const set = await service.api('PUT', path, { frequencyCap: { maxEmails: 2, perDays: 7 } });
  assert.deepEqual([set.status, set.body.frequencyCap], [200, { maxEmails: 2, perDays: 7 }]);

  const contact = await makeContact(service);
  const templateId = await makeTemplate(service);
  const transactional = await makeTemplate(service, { category: 'transactional' });
  const ids: number[] = [];
  for (let n = 0; n < 4; n += 1) ids.push(await send(service, { templateId, recipientId: contact.id }));
  // Four that start at once: the first two go.
  const started = await startAll();
  assert.deepEqual(
    ids.map((id) => started.get(id)),
    ['SENDING', 'SENDING', 'SUPPRESSED', 'SUPPRESSED'],
  );
  const { body: explained } = await service.api('GET', `/emails/${ids[2]}/explain`);
  assert.deepEqual(explained.gates.at(-1), {
    ...explained.gates.at(-1),
    gate: 'frequency_cap',
    passed: false,
    reason: 'frequency_cap',
  });
  const other = await send(service, { templateId, recipientId: (await makeContact(service)).id });
  await engine(sql`update email_templates set category = 'transactional' where id = ${transactional}`);
  await service.api('POST', '/emails/send', { templateId: transactional, recipientId: contact.id });
  assert.equal((await startAll()).get(other), 'SENDING');
  // Last week does not count.
  await engine(
    sql`update emails set updated_at = now() - interval '8 days', sent_at = now() - interval '8 days', status = 'SENT' where id = any(${ids.slice(0, 2)}::bigint[])`,
  );
  const later = await send(service, { templateId, recipientId: contact.id });
  assert.equal((await startAll()).get(later), 'SENDING');

  assert.equal(
    (
      await service.api('PUT', path, {
        frequencyCap: null,
        sendWindow: { from: '09:00', to: '17:00', timezone: 'contact' },
      })
    ).status,
    200,
  );
  const waiting = await send(service, { templateId, recipientId: contact.id });
  const opens = new Date(Date.now() + 3_600_000);
  assert.equal((await startAll(opens)).get(waiting), 'QUEUED');
  const { body: put } = await service.api('GET', `/emails/${waiting}/explain`);
  assert.deepEqual(put.gates.at(-1), {
    ...put.gates.at(-1),
    gate: 'send_window',
    passed: false,
    reason: `opens_${opens.toISOString()}`,
  });

  // Another window, or none, counts for what waits for the last one.
  const gatesOf = async (id: number) =>
    (await service.api('GET', `/emails/${id}/explain`)).body.gates.map(({ gate }: { gate: string }) => gate);
  await service.api('PUT', path, { frequencyCap: { maxEmails: 1000, perDays: 1 } });
  assert.ok((await gatesOf(waiting)).includes('send_window'));
  await service.api('PUT', path, { sendWindow: { from: '08:00', to: '17:00', timezone: 'contact' } });
  assert.ok(!(await gatesOf(waiting)).includes('send_window'));
  const refused = await send(service, { templateId, recipientId: contact.id });
  await engine(sql`update emails set accepted_at = now(), attempt = 1, next_attempt_at = now() + interval '50 minutes', held_until = case id when ${waiting} then now() + interval '50 minutes' end
    where id in (${refused}, ${waiting})`);
  await service.api('PUT', path, { sendWindow: null, frequencyCap: null });
  const [tried, waited] = await engine<{ waits: boolean }>(
    sql`select next_attempt_at > now() as waits from emails where id in (${refused}, ${waiting}) order by id desc`,
  );
  assert.deepEqual(
    [tried, waited],
    [{ waits: true }, { waits: false }],
    'what a server has asked to come later waits for that',
  );
});

test('senders have no more than so many emails of a tenant before them; what they have none of is released however few they may have', async () => {
  const templateId = await makeTemplate(service);
  const listId = await makeList(service, [(await makeContact(service)).id]);
  const [large, small] = [
    await makeEmailCampaign(service, { templateId, listId }),
    await makeEmailCampaign(service, { templateId, listId }),
  ].map(({ id }) => id as number);
  const ledger = (campaignId: number, count: number, accepted: boolean) =>
    engine(sql`
    insert into emails (tenant_id, send_key, template_id, campaign_id, lane, to_address, accepted_at, next_attempt_at)
    select 'default', ${`window:${campaignId}:`} || n, ${templateId}, ${campaignId}, 'bulk', n || '@example.org', t, t
    from generate_series(1, ${count}::int) n, (select case when ${accepted}::boolean then now() end) accepted(t)`);
  await engine(
    sql`update email_campaigns set status = 'SENDING', frozen_to = null where id = any(${[large, small]}::bigint[])`,
  );
  await ledger(large!, 9_500, true);
  await ledger(small!, 2_000, false);
  const release = async () => (await releaseEmails(engineEm(service.deps.orm), small!, new Date())).state;
  const released = async () =>
    (
      await engine<{ n: number }>(sql`
    select count(*)::int as n from emails where campaign_id = ${small!} and id <= (select requested_to from email_campaigns where id = ${small!})`)
    )[0]!.n;
  const sent = (campaignId: number, count: number) =>
    engine(sql`
    with leased as (update email_batches set holder = 'a', lease_until = now() where campaign_id = ${campaignId})
    update emails set status = 'SENT' where id in (select id from emails where campaign_id = ${campaignId} and status = 'QUEUED' and (accepted_at is not null or id in (select unnest(email_ids) from email_batches)) order by id limit ${count})`);

  assert.deepEqual([await release(), await released()], ['some', 500]);
  assert.equal(await release(), 'full');
  // While senders have some of it, it is released by whole batches.
  await sent(large!, 999);
  assert.equal(await release(), 'full');
  await sent(large!, 1);
  assert.deepEqual([await release(), await released()], ['some', 1_500]);
  await sent(large!, 100);
  assert.equal(await release(), 'full');
  // Of what they have none it may have the little that others have left.
  await sent(small!, 1_500);
  await engine(
    sql`update emails set status = 'QUEUED' where id in (select id from emails where campaign_id = ${large!} and status = 'SENT' limit 1000)`,
  );
  assert.deepEqual([await release(), await released()], ['some', 2_000]);
  await sent(small!, 500);
  assert.equal(await release(), 'none');
});

test('the first emails are released before the last page of the audience is written; each recipient gets one', async () => {
  const templateId = await makeTemplate(service);
  const listId = await makeList(service, []);
  await engine(sql`
    with made as (
      insert into contacts (tenant_id, first_name, last_name, email, email_key)
      select 'default', 'A', 'B', address, address from (select 'page' || n || '@example.org' as address from generate_series(1, 6000) n) a
      returning id)
    insert into segment_members (tenant_id, segment_id, contact_id) select 'default', ${listId}, id from made`);
  const { id } = await makeEmailCampaign(service, { templateId, listId, scheduleType: 'immediate' });
  // So that nothing of another test takes up the senders' window.
  await engine(sql`update emails set status = 'SENT' where campaign_id <> ${id} and status = 'QUEUED'`);
  await engine(sql`delete from email_batches where campaign_id <> ${id}`);
  const state = async () =>
    (
      await engine<{ written: number; released: number; complete: boolean }>(sql`
        select (select count(*)::int from emails where campaign_id = ${id}) as written,
          (select coalesce(sum(cardinality(email_ids)), 0)::int from email_batches where campaign_id = ${id}) as released,
          frozen_to is null as complete
        from email_campaigns where id = ${id}`)
    )[0]!;
  const advance = () =>
    advanceEmailCampaign(engineEm(service.deps.orm), 'default', id as number, new Date(), { id: 0 });

  assert.equal((await advance()).released, true);
  assert.deepEqual(await state(), { written: 5_000, released: 1_000, complete: false });
  await advance();
  assert.deepEqual(await state(), { written: 6_000, released: 2_000, complete: true });
  while ((await advance()).released);
  assert.deepEqual(await state(), { written: 6_000, released: 6_000, complete: true });
  const [unique] = await engine<{ n: number }>(
    sql`select count(distinct contact_id)::int as n from emails where campaign_id = ${id}`,
  );
  assert.equal(unique!.n, 6_000);
});
