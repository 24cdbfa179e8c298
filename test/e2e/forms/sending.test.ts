import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser, Page, Route } from 'playwright-core';
import { startChromium } from '../../support/forms/chromium.ts';
import { embedCode, EVERY_FIELD, makeForm, newAddress, stored } from '../../support/forms/forms.ts';
import { press, startSite, thanked, visit, type Site, type Visitor } from '../../support/forms/site.ts';
import { cutLine, type CutLine } from '../../support/database/cut-line.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let browser: Browser;
/** Between visitors and the service; it can be cut, as if the service were gone. */
let line: CutLine;
let lineUrl: string;
let site: Site;
/** What visitors have sent, as it came in. */
let sent = '';
beforeAll(async () => {
  service = await startService();
  line = await cutLine('127.0.0.1', Number(new URL(service.url).port), () => ({
    sent(piece) {
      sent += piece.toString();
      return 'goes on';
    },
    answered: () => 'goes on',
  }));
  lineUrl = `http://127.0.0.1:${line.port}`;
  [browser, site] = await Promise.all([startChromium(), startSite(lineUrl)]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await line?.cut();
  await service?.stop();
});

const FIELDS = EVERY_FIELD.filter(({ name }) => ['email', 'about', 'terms', 'campaign'].includes(name));
const CORS = { 'access-control-allow-origin': '*' };

/** Opens a page with a form. */
async function withForm(
  form: object,
  use: (visitor: Visitor, id: number, url: string) => Promise<void>,
  query = '',
): Promise<void> {
  const id = await makeForm(service, { fields: FIELDS, ...form });
  const visitor = await visit(browser);
  try {
    const code = (await embedCode(service, id)).replaceAll(service.url, lineUrl);
    const url = site.put('/form', { body: code });
    await visitor.open(url + query);
    await use(visitor, id, url);
    await visitor.checkPage();
  } finally {
    await visitor.close();
  }
}

async function fill(page: Page): Promise<string> {
  const email = newAddress();
  await page.getByLabel('Your email').fill(email);
  await page.getByLabel('About you').fill('Something long that took me time');
  await page.getByLabel('I agree').check();
  return email;
}
const told = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();
const emailsOf = async (id: number) => (await stored(service, id)).map(({ email }) => email);

test('a double click sends once', async () => {
  await withForm({}, async ({ page }, id) => {
    const email = await fill(page);
    let posts = 0;
    await page.route('**/submit', async (route) => {
      posts += 1;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Send' }).dblclick();
    await thanked(page);
    assert.deepEqual([posts, await emailsOf(id)], [1, [email]]);
  });
});

test('while the service is away, and when the page is offline, what was typed stays, and is sent afterwards', async () => {
  await withForm({}, async (visitor, id) => {
    const { page, context } = visitor;
    const email = await fill(page);
    await line.cut();
    await press(page);
    await told(page, 'Not sent: there is no connection.');
    await visitor.picture('no-connection');
    await line.mend();
    await context.setOffline(true);
    await press(page);
    await told(page, 'Not sent: there is no connection.');
    await context.setOffline(false);
    assert.equal(await page.getByLabel('About you').inputValue(), 'Something long that took me time');
    assert.deepEqual(await emailsOf(id), []);
    await press(page);
    await thanked(page);
    assert.deepEqual(await emailsOf(id), [email]);
  });
});

test('what the service refuses for now is told, and can be sent again', async () => {
  await withForm({}, async ({ page }, id) => {
    const email = await fill(page);
    let status = 0;
    await page.route('**/submit', (route) => route.fulfill({ status, headers: CORS, body: '<html>no JSON</html>' }));
    for (const [refusal, text] of [
      [503, 'there are too many requests'],
      [500, 'That did not work.'],
      [429, 'there are too many requests'],
      [413, 'your entries are too large'],
      [404, 'This form is closed.'],
      [403, 'takes no entries from this page'],
      [200, 'That did not work.'],
    ] as const) {
      status = refusal;
      await press(page);
      await told(page, text);
      assert.equal(await page.getByLabel('Your email').inputValue(), email);
    }
    for (const [code, text] of [
      [
        'no_room_for_files',
        'Not sent: there is no room for files at present. Please send the form without them, or later.',
      ],
      ['captcha_unavailable', 'The check for robots has failed.'],
    ] as const) {
      await page.unroute('**/submit');
      await page.route('**/submit', (route) => route.fulfill({ status: 503, headers: CORS, json: { code } }));
      await press(page);
      await told(page, text);
    }
    await page.unroute('**/submit');
    await press(page);
    await thanked(page);
    assert.deepEqual(await emailsOf(id), [email]);
  });
});

test('a token that is refused is replaced once, and one that ends soon before it is sent', async () => {
  await withForm({}, async ({ page }, id) => {
    const email = await fill(page);
    const answers = [
      // Of another form, say.
      { token: 'bad', expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
      { token: 'bad', expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
    ];
    let tokens = 0;
    const answer = async (route: Route): Promise<void> => {
      tokens += 1;
      const json = answers.shift();
      await (json ? route.fulfill({ headers: CORS, json }) : route.continue());
    };
    await page.route('**/token', answer);
    // That which was fetched when the visitor began is replaced by a bad one.
    await page.reload();
    await fill(page);
    await press(page);
    await told(page, 'That did not work.');
    assert.deepEqual([tokens, await emailsOf(id)], [2, []]);
    await page.getByLabel('Your email').fill(email);
    await press(page);
    await thanked(page);
    assert.deepEqual([tokens, await emailsOf(id)], [3, [email]]);

    answers.push({ token: 'bad', expiresAt: new Date(Date.now() + 30_000).toISOString() });
    await page.reload();
    const later = await fill(page);
    await press(page);
    await thanked(page);
    assert.equal(tokens, 5);
    assert.deepEqual(await emailsOf(id), [later, email]);

    answers.push({ token: 'bad', expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    await page.reload();
    const last = await fill(page);
    await press(page);
    await thanked(page);
    assert.equal(tokens, 7);
    assert.deepEqual((await emailsOf(id))[0], last);
  });
});

test('after the submission the visitor is led to the address of the editor, if it is a web address', async () => {
  await withForm({ redirectUrl: `${site.origin}/thanks` }, async ({ page }) => {
    site.put('/thanks', { body: '<p>Over here</p>' });
    await fill(page);
    await press(page);
    await page.getByText('Over here').waitFor();
    assert.equal(page.url(), `${site.origin}/thanks`);
  });
  await withForm({}, async ({ page }, _, url) => {
    await page.route('**/submit', (route) =>
      route.fulfill({
        headers: CORS,
        json: { success: true, contactId: 1, submissionId: 1, message: null, redirectUrl: 'javascript:alert(1)' },
      }),
    );
    await fill(page);
    await press(page);
    await thanked(page);
    assert.equal(page.url(), url);
  });
});

test('a contact token comes with the page, leaves the address bar, and is kept only with consent', async () => {
  const asked: (string | null)[] = [];
  const given: unknown[] = [];
  /** The service's answers, with a token where they have none yet. */
  async function follow(page: Page): Promise<void> {
    await page.route('**/fields*', async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('contactToken'));
      await route.continue();
    });
    await page.route('**/submit', async (route) => {
      given.push(route.request().postDataJSON()['_contactToken']);
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), contactToken: 'tok.en-2' } });
    });
  }
  const fields = [
    ...FIELDS.filter(({ name }) => name !== 'terms'),
    { ...FIELDS.find(({ name }) => name === 'terms')!, required: false },
  ];
  await withForm(
    { fields },
    async ({ page }, _, url) => {
      await follow(page);
      assert.equal(page.url(), `${url}?a=1#part`);
      await page.goto(`${url}?contactToken=tok.en-1&a=1#part`);
      await page.locator('form').waitFor();
      const send = async (consents: boolean) => {
        await fill(page);
        await page.getByLabel('I agree').setChecked(consents);
        await press(page);
        await thanked(page);
        await page.goto(url);
        await page.locator('form').waitFor();
      };
      await send(false);
      assert.equal(await page.evaluate('localStorage.length'), 0);
      await send(true);
      await send(false);
      assert.deepEqual(given, ['tok.en-1', undefined, 'tok.en-2']);
      assert.deepEqual(asked, ['tok.en-1', null, 'tok.en-2', 'tok.en-2']);
    },
    '?a=1&contactToken=x#part',
  );
});

test('leaving without sending tells the last field that was touched, never a value', async () => {
  const beacons = (): string[] =>
    [...sent.matchAll(/POST \/api\/v1\/forms\/\d+\/abandon [^]*?\r\n\r\n(\{[^}]*\})/g)].map(([, body]) => body!);
  sent = '';
  await withForm({}, async ({ page }, _, url) => {
    await page.goto('about:blank');
    await page.goto(url);
    await page.getByLabel('Your email').fill('secret@example.com');
    await page.getByLabel('About you').fill('my secret');
    await page.goto('about:blank');
    await until('the beacon has arrived', () => beacons().length > 0);
    assert.deepEqual(beacons(), ['{"field":"about"}']);
    assert.ok(!sent.includes('secret'));
    assert.match(sent, /content-type: text\/plain/i);

    // Once for each time that something was touched.
    await page.goto(url);
    await page.getByLabel('I agree').focus();
    await page.evaluate("dispatchEvent(new Event('pagehide')); dispatchEvent(new Event('pagehide'))");
    await until('another beacon has arrived', () => beacons().length > 1);
    await page.getByLabel('Your email').focus();
    await page.evaluate("dispatchEvent(new Event('pagehide'))");
    await until('a third beacon has arrived', () => beacons().length > 2);
    assert.deepEqual(beacons().slice(1), ['{"field":"terms"}', '{"field":"email"}']);

    await fill(page);
    await press(page);
    await thanked(page);
    await page.evaluate("dispatchEvent(new Event('pagehide'))");
    await page.goto(url);
    await page.getByLabel('Your email').waitFor();
    assert.equal(beacons().length, 3, 'who has sent has not left');
  });
});

test('who looks at something else and comes back to send has not left', async () => {
  await withForm({}, async ({ page }, id) => {
    const look = (state: string) =>
      page.evaluate(`(() => {
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      })()`);
    const left = async () => (await service.api('GET', `/forms/${id}/stats`)).body.abandonment;
    const told: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/abandon')) told.push(request.postData() ?? '');
    });
    await fill(page);
    await look('hidden');
    await page.evaluate("dispatchEvent(new Event('pagehide'))");
    await until('the visitor has left', async () => (await left()).length > 0);
    assert.deepEqual(await left(), [{ field: 'terms', count: 1 }]);
    await look('visible');
    await page.evaluate("dispatchEvent(new Event('pageshow'))");
    await until('the visitor is back', async () => (await left()).length === 0);
    // Without touching anything more.
    await look('hidden');
    await until('the visitor has left again', async () => (await left()).length > 0);
    await look('visible');
    await until('the visitor is back again', async () => (await left()).length === 0);
    assert.ok(told.length >= 4, String(told));
    told.length = 0;
    await press(page);
    await thanked(page);
    await look('hidden');
    await page.evaluate("dispatchEvent(new Event('pagehide'))");
    await look('visible');
    await page.reload();
    await page.getByLabel('Your email').waitFor();
    assert.deepEqual(told, [], 'who has sent has neither left nor come back');
    assert.deepEqual(await left(), []);
  });
});

test('files are sent with the other fields, as multipart', async () => {
  await withForm({}, async ({ page }, id) => {
    const field = {
      ...{ id: 9, name: 'paper', label: 'Your paper', type: 'file', required: true, displayOrder: 9 },
      ...{ placeholder: null, defaultValue: null, validationRegex: null, minLength: null, maxLength: null },
      ...{
        min: null,
        max: null,
        options: null,
        mapTo: null,
        accept: ['text/plain', 'image/*'],
        maxBytes: 1.5 * 1024 ** 2,
      },
    };
    await page.route('**/fields', async (route) => {
      const answer = await route.fetch();
      const definition = await answer.json();
      await route.fulfill({ response: answer, json: { ...definition, fields: [...definition.fields, field] } });
    });
    await page.reload();
    const email = await fill(page);
    await press(page);
    await page.getByText('Your paper: is required').first().waitFor();
    const paper = page.getByLabel('Your paper');
    assert.equal(await paper.getAttribute('accept'), 'text/plain,image/*');
    await paper.setInputFiles({ name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1.6 * 1024 ** 2) });
    await press(page);
    await page.getByText('Your paper: is larger than 1.5 MiB').first().waitFor();
    await paper.setInputFiles({ name: 'paper.txt', mimeType: 'text/plain', buffer: Buffer.from('on paper') });
    sent = '';
    await press(page);
    await thanked(page);
    assert.match(sent, /name="paper"; filename="paper\.txt"\r\nContent-Type: text\/plain\r\n\r\non paper\r\n/);
    assert.deepEqual(await stored(service, id), [
      { email, about: 'Something long that took me time', terms: true, campaign: 'spring' },
    ]);
  });
});
