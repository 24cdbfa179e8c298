import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { startChromium } from '../../support/forms/chromium.ts';
import { embedCode, EVERY_FIELD, makeForm, newAddress, stored } from '../../support/forms/forms.ts';
import { hasFocus, startSite, visit, type Site, type SitePage, type Visitor } from '../../support/forms/site.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let browser: Browser;
let site: Site;
beforeAll(async () => {
  service = await startService();
  [browser, site] = await Promise.all([startChromium(), startSite(service.url)]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

const FIELDS = EVERY_FIELD.filter(({ name }) => ['email', 'firstName', 'channel', 'terms'].includes(name));
const make = (form: object = {}) => makeForm(service, { fields: FIELDS, ...form });
const code = (id: number, type?: string) => embedCode(service, id, type);

/** Shows a page to a visitor, and checks it at the end. */
async function onPage(
  page: SitePage,
  use: (visitor: Visitor) => Promise<void>,
  options?: BrowserContextOptions,
): Promise<void> {
  const visitor = await visit(browser, options);
  try {
    await visitor.open(site.put('/page', page));
    await use(visitor);
    await visitor.checkPage();
  } finally {
    await visitor.close();
  }
}

/** Fills the form of the given index in a page and sends it; returns the address. */
async function send({ page }: Visitor, index = 0): Promise<string> {
  const form = page.locator('form').nth(index);
  const email = newAddress();
  await form.getByLabel('Your email').fill(email);
  await form.getByLabel('First name').fill('Grace');
  await form.getByLabel('By email').check();
  await form.getByLabel('I agree').check();
  await form.getByRole('button').click();
  return email;
}
const emailsOf = async (id: number) => (await stored(service, id)).map(({ email }) => email);

test('the same code twice in a page makes two forms, which are sent separately', async () => {
  const id = await make();
  const embed = await code(id);
  await onPage({ body: `${embed}<hr>${embed}` }, async (visitor) => {
    const { page } = visitor;
    await page.locator('form').nth(1).waitFor();
    const ids = await page.evaluate<string[]>('[...document.querySelectorAll("[id]")].map(({ id }) => id)');
    assert.ok(ids.length > 6);
    assert.equal(new Set(ids).size, ids.length);
    await page.locator('form').nth(0).getByRole('button').click();
    assert.equal(await page.locator('form').nth(0).locator('[data-error]').count(), 4);
    assert.equal(await page.locator('form').nth(1).locator('[data-error]').count(), 0);
    await visitor.picture('twice');
    const second = await send(visitor, 1);
    await page.getByText('Thank you.').waitFor();
    assert.equal(await page.locator('form').count(), 1);
    const first = await send(visitor, 0);
    await page.getByText('Thank you.').nth(1).waitFor();
    assert.deepEqual(await emailsOf(id), [first, second]);
  });
});

test('two forms in a page, and the script before them', async () => {
  const [one, other] = [await make({ submitLabel: 'Join' }), await make({ submitLabel: 'Order' })];
  const [place, script] = (await code(one)).split('\n');
  const [otherPlace, otherScript] = (await code(other)).split('\n');
  await onPage({ body: `${place}${otherPlace}`, head: `${script}${otherScript}` }, async (visitor) => {
    await visitor.page.getByRole('button', { name: 'Order' }).waitFor();
    const email = await send(visitor, 1);
    await visitor.page.getByText('Thank you.').waitFor();
    assert.deepEqual([await emailsOf(one), await emailsOf(other)], [[], [email]]);
    assert.equal(await visitor.page.getByRole('button', { name: 'Join' }).count(), 1);
  });
});

test('a page adds a form later, also within a shadow tree', async () => {
  const id = await make();
  const [, script] = (await code(await make({ submitLabel: 'First' }))).split('\n');
  const visitor = await visit(browser);
  try {
    await visitor.page.goto(site.put('/later', { body: `<div id="here"></div>${script}` }));
    await until('the script has run', () => visitor.page.evaluate('window.Perennial !== undefined'));
    const add = (parent: string) =>
      visitor.page.evaluate(`(() => {
        const host = document.createElement('div');
        host.dataset.perennialForm = '${id}';
        ${parent}.append(host);
        return Promise.all([window.Perennial.mount(host), window.Perennial.mount(host)]);
      })()`);
    await add('document.querySelector("#here")');
    await add(
      'document.querySelector("h1").parentNode.appendChild(document.createElement("div")).attachShadow({ mode: "open" })',
    );
    assert.equal(await visitor.page.locator('form').count(), 2);
    const within = '[...document.querySelectorAll("div")].find((div) => div.shadowRoot).shadowRoot';
    const colour = await visitor.page.evaluate(`getComputedStyle(${within}.querySelector('button')).backgroundColor`);
    assert.equal(colour, 'rgb(23, 78, 166)');
    const email = await send(visitor, 1);
    await visitor.page.getByText('Thank you.').waitFor();
    assert.deepEqual(await emailsOf(id), [email]);
    await visitor.checkPage();
  } finally {
    await visitor.close();
  }
});

test('codes from before scripts had names of their own still work, with and without their place', async () => {
  const id = await make();
  const script = `<script src="${service.url}/api/v1/forms/${id}/script" defer></script>`;
  for (const body of [`<div data-perennial-form="${id}"></div>\n${script}`, `<p>Before</p>${script}<p>After</p>`]) {
    await onPage({ body }, async (visitor) => {
      const email = await send(visitor);
      await visitor.page.getByText('Thank you.').waitFor();
      assert.equal((await emailsOf(id))[0], email);
    });
  }
});

test('a frame gets the height of its content, and its form works in it', async () => {
  const id = await make({ successMessage: 'Seen in the frame' });
  const morePolicy = `frame-src ${service.url}`;
  const visitor = await visit(browser);
  try {
    const { page } = visitor;
    const embed = await code(id, 'iframe');
    await page.goto(site.put('/frame', { body: embed, morePolicy }));
    const frame = page.frameLocator('iframe');
    const height = async () => Number(await page.locator('iframe').getAttribute('height'));
    const content = () => frame.locator('body').evaluate((body) => body.offsetHeight);
    await frame.getByRole('button').waitFor();
    await until(
      'the frame fits',
      async () => (await height()) !== 600 && Math.abs((await height()) - (await content())) < 2,
    );
    const before = await height();
    await frame.getByRole('button').click();
    await until('there is room for the errors', async () => (await height()) > before);
    await until('they are seen', async () => Math.abs((await height()) - (await content())) < 2);
    await visitor.picture('frame');
    await visitor.checkPage();
    const form = frame.locator('form');
    const email = newAddress();
    await form.getByLabel('Your email').fill(email);
    await form.getByLabel('First name').fill('Grace');
    await form.getByLabel('By phone').check();
    await form.getByLabel('I agree').check();
    await form.getByRole('button').click();
    await frame.getByText('Seen in the frame').waitFor();
    await until('the frame is low again', async () => (await height()) < before);
    assert.deepEqual(await emailsOf(id), [email]);

    // Without our script, the frame has its fixed height.
    await page.goto(site.put('/frame-alone', { body: embed.split('\n')[0]!, morePolicy }));
    await page.frameLocator('iframe').getByRole('button').waitFor();
    assert.equal(await height(), 600);
    await visitor.checkPage();
  } finally {
    await visitor.close();
  }
});

test('after a submission in a frame, the whole page is led on, if the frame may do that', async () => {
  const id = await make({ redirectUrl: site.put('/frame-thanks', { body: '<p>Over here</p>' }) });
  const [frame] = (await code(id, 'iframe')).split('\n');
  const morePolicy = `frame-src ${service.url} ${site.origin}`;
  const visitor = await visit(browser);
  try {
    const { page } = visitor;
    for (const [path, sandbox] of [
      ['/frame-free', null],
      ['/frame-sandboxed', 'allow-scripts allow-forms allow-same-origin'],
    ] as const) {
      const body = sandbox ? frame!.replace('<iframe ', `<iframe sandbox="${sandbox}" `) : frame!;
      const url = site.put(path, { body, morePolicy });
      await page.goto(url);
      const form = page.frameLocator('iframe').locator('form');
      await form.getByLabel('Your email').fill(newAddress());
      await form.getByLabel('First name').fill('Grace');
      await form.getByLabel('By phone').check();
      await form.getByLabel('I agree').check();
      await form.getByRole('button').click();
      await (sandbox ? page.frameLocator('iframe') : page.mainFrame()).getByText('Over here').waitFor();
      assert.equal(page.url(), sandbox ? url : `${site.origin}/frame-thanks`);
    }
    // The script in a page that is in a frame itself leads on that page, and not what is around it.
    const inner = site.put('/inner', { body: await code(id) });
    const outer = site.put('/outer', { body: `<iframe src="${inner}" title="Inner"></iframe>`, morePolicy });
    await page.goto(outer);
    await page.frameLocator('iframe').locator('form').waitFor();
    const form = page.frameLocator('iframe').locator('form');
    await form.getByLabel('Your email').fill(newAddress());
    await form.getByLabel('First name').fill('Grace');
    await form.getByLabel('By phone').check();
    await form.getByLabel('I agree').check();
    await form.getByRole('button').click();
    await page.frameLocator('iframe').getByText('Over here').waitFor();
    assert.equal(page.url(), outer);
  } finally {
    await visitor.close();
  }
});

test('nobody sees the field for robots, whatever the rules of the page are', async () => {
  const id = await make();
  const head = '<style nonce="own">div,input{display:block!important}[hidden]{visibility:visible}</style>';
  for (const type of ['javascript', 'html']) {
    await onPage({ body: await code(id, type), head, morePolicy: "style-src 'nonce-own'" }, async ({ page }) => {
      const isSeen = (selector: string) =>
        page.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)}).checkVisibility()`);
      assert.deepEqual([await isSeen('[name=firstName]'), await isSeen('[name=_website]')], [true, false], type);
    });
  }
});

test("a page can not give another page's frame a height, nor can a frame lie about its own", async () => {
  const id = await make();
  const other = site.put('/other', {
    body: '<p>Not ours</p>',
    policy: "script-src 'unsafe-inline'",
    head: "<script>parent.postMessage('perennial:height=7777', '*')</script>",
  });
  const body = `<iframe id="other" src="${other}" height="50" title="Other"></iframe>${await code(id)}`;
  await onPage({ body, morePolicy: `frame-src ${site.origin}` }, async ({ page }) => {
    await page.frameLocator('#other').getByText('Not ours').waitFor();
    await page.frame({ url: other })!.evaluate("parent.postMessage('perennial:height=7777', '*')");
    await page.evaluate("postMessage('perennial:height=7777', '*')");
    assert.equal(await page.locator('#other').getAttribute('height'), '50');
  });
});

test('the plain HTML leads to the hosted page, prefilled, and from there to the thanks', async () => {
  const id = await make({ successMessage: 'Thanks from the plain form' });
  await onPage({ body: await code(id, 'html') }, async (visitor) => {
    const { page } = visitor;
    await visitor.picture('plain');
    await page.getByLabel('Your email').fill('plain@example.com');
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('By phone').check();
    await page.getByLabel('I agree').check();
    await page.getByRole('button').click();
    await page.waitForURL(`${service.url}/**`);
    assert.deepEqual(await stored(service, id), []);
    assert.equal(await page.getByLabel('Your email').inputValue(), 'plain@example.com');
    assert.ok(await page.getByLabel('By phone').isChecked());
    await page.getByText('once more to confirm').waitFor();
    await visitor.picture('plain-hosted');
    // The button has the focus: a key is enough.
    await page.keyboard.press('Enter');
    await page.getByText('Thanks from the plain form').waitFor();
    assert.deepEqual(await emailsOf(id), ['plain@example.com']);
  });
});

test('in a page from right to left, everything is mirrored', async () => {
  const id = await make();
  await onPage(
    { body: await code(id), lang: 'ar', dir: 'rtl' },
    async (visitor) => {
      const { page } = visitor;
      await page.getByRole('button').click();
      const box = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
      const right = ({ x, width }: { x: number; width: number }) => Math.round(x + width);
      const [input, label, tick, text] = [
        await box('input[type=email]'),
        await box('button[type=submit]'),
        await box('input[type=checkbox]'),
        await box('[data-field=terms] label'),
      ];
      assert.equal(right(label), right(input));
      assert.ok(tick.x > text.x);
      // There are no texts in the page's language: those of the browser's are shown.
      assert.ok((await page.getByRole('alert').textContent())!.startsWith('Bitte korrigieren:'));
      await visitor.picture('right-to-left');
    },
    { locale: 'de-DE' },
  );
});

test('the nearest language counts, and custom properties give a dark page its colours', async () => {
  const id = await make();
  const body = `<div lang="fr">${await code(id)}</div>`;
  const morePolicy = "style-src 'nonce-dark'";
  const style =
    '<style nonce="dark">body{background:#111;color:#eee;--perennial-field-background:#222;--perennial-field-text:#fff;--perennial-accent:#ffd54f;--perennial-button-text:#000;--perennial-error:#ffab91;--perennial-border:#aaa}</style>';
  await onPage({ body, head: style, morePolicy }, async (visitor) => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'Envoyer' }).click();
    assert.ok((await page.getByRole('alert').textContent())!.startsWith('Veuillez corriger'));
    const colour = (selector: string, property: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`);
    assert.equal(await colour('button[type=submit]', 'backgroundColor'), 'rgb(255, 213, 79)');
    assert.equal(await colour('[data-error]', 'color'), 'rgb(255, 171, 145)');
    assert.equal(await colour('input[type=email]', 'backgroundColor'), 'rgb(34, 34, 34)');
    await visitor.picture('dark');
    assert.ok(await hasFocus(page.getByLabel('Your email')));
  });
});

test('where the form can not be loaded, the page says so or keeps what it has there', async () => {
  const id = await make({ allowedOrigins: ['https://www.example.com'] });
  const [place, script] = (await code(id)).split('\n');
  const visitor = await visit(browser);
  try {
    const { page } = visitor;
    await page.goto(
      site.put('/refused', {
        body: `${place}${place!.replace('></div>', '><a href="/plain">The plain form</a></div>')}${script}`,
      }),
    );
    await page.getByRole('alert').filter({ hasText: 'The form could not be loaded.' }).waitFor();
    await visitor.picture('not-loaded');
    assert.equal(await page.getByRole('link', { name: 'The plain form' }).count(), 1);
    await service.api('PUT', `/forms/${id}`, { allowedOrigins: [] });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Your email').waitFor();
    await visitor.checkPage();
  } finally {
    await visitor.close();
  }
});
