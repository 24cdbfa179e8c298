import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { PAGE_TEXTS } from '../../../api/emails/pages/texts.ts';
import { LANGUAGES } from '../../../lib/text/languages.ts';
import { erasedKey } from '../../../domain/addresses/digest.ts';
import { newTenant } from '../../support/accounts.ts';
import { makeContact, makeTemplate, send } from '../../support/mail/emails.ts';
import { readPage, type Shown } from '../../support/mail/pages.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const page = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.api(method, `/emails/${path}`, body, { token: null, headers });
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** A person with a mail, by whose token the pages open. */
async function reader({ address }: { address?: string } = {}) {
  const contact = address === undefined ? await makeContact(service) : null;
  const emailId = await send(service, {
    templateId: await makeTemplate(service),
    ...(contact ? { recipientId: contact.id } : { to: address }),
  });
  const email = contact?.email ?? address!;
  await engine(sql`update emails set status = 'SENT', to_address = ${email} where id = ${emailId}`);
  const token = service.deps.links.unsubscribeToken({
    tenantId: 'default',
    emailId,
    contactId: contact?.id ?? null,
    address: contact ? null : email,
  });
  return { contact, email, emailId, token };
}
/** Topics of this file are the tenant's only ones: each test makes its own. */
async function onlyTopics(...topics: { name: string; description?: string }[]): Promise<number[]> {
  await engine(sql`update email_templates set topic_id = null`);
  await engine(sql`delete from email_topics`);
  const ids: number[] = [];
  for (const topic of topics) ids.push((await service.api('POST', '/emails/topics', topic)).body.id);
  return ids;
}
const save = (token: string, topics: readonly (number | string)[], headers = {}) =>
  page(
    'POST',
    `preferences/${token}`,
    new URLSearchParams(topics.map((id): [string, string] => ['topic', String(id)])),
    headers,
  );
const chosen = ({ forms }: Shown) =>
  forms[0]!.filter(({ name, checked }) => name === 'topic' && checked).map(({ value }) => Number(value));
const everything = () =>
  engine(sql`
  select 's' as k, email_key, reason as v from suppressions union all select 'o', address, topic_id::text from topic_opt_outs
  union all select 'c', email_key, status || version from contacts union all select 'm', status, id::text || coalesce(reason, '') from emails order by 1, 2, 3`);

test('the page shows every topic with its name and description, all wanted until something is chosen', async () => {
  const [one, two] = await onlyTopics({ name: 'B topic' }, { name: 'A topic', description: 'What it is about' });
  const { token } = await reader();
  const shown = readPage(await page('GET', `preferences/${token}?utm_source=x`));
  assert.deepEqual(
    [shown.language, shown.heading, shown.title],
    ['en', 'Your email preferences', 'Your email preferences'],
  );
  assert.deepEqual(shown.forms, [
    [
      { name: 'channel', type: 'hidden', value: 'email', checked: false, label: '' },
      { name: 'topic', type: 'checkbox', value: String(two), checked: true, label: 'A topic' },
      { name: 'topic', type: 'checkbox', value: String(one), checked: true, label: 'B topic' },
      { name: 'quietFrom', type: 'time', value: '', checked: false, label: 'From' },
      { name: 'quietTo', type: 'time', value: '', checked: false, label: 'To' },
    ],
    [{ name: 'unsubscribe', type: 'hidden', value: 'all', checked: false, label: '' }],
  ]);
  assert.match(shown.text, /What it is about/);
});

test('what is saved holds and is told; saved again, or by a stale page, it is the same', async () => {
  const [one, two, three] = await onlyTopics({ name: 'News' }, { name: 'Offers' }, { name: 'Events' });
  const { token, email } = await reader();
  const refused = async () =>
    (
      await engine<{ topic_id: number }>(sql`select topic_id from topic_opt_outs where address = ${email} order by 1`)
    ).map((row) => row.topic_id);
  const saved = readPage(await save(token, [one!]));
  assert.match(saved.text, /Saved\. You will get emails about: News /);
  assert.deepEqual([chosen(saved), await refused()], [[one], [two, three]]);
  assert.deepEqual(chosen(readPage(await page('GET', `preferences/${token}`))), [one]);
  // Double click: both are answered alike, whichever comes first.
  for (const answer of await Promise.all([1, 2, 3, 4].map(() => save(token, [two!, three!])))) {
    assert.equal(answer.status, 200);
    assert.deepEqual(chosen(readPage(answer)).sort(), [two, three]);
  }
  assert.deepEqual(await refused(), [one]);
  const none = readPage(await save(token, []));
  assert.match(none.text, /Saved\. You will not get emails about any of these topics\./);
  assert.deepEqual(await refused(), [one, two, three]);
  assert.deepEqual(chosen(readPage(await save(token, [three!, two!, one!]))).length, 3);
  assert.deepEqual(await refused(), []);
  // A topic that came since the page was opened was not ticked on it.
  const late = (await service.api('POST', '/emails/topics', { name: 'Late' })).body.id;
  assert.deepEqual(
    await (async () => {
      await save(token, [one!, two!, three!]);
      return refused();
    })(),
    [late],
  );
});

test('ids that are no topic of the tenant are ignored, whatever they are', async () => {
  const [one] = await onlyTopics({ name: 'Mine' });
  const them = await newTenant(service);
  const theirs = (await service.api('POST', '/emails/topics', { name: 'Theirs' }, { token: them.token })).body
    .id as number;
  const { token, email } = await reader();
  const answer = await save(token, [
    one!,
    theirs,
    999_999_999,
    '9007199254740993',
    '0',
    '-1',
    '1e3',
    'x',
    "'; drop table contacts",
    '',
    '１',
  ]);
  assert.equal(answer.status, 200);
  assert.deepEqual(await engine(sql`select 1 from topic_opt_outs where address = ${email}`), []);
  assert.doesNotMatch(answer.body, /Theirs/);
  await save(token, []);
  assert.deepEqual(await engine(sql`select tenant_id, topic_id from topic_opt_outs where address = ${email}`), [
    { tenant_id: 'default', topic_id: one },
  ]);
});

test('a bare address chooses too; a choice holds for the address the mail went to and for the present one', async () => {
  const [topic] = await onlyTopics({ name: 'Any' });
  const templateId = await makeTemplate(service, { topicId: topic });
  const bare = await reader({ address: 'Bare.Reader@Example.org' });
  await save(bare.token, []);
  const held = await service.api('POST', '/emails/send', { templateId, to: 'bare.reader@example.org' });
  assert.equal((await service.api('GET', `/emails/${held.body.emailId}`)).body.reason, 'topic_off');

  const { contact, token, email } = await reader();
  await service.api('PUT', `/contacts/${contact!.id}`, { email: `moved-${email}` });
  await save(token, []);
  assert.deepEqual(await engine(sql`select address from topic_opt_outs where address like ${`%${email}`} order by 1`), [
    { address: `moved-${email}` },
    { address: email },
  ]);
  assert.deepEqual(chosen(readPage(await save(token, [topic!]))), [topic]);
  assert.equal(
    (await service.api('POST', '/emails/send', { templateId, recipientId: contact!.id })).body.status,
    'QUEUED',
  );
});

test('what an erasure has left is switched on again by the person alone', async () => {
  const [topic] = await onlyTopics({ name: 'Refused once' });
  const { token, email } = await reader();
  await engine(
    sql`insert into topic_opt_outs (tenant_id, address, topic_id) values ('default', ${erasedKey('default', email)}, ${topic})`,
  );
  assert.deepEqual(chosen(readPage(await page('GET', `preferences/${token}`))), []);
  assert.deepEqual(chosen(readPage(await save(token, [topic!]))), [topic]);
});

test('the mail of a contact that was merged since chooses for whom it was merged into', async () => {
  const [topic] = await onlyTopics({ name: 'Any' });
  const source = await reader();
  const target = await makeContact(service);
  assert.equal(
    (await service.api('POST', `/contacts/${target.id}/merge`, { sourceId: source.contact!.id })).status,
    200,
  );
  await save(source.token, []);
  const templateId = await makeTemplate(service, { topicId: topic });
  assert.equal(
    (await service.api('POST', '/emails/send', { templateId, recipientId: target.id })).body.status,
    'SUPPRESSED',
  );
  assert.equal((await page('POST', `unsubscribe/${source.token}`)).status, 200);
  assert.equal((await service.api('GET', `/contacts/${target.id}`)).body.status, 'unsubscribed');
});

test('unsubscribing from all is one button away, and one click as mailbox providers do it', async () => {
  await onlyTopics({ name: 'Any' });
  for (const body of ['unsubscribe=all', 'List-Unsubscribe=One-Click', 'unsubscribe=all&topic=1']) {
    const { contact, token } = await reader();
    assert.equal(
      readPage(await page('POST', `preferences/${token}`, new URLSearchParams(body))).heading,
      'You are unsubscribed',
    );
    assert.equal((await service.api('GET', `/contacts/${contact!.id}`)).body.status, 'unsubscribed');
  }
  const multipart = new FormData();
  multipart.set('List-Unsubscribe', 'One-Click');
  const { contact, token } = await reader();
  assert.equal((await page('POST', `preferences/${token}`, multipart)).status, 200);
  assert.equal((await service.api('GET', `/contacts/${contact!.id}`)).body.status, 'unsubscribed');
});

test('who is unsubscribed is told so, and no page makes a subscriber of anybody', async () => {
  const [topic] = await onlyTopics({ name: 'Any' });
  const { contact, token } = await reader();
  await page('POST', `unsubscribe/${token}`, 'List-Unsubscribe=One-Click');
  for (const answer of [
    await page('GET', `unsubscribe/${token}`),
    await page('GET', `preferences/${token}`),
    await save(token, [topic!]),
    await page('POST', `unsubscribe/${token}`),
  ]) {
    const shown = readPage(answer);
    assert.deepEqual([answer.status, shown.heading, shown.forms], [200, 'You are unsubscribed', []]);
    assert.match(shown.text, /sign up again and confirm your address/);
  }
  assert.equal((await service.api('GET', `/contacts/${contact!.id}`)).body.status, 'unsubscribed');
  // Bounced and complained ones too, and an address whose data was erased.
  const bounced = await reader();
  await engine(sql`update contacts set status = 'bounced' where id = ${bounced.contact!.id}`);
  assert.equal(readPage(await page('GET', `preferences/${bounced.token}`)).heading, 'You are unsubscribed');
  const erased = await reader();
  await engine(sql`update emails set to_address = null where id = ${erased.emailId}`);
  await engine(sql`delete from contacts where id = ${erased.contact!.id}`);
  assert.equal(readPage(await page('GET', `preferences/${erased.token}`)).heading, 'You get no emails from us');
  assert.equal(readPage(await save(erased.token, [])).heading, 'You get no emails from us');
});

test('GET and HEAD change nothing, and the unsubscribe page leads to the preferences where there is a choice', async () => {
  await onlyTopics({ name: 'Any' });
  const { token } = await reader();
  const before = await everything();
  for (const path of ['unsubscribe', 'preferences']) {
    for (const method of ['HEAD', 'GET']) {
      const answer = await page(method, `${path}/${token}?topic=1&unsubscribe=all`);
      assert.equal(answer.status, 200);
      if (method === 'HEAD') assert.equal(answer.body, '');
    }
  }
  assert.deepEqual(await everything(), before);
  const { body } = await page('GET', `unsubscribe/${token}`);
  const [, href] = /<a href="([^"]+)"/.exec(body)!;
  const followed = await fetch(new URL(href!, `${service.url}/api/v1/emails/unsubscribe/${token}`));
  assert.match(await followed.text(), /Your email preferences/);
  await onlyTopics();
  assert.doesNotMatch((await page('GET', `unsubscribe/${token}`)).body, /<a /);
  assert.match(readPage(await page('GET', `preferences/${token}`)).text, /There are no topics to choose from/);
  assert.equal(readPage(await save(token, [])).heading, 'Your email preferences');
});

test('a forged token changes nothing: a browser gets a page, a program a problem', async () => {
  const { token, emailId } = await reader();
  const before = await everything();
  const forged = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA');
  const { links } = service.deps;
  const tokens = [
    forged,
    'x',
    'Preview',
    '%00',
    links.openTrackingId(emailId),
    links.emailToken('view', 999_999),
    links.sign('other', ['default', String(emailId), '1']),
  ];
  for (const bad of tokens) {
    for (const [path, methods] of [
      ['unsubscribe', ['GET', 'POST']],
      ['preferences', ['GET', 'POST']],
      ['confirm', ['GET', 'POST']],
      ['view', ['GET']],
    ] as const) {
      for (const method of methods) {
        const asked = await page(method, `${path}/${bad}`);
        assert.deepEqual([asked.status, asked.body.code], [400, 'token_invalid'], `${method} ${path} ${bad}`);
        assert.match(asked.headers.get('content-type')!, /^application\/problem\+json/);
        const seen = await page(method, `${path}/${bad}`, undefined, { ...BROWSER, 'accept-language': 'de' });
        assert.deepEqual(
          [seen.status, readPage(seen).heading],
          [400, 'Dieser Link funktioniert nicht'],
          `${method} ${path} ${bad}`,
        );
        assert.match(seen.headers.get('vary')!, /Accept(,|$)/);
      }
    }
  }
  assert.deepEqual(await everything(), before);
});

test('what is wrong with a request is a page for a browser too', async () => {
  const { token } = await reader();
  const answer = await page('POST', `preferences/${token}`, '{}', { ...BROWSER, 'content-type': 'application/json' });
  assert.deepEqual([answer.status, readPage(answer).heading], [415, 'That did not work']);
  const problem = await page('POST', `preferences/${token}`, '{}', { 'content-type': 'application/json' });
  assert.deepEqual([problem.status, problem.body.code], [415, 'unsupported_media_type']);
});

test('the links of a preview lead to a page that does nothing', async () => {
  const templateId = await makeTemplate(service, {
    content: '<a href="{{unsubscribeUrl}}">u</a> <a href="{{preferencesUrl}}">p</a> <a href="{{webViewUrl}}">v</a>',
  });
  const { body } = await service.api('POST', `/emails/templates/${templateId}/preview`, {});
  const links = [...(body.html as string).matchAll(/href="([^"]*)"/g)].map(([, href]) =>
    new URL(href!).pathname.replace('/api/v1/emails/', ''),
  );
  assert.deepEqual(links, ['unsubscribe/preview', 'preferences/preview', 'view/preview']);
  const before = await everything();
  for (const link of links) {
    for (const method of link.startsWith('view') ? ['GET'] : ['GET', 'POST']) {
      const shown = readPage(await page(method, link));
      assert.deepEqual([shown.heading, shown.forms], ['This is a preview', []], `${method} ${link}`);
    }
  }
  assert.deepEqual(await everything(), before);
});

test('every page is there in every language', async () => {
  await onlyTopics({ name: 'Any' });
  const { token } = await reader();
  const gone = await reader();
  await page('POST', `unsubscribe/${gone.token}`);
  for (const language of LANGUAGES) {
    const texts = PAGE_TEXTS[language];
    const show = async (answer: Promise<Answer>) => readPage(await answer);
    const headers = { ...BROWSER, 'accept-language': `ja, ${language}-XX;q=0.9, nl;q=0.8, *;q=0.1` };
    const pages: [string, Shown, string][] = [
      ['unsubscribe', await show(page('GET', `unsubscribe/${token}`, undefined, headers)), texts.unsubscribe.title],
      ['preferences', await show(page('GET', `preferences/${token}`, undefined, headers)), texts.preferences.title],
      ['saved', await show(save(token, [], headers)), texts.preferences.title],
      [
        'unsubscribed',
        await show(page('POST', `unsubscribe/${gone.token}`, undefined, headers)),
        texts.unsubscribed.title,
      ],
      ['preview', await show(page('GET', 'view/preview', undefined, headers)), texts.preview.title],
      ['dead', await show(page('GET', 'confirm/x', undefined, headers)), texts.deadLink.title],
    ];
    for (const [what, { language: lang, heading }, title] of pages)
      assert.deepEqual([lang, heading], [language, title], `${what} in ${language}`);
  }
  assert.equal(
    readPage(await page('GET', `unsubscribe/${token}`, undefined, { 'accept-language': 'ja;q=0.3, *;q=0' })).language,
    'en',
  );
});

test('names and descriptions are text, whatever they say, in whatever direction', async () => {
  const names = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', 'عروض خاصة', "O'Brien & Co"];
  await onlyTopics(...names.map((name) => ({ name, description: `${name} </p><form action=https://example.com>` })));
  const { token } = await reader();
  for (const shown of [
    readPage(await page('GET', `preferences/${token}`)),
    readPage(await page('POST', `preferences/${token}`, new URLSearchParams(await allOf(token)))),
  ]) {
    const labels = shown.forms[0]!.filter(({ name }) => name === 'topic').map(({ label }) => label);
    assert.deepEqual(labels.sort(), [...names].sort());
    assert.equal(shown.forms.length, 2);
  }
});

async function allOf(token: string): Promise<[string, string][]> {
  return readPage(await page('GET', `preferences/${token}`)).forms[0]!.map(({ name, value }) => [name, value]);
}
