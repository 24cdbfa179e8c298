import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { readContactToken } from '../../../domain/addresses/contact-token.ts';
import { streamConfigs, TRACKING_HITS } from '../../../transport/streams.ts';
import { makeContact, makeTemplate, published, send, untilStatus } from '../../support/mail/emails.ts';
import { counting, takenInTime } from '../../support/counting.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const agent = { 'user-agent': PHONE };

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay', 'senders'] });
});
afterAll(() => service.stop());

interface Mail {
  emailId: number;
  contactId: number;
  templateId: number;
  pixel: string;
  links: string[];
}

/** A mail as it arrived: its pixel and links, as paths of the API. */
async function deliver(fields: Record<string, unknown> = {}): Promise<Mail> {
  const [templateId, contact] = [await makeTemplate(service, fields), await makeContact(service)];
  const emailId = await send(service, { templateId, recipientId: contact.id });
  await untilStatus(service, emailId, 'SENT');
  const html = String(service.sink.mails.find((mail) => mail.to[0] === contact.email)!.parsed.html);
  const path = (url: string) => url.replaceAll('&amp;', '&').replace(`${service.url}/api/v1`, '');
  const pixel = path(/<img src="([^"]*tracking\/open[^"]*)"/.exec(html)![1]!);
  const links = [...html.matchAll(/href="([^"]*tracking\/click[^"]*)"/g)].map((match) => path(match[1]!));
  return { emailId, contactId: contact.id, templateId, pixel, links };
}

const visit = (path: string, method = 'GET', headers: Record<string, string> = agent): Promise<Answer> =>
  service.api(method, path, undefined, { token: null, headers });
const tracking = async (emailId: number) => (await service.api('GET', `/emails/tracking/${emailId}`)).body;
const untilEvents = (emailId: number, count: number) =>
  until(`${count} events of email ${emailId}`, async () => {
    const body = await tracking(emailId);
    return body.events.length >= count && body;
  });

const follow = async (...request: Parameters<typeof visit>): Promise<Answer> => takenInTime(await visit(...request));

test('the pixel is always the picture, never cached, and recorded once it is known', async () => {
  const { emailId, pixel, contactId, templateId } = await deliver();
  const begin = Date.now();
  for (const headers of [agent, { ...agent, 'if-none-match': '*' }]) {
    const answer = await visit(`${pixel}?x=appended-by-a-proxy`, 'GET', headers);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'image/png');
    assert.match(answer.headers.get('cache-control')!, /no-store/);
    assert.match(answer.body, /PNG/);
  }
  assert.equal((await visit('/emails/tracking/open/nothing-of-ours')).status, 200);
  for (const odd of ['%F0%9F%98%80', '%00', 'a%00b'])
    assert.equal((await visit(`/emails/tracking/open/${odd}`)).headers.get('content-type'), 'image/png', odd);

  const body = await untilEvents(emailId, 2);
  assert.ok(Date.now() - begin >= 2000, 'it is classified when it is 2 s old');
  assert.deepEqual([body.opens, body.clicks, body.firstClickedAt, body.status], [2, 0, null, 'SENT']);
  assert.deepEqual(Object.keys(body.events[0]).sort(), ['at', 'automated', 'first', 'ip', 'type', 'url', 'userAgent']);
  assert.deepEqual(
    body.events.map((event: { type: string; first: boolean; automated: boolean; userAgent: string }) => [
      event.type,
      event.first,
      event.automated,
      event.userAgent,
    ]),
    [
      ['OPEN', true, false, PHONE],
      ['OPEN', false, false, PHONE],
    ],
  );
  assert.equal(body.firstOpenedAt, body.events[0].at);
  assert.equal(body.lastOpenedAt, body.events[1].at);
  const events = await until('both are published', async () => {
    const found = (await published(service, 'EMAIL_OPENED')).filter(({ data }) => data.emailId === emailId);
    return found.length === 2 && found;
  });
  const { timestamp: _t, ...data } = events[0]!.data;
  assert.deepEqual(data, { emailId, contactId, templateId, automated: false, first: true, tenantId: 'default' });
});

test(
  'a click redirects to the very link of that email, and to nothing else',
  counting(async () => {
    const { emailId, links, contactId, templateId } = await deliver();
    const other = await deliver();
    assert.equal(links.length, 2);
    const answer = await follow(links[0]!);
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.get('location'), 'https://example.com/one?x=1&y=2');
    assert.match(answer.headers.get('cache-control')!, /no-store/);

    const id = links[0]!.split('?')[0]!;
    const secondId = links[1]!.split('?')[0]!;
    const one = encodeURIComponent('https://example.com/one?x=1&y=2');
    for (const bad of [
      `${id}?url=${encodeURIComponent('https://example.com/two')}`,
      `${id}?url=https%3A%2F%2Fexample.com%2Fone`,
      `${secondId}?url=${one}`,
      `${id}?url=javascript%3Aalert(1)`,
      `${id}?url=%2F%2Fevil.example.net`,
      `${id}?url=https%3A%2F%2Fexample.com%40evil.example.net`,
      `${id}?url=${one}%0d%0aSet-Cookie:%20a=b`,
      `${id}?url=${one}&url=${one}`,
      `${id}?url=`,
      id,
      `${id}x?url=${one}`,
      `/emails/tracking/click/${other.links[0]!.split('/').pop()!.split('?')[0]}?url=${encodeURIComponent('https://example.com/two')}`,
      `/emails/tracking/click/nothing?url=${one}`,
    ]) {
      const refused = await visit(bad);
      assert.equal(refused.status, 400, bad);
      assert.equal(refused.headers.get('location'), null, bad);
      assert.match(refused.body.code, /invalid_link|validation_failed/);
    }
    const body = await untilEvents(emailId, 1);
    assert.deepEqual(
      [body.clicks, body.events[0].type, body.events[0].url],
      [1, 'CLICK', 'https://example.com/one?x=1&y=2'],
    );
    assert.equal(body.firstClickedAt, body.events[0].at);
    const [event] = await until('it is published', async () => {
      const found = (await published(service, 'EMAIL_CLICKED')).filter(({ data }) => data.emailId === emailId);
      return found.length > 0 && found;
    });
    const { timestamp: _t, ...data } = event!.data;
    assert.deepEqual(data, {
      emailId,
      contactId,
      templateId,
      automated: false,
      first: true,
      url: 'https://example.com/one?x=1&y=2',
      tenantId: 'default',
    });
  }),
);

test(
  'a click is answered in the same way whichever way it takes',
  counting(async () => {
    const { links } = await deliver();
    const answer = async (path: string, method: string, extra: Record<string, string>) => {
      const { status, headers } = await follow(path, method, { ...agent, 'x-request-id': 'mine', ...extra });
      return { status, headers: [...headers].filter(([name]) => name !== 'date').sort() };
    };
    for (const method of ['GET', 'HEAD']) {
      // What another site's script asks for goes through the whole application.
      const [short, long] = [
        await answer(links[0]!, method, {}),
        await answer(links[0]!, method, { origin: 'https://elsewhere.example' }),
      ];
      assert.deepEqual(short.headers.map(String), long.headers.map(String));
      assert.equal(short.status, 302);
      assert.ok(short.headers.some(([name, value]) => name === 'x-request-id' && value === 'mine'));
      assert.ok(short.headers.some(([name]) => name === 'content-security-policy'));
    }
  }),
);

test(
  'a click leads to a form with the token of its contact, and is told without it: alike for all recipients',
  counting(async () => {
    const formUrl = `${service.url}/api/v1/forms/12/page`;
    const triggered = await service.api('POST', '/campaigns', {
      name: 'Clicked',
      trigger: { type: 'EMAIL_CLICKED', url: formUrl },
      steps: [{ type: 'EXIT', config: {} }],
    });
    assert.equal(triggered.status, 201, JSON.stringify(triggered.body));
    assert.equal((await service.api('POST', `/campaigns/${triggered.body.id}/start`)).status, 202);
    const content =
      '<a href="{{formUrl: 12}}">form</a> <a href="https://example.com/a?b=%20&contactToken={{contactToken}}#c">a</a> <a href="{{webViewUrl}}">view</a>';
    const mails = [await deliver({ content }), await deliver({ content })];
    const told = [`${service.url}/api/v1/emails/view`, formUrl, 'https://example.com/a?b=%20#c'];
    for (const { emailId, contactId, links } of mails) {
      const targets: string[] = [];
      // Through the whole application, too.
      for (const [index, headers] of [agent, { ...agent, origin: 'https://elsewhere.example' }, agent].entries()) {
        targets.push((await follow(links[index]!, 'GET', headers)).headers.get('location')!);
        // Beside the open that the first implies.
        await untilEvents(emailId, index + 2);
      }
      const [form, foreign, view] = targets.map((target) => new URL(target));
      const token = form!.searchParams.get('contactToken');
      assert.equal(readContactToken(service.deps.links, token, 'default')?.contactId, contactId);
      assert.equal(form!.href, `${formUrl}?contactToken=${token}`);
      assert.equal(foreign!.href, `https://example.com/a?b=%20&contactToken=${token}#c`);
      assert.equal((await fetch(view!)).status, 200);
      const { clicks, events } = await tracking(emailId);
      assert.equal(clicks, 3);
      assert.deepEqual(events.flatMap(({ url }: { url: string | null }) => url ?? []).sort(), told);
      const activities = await until('the timeline has them', async () => {
        const { data } = (await service.api('GET', `/contacts/${contactId}/activities`)).body;
        const found = data.filter(({ type }: { type: string }) => type === 'EMAIL_CLICKED');
        return found.length === 3 && found;
      });
      assert.deepEqual(activities.map(({ data }: { data: { url: string } }) => data.url).sort(), told);
      const announced = await until('they are published', async () => {
        const found = (await published(service, 'EMAIL_CLICKED')).filter(({ data }) => data.emailId === emailId);
        return found.length === 3 && found;
      });
      assert.deepEqual(announced.map(({ data }) => data.url).sort(), told);
    }
    // What is written in a trigger or a filter is what is told.
    const people = mails.map(({ contactId }) => contactId);
    const where = [{ field: 'url', operator: 'eq', value: formUrl }];
    const filter = { event: 'EMAIL_CLICKED', operator: 'atLeast', count: 1, where };
    const { body } = await service.api('POST', '/contacts/segments/preview', { filter });
    assert.deepEqual(body.sample.map(({ id }: { id: number }) => id).sort(), people.sort());
    await until('both entered', async () => {
      const { data } = (await service.api('GET', `/campaigns/${triggered.body.id}/executions`)).body;
      return data.length === 2 && data.every(({ contactId }: { contactId: number }) => people.includes(contactId));
    });
  }),
);

test(
  'no spelling of a click that is not in the mail leads anywhere',
  counting(async () => {
    const { emailId, pixel, links } = await deliver({
      content: '<a href="https://example.com/%C3%BC?a=%252F">one</a> <a href="https://example.com/two">two</a>',
    });
    const [id, query] = links[0]!.split('?url=') as [string, string];
    const url = decodeURIComponent(query);
    const click = (target: string) => `${id}?url=${encodeURIComponent(target)}`;
    const openId = pixel.split('/').at(-1)!;
    for (const bad of [
      // Other links: schemes, hosts, user information, control characters, blanks.
      click(`javascript:${url}`),
      click(`data:text/html,${url}`),
      click('//evil.example.net/'),
      click('///evil.example.net'),
      click('/\\evil.example.net'),
      click('https:evil.example.net'),
      click(url.replace('example.com', 'example.com.evil.example.net')),
      click(url.replace('//', '//evil@')),
      click(url.replace('//', '//example.com\\@evil.example.net/')),
      click(`${url}\r\nLocation: https://evil.example.net`),
      click(`${url}\n`),
      click(`${url}\0`),
      click(` ${url}`),
      click(`${url} `),
      click(`\u{feff}${url}`),
      click(`${url}\u2028`),
      // The same link in another spelling.
      click(url.toUpperCase()),
      click(url.replace('https', 'http')),
      click(decodeURIComponent(url)),
      click(`${url}#`),
      click(`${url}&`),
      click(url.replace('e.com', 'e.com:443')),
      click(url.replace('example', 'ex\u0430mple')),
      click(encodeURIComponent(url)),
      click(url.normalize('NFD') + '\u0301'),
      `${id}?url=%ff%fe`,
      `${id}?url=%ED%A0%80`,
      `${id}?url=%`,
      // Not one url.
      `${id}?url=${query}&url=https%3A%2F%2Fevil.example.net`,
      `${id}?url=https%3A%2F%2Fevil.example.net&url=${query}`,
      `${id}?url[]=${query}`,
      `${id}?url[0]=${query}`,
      `${id}?URL=${query}`,
      `${id}?url%00=${query}`,
      `${id}?__proto__[url]=${query}`,
      click(`${url}${'x'.repeat(9000)}`),
      // Another id: of the picture, another spelling of its own, none at all.
      `/emails/tracking/click/${openId}?url=${query}`,
      `${id}%3D?url=${query}`,
      `${id}%00?url=${query}`,
      `${id}%0d%0a?url=${query}`,
      `/emails/tracking/click/${'A'.repeat(3000)}?url=${query}`,
      `/emails/tracking/click/%F0%9F%92%A5?url=${query}`,
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const refused = await visit(bad, method);
        assert.deepEqual(
          [refused.status, refused.headers.get('location')],
          [400, null],
          `${method} ${bad.slice(0, 200)}`,
        );
      }
    }
    // An id of a link is no picture's: the picture comes, and nothing is recorded.
    assert.equal(
      (await visit(`/emails/tracking/open/${id.split('/').at(-1)}`)).headers.get('content-type'),
      'image/png',
    );
    // What scanners append changes nothing.
    const followed = await follow(`${links[0]!}&utm_source=scanner&x[]=1`);
    assert.deepEqual([followed.status, followed.headers.get('location')], [302, url]);
    const { events } = await untilEvents(emailId, 2);
    assert.deepEqual(
      events.map((event: { type: string; url: string }) => [event.type, event.url]),
      [
        ['CLICK', url],
        ['OPEN', null],
      ],
    );
  }),
);

test(
  'machines are told from people: HEAD, known agents, every link within a second',
  counting(async () => {
    const [headed, scanned, burst, read] = [await deliver(), await deliver(), await deliver(), await deliver()];
    assert.equal((await follow(headed.links[0]!, 'HEAD')).status, 302);
    assert.equal((await visit(headed.pixel, 'HEAD')).status, 200);
    await visit(scanned.pixel, 'GET', { 'user-agent': 'Barracuda Sentinel' });
    await Promise.all(burst.links.map((link) => follow(link)));
    // One of the two links, twice, is a person's impatience.
    await Promise.all([follow(read.links[0]!), follow(read.links[0]!)]);

    const flags = async (mail: Mail, count: number) => {
      const body = await untilEvents(mail.emailId, count);
      return {
        figures: [body.opens, body.clicks],
        flags: body.events.map((event: { automated: boolean; first: boolean }) => [event.automated, event.first]),
      };
    };
    assert.deepEqual(await flags(headed, 2), {
      figures: [0, 0],
      flags: [
        [true, false],
        [true, false],
      ],
    });
    assert.deepEqual(await flags(scanned, 1), { figures: [0, 0], flags: [[true, false]] });
    assert.deepEqual(await flags(burst, 2), {
      figures: [0, 0],
      flags: [
        [true, false],
        [true, false],
      ],
    });
    // The second click may have come before the open that the first one implies was noted.
    const impatient = await flags(read, 3);
    assert.deepEqual(impatient.figures, [1, 2]);
    assert.deepEqual(impatient.flags.map(String).sort(), ['false,false', 'false,true', 'false,true']);
    // A person after the machine is the first.
    await follow(headed.links[0]!);
    const later = await untilEvents(headed.emailId, 4);
    assert.deepEqual([later.opens, later.clicks, later.events.at(-1).first], [1, 1, true]);
  }),
);

test(
  'hits without a person are automated: proxies and programs by their agents, prefetches by their headers',
  counting(async () => {
    const mail = await deliver();
    const gmail = `${PHONE} Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0`;
    const agents = ['', 'Mozilla/5.0', gmail, 'curl/8.14.1', `${PHONE} HeadlessChrome/140.0`];
    const hits: Record<string, string>[] = [
      ...agents.map((own) => ({ 'user-agent': own })),
      { ...agent, 'sec-purpose': 'prefetch;prerender' },
      { ...agent, purpose: 'prefetch' },
      { ...agent, 'x-moz': 'prefetch' },
      { ...agent, 'x-purpose': 'preview' },
    ];
    for (const headers of hits) {
      await visit(mail.pixel, 'GET', headers);
      assert.equal((await follow(mail.links[0]!, 'GET', headers)).status, 302);
    }
    // Through the whole application, too.
    await follow(mail.links[0]!, 'GET', { ...agent, purpose: 'prefetch', origin: 'https://elsewhere.example' });
    const { opens, clicks, events } = await untilEvents(mail.emailId, 2 * hits.length + 1);
    assert.deepEqual([opens, clicks], [0, 0]);
    assert.ok(events.every((event: { automated: boolean }) => event.automated));
  }),
);

/** What is told of an email's opens: whether each is the first, and whether it is inferred. */
const openings = async (emailId: number, count: number) =>
  until(`${count} opens of email ${emailId} are published`, async () => {
    const found = (await published(service, 'EMAIL_OPENED')).filter(({ data }) => data.emailId === emailId);
    return found.length >= count && found.map(({ data }) => [data.first, data.inferred ?? false]);
  });

test(
  'a click by a person implies an open, once, unless there was one before',
  counting(async () => {
    const begun = await service.api('GET', '/analytics/emails');
    const [clicked, opened] = [await deliver(), await deliver()];
    await follow(clicked.links[0]!, 'HEAD');
    await visit(opened.pixel);
    await follow(opened.links[0]!);
    await untilEvents(opened.emailId, 2);
    await untilEvents(clicked.emailId, 1);
    assert.equal((await tracking(clicked.emailId)).opens, 0, 'a machine implies none');

    await follow(clicked.links[0]!);
    const { opens, firstOpenedAt, firstClickedAt, events } = await untilEvents(clicked.emailId, 3);
    assert.deepEqual([opens, firstOpenedAt], [1, firstClickedAt]);
    const { at, ...open } = events.find(({ type }: { type: string }) => type === 'OPEN');
    const nobody = { url: null, ip: null, userAgent: null };
    assert.deepEqual([at, open], [firstClickedAt, { type: 'OPEN', automated: false, first: true, inferred: true, ...nobody }]); // prettier-ignore
    // Other clicks imply no other, and a picture that is fetched later is another open, but not the first.
    await follow(clicked.links[1]!);
    await untilEvents(clicked.emailId, 4);
    await visit(clicked.pixel);
    assert.deepEqual((await untilEvents(clicked.emailId, 5)).opens, 2);
    assert.deepEqual(await openings(clicked.emailId, 2), [
      [true, true],
      [false, false],
    ]);
    assert.deepEqual((await tracking(opened.emailId)).opens, 1);
    assert.deepEqual(await openings(opened.emailId, 1), [[true, false]]);

    // It counts like another open: in figures, scores, conditions and the timeline.
    await until('figures count it', async () => {
      const { body } = await service.api('GET', '/analytics/emails');
      return body.totals.opens - begun.body.totals.opens === 3 && body.totals.uniqueOpens - begun.body.totals.uniqueOpens === 2; // prettier-ignore
    });
    await until('scores count it', async () => {
      const { body } = await service.api('GET', `/scoring/contacts/${clicked.contactId}`);
      return body.totalScore === 2 * 5 + 2 * 10;
    });
    const filter = { event: 'EMAIL_OPENED', operator: 'atLeast', count: 2 };
    const { body } = await service.api('POST', '/contacts/segments/preview', { filter });
    assert.ok(body.sample.some(({ id }: { id: number }) => id === clicked.contactId));
    const timeline = (await service.api('GET', `/contacts/${clicked.contactId}/activities`)).body.data;
    const ofOpens = timeline.filter(({ type }: { type: string }) => type === 'EMAIL_OPENED');
    assert.deepEqual(ofOpens.map(({ data }: { data: { inferred?: boolean } }) => data.inferred ?? false).sort(), [false, true]); // prettier-ignore
  }),
);

test(
  'one link in the mail proves nothing: followed once it is a person',
  counting(async () => {
    const { emailId, links } = await deliver({ content: '<a href="https://example.com/only">only</a>' });
    await follow(links[0]!);
    const body = await untilEvents(emailId, 1);
    assert.deepEqual([body.clicks, body.events[0].automated], [1, false]);
  }),
);

test('a hit that is delivered twice is one event', async () => {
  const { emailId } = await deliver();
  const hit = {
    id: crypto.randomUUID(),
    type: 'OPEN',
    emailId,
    at: new Date().toISOString(),
    url: null,
    ip: '192.0.2.1',
    userAgent: PHONE,
    automated: false,
  };
  const publish = () =>
    service.deps.nats.js.publish('tracking.hits', new TextEncoder().encode(JSON.stringify({ hits: [hit, hit] })));
  await publish();
  await untilEvents(emailId, 1);
  await publish();
  // A later hit has gone the same way, so the repeated one is through.
  const probe = await deliver();
  await visit(probe.pixel);
  await untilEvents(probe.emailId, 1);
  assert.equal((await tracking(emailId)).events.length, 1);
  assert.equal((await published(service, 'EMAIL_OPENED')).filter(({ data }) => data.emailId === emailId).length, 1);
});

test('a link that is older than the email that has its id now is of an email that was lost', async () => {
  const { emailId } = await deliver();
  const url = 'https://example.com/two';
  const longAgo = new Date(Date.now() - 60 * 60_000);
  const { links, nats } = service.deps;
  const old = [
    `open/${links.openTrackingId(emailId, longAgo)}`,
    `click/${links.clickTrackingId(emailId, url, longAgo)}?url=${encodeURIComponent(url)}`,
  ];
  for (const path of old) assert.ok((await visit(`/emails/tracking/${path}`)).status < 400);
  // Emails of earlier releases say no time.
  const hit = { id: crypto.randomUUID(), type: 'OPEN', emailId, at: new Date().toISOString(), url: null };
  const earlier = { hits: [{ ...hit, ip: null, userAgent: PHONE, automated: false }] };
  await nats.js.publish('tracking.hits', new TextEncoder().encode(JSON.stringify(earlier)));
  const { events } = await untilEvents(emailId, 1);
  assert.deepEqual([events.length, events[0].at], [1, hit.at]);
});

test('whatever order hits are delivered in, and however often, an email has one inferred open', async () => {
  const [late, early] = [await deliver(), await deliver()];
  const hit = (emailId: number, type: 'OPEN' | 'CLICK', secondsAgo: number) => ({
    id: crypto.randomUUID(),
    type,
    emailId,
    at: new Date(Date.now() - secondsAgo * 1000).toISOString(),
    url: type === 'CLICK' ? 'https://example.com/two' : null,
    ip: '192.0.2.1',
    userAgent: PHONE,
    automated: false,
  });
  const publish = (...hits: object[]) =>
    service.deps.nats.js.publish('tracking.hits', new TextEncoder().encode(JSON.stringify({ hits })));
  // The picture came first, but is delivered last: both are stored before they are judged.
  const click = hit(late.emailId, 'CLICK', 1);
  await publish(click, click);
  await publish(hit(late.emailId, 'OPEN', 10), click);
  const both = await untilEvents(late.emailId, 2);
  assert.deepEqual([both.opens, both.clicks], [1, 1]);
  assert.deepEqual(await openings(late.emailId, 1), [[true, false]]);

  const [first, second] = [hit(early.emailId, 'CLICK', 20), hit(early.emailId, 'CLICK', 5)];
  await publish(second);
  await untilEvents(early.emailId, 2);
  await publish(first, second);
  const after = await untilEvents(early.emailId, 3);
  assert.deepEqual([after.opens, after.clicks], [1, 2]);
  await publish(first, second);
  const probe = await deliver();
  await visit(probe.pixel);
  await untilEvents(probe.emailId, 1);
  assert.equal((await tracking(early.emailId)).events.length, 3);
  assert.deepEqual(await openings(early.emailId, 1), [[true, true]]);
});

test('while JetStream does not take hits, a click is a 503 and a picture a picture, recorded later', async () => {
  const { emailId, pixel, links } = await deliver();
  const { jsm } = service.deps.nats;
  const consumer = (await jsm.consumers.info(TRACKING_HITS, 'tracking')).config;
  await jsm.streams.delete(TRACKING_HITS);
  const [click, picture] = await Promise.all([
    visit(links[0]!, 'GET', { ...agent, 'x-request-id': 'mine' }),
    visit(pixel),
  ]);
  assert.deepEqual(
    [click.status, click.body.code, click.body.requestId, click.headers.get('location')],
    [503, 'unavailable', 'mine', null],
  );
  assert.ok(click.headers.get('retry-after'));
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
  await jsm.streams.add(streamConfigs(service.deps.env).find((config) => config.name === TRACKING_HITS)!);
  await until('the kept open is stored', async () => (await jsm.streams.info(TRACKING_HITS)).state.messages > 0);
  await until('the click is taken', async () => (await visit(links[0]!)).status === 302);
  // The stream is new, and so has no consumer: what waits there is what a restarted worker would take.
  await jsm.consumers.add(TRACKING_HITS, consumer);
  const messages = await (
    await service.deps.nats.js.consumers.get(TRACKING_HITS, 'tracking')
  ).fetch({ max_messages: 2, expires: 2000 });
  const types: string[] = [];
  for await (const message of messages)
    types.push(
      ...message
        .json<{ hits: { type: string; emailId: number }[] }>()
        .hits.filter((hit) => hit.emailId === emailId)
        .map((hit) => hit.type),
    );
  assert.deepEqual(types, ['OPEN', 'CLICK']);
});

test('tracking data is for who may read it, of emails that exist', async () => {
  assert.equal((await service.api('GET', '/emails/tracking/999999')).status, 404);
  assert.equal((await service.api('GET', '/emails/tracking/abc')).status, 400);
  assert.equal((await service.api('GET', '/emails/tracking/1', undefined, { token: null })).status, 401);
});
