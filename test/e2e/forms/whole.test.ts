import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../../support/forms/chromium.ts';
import { embedCode, EVERY_FIELD, makeForm, newAddress, stored } from '../../support/forms/forms.ts';
import { press, startSite, thanked, visit, type Site, type Visitor } from '../../support/forms/site.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let browser: Browser;
let site: Site;
beforeAll(async () => {
  service = await startService({ env: { CAPTCHA_DIFFICULTY: '20000' } });
  [browser, site] = await Promise.all([startChromium(), startSite(service.url)]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

const FIELDS = EVERY_FIELD.filter(({ name }) => ['email', 'firstName', 'about', 'terms'].includes(name));

/** Opens a page of another site with a form, and the hosted page of the same form. */
async function everywhere(
  form: object,
  use: (visitor: Visitor, id: number, url: string) => Promise<void>,
): Promise<void> {
  const id = await makeForm(service, { fields: FIELDS, ...form });
  const embedded = site.put('/form', { body: await embedCode(service, id) });
  for (const url of [embedded, `${service.url}/api/v1/forms/${id}/page`]) {
    const visitor = await visit(browser);
    try {
      await visitor.open(url);
      await use(visitor, id, url);
      await visitor.checkPage();
    } finally {
      await visitor.close();
    }
  }
}

async function fill(page: Page): Promise<string> {
  const email = newAddress();
  await page.getByLabel('Your email').fill(email);
  await page.getByLabel('First name').fill('Grace');
  await page.getByLabel('I agree').check();
  return email;
}

test("a challenge of the service is solved, in another site's page and in the hosted page", async () => {
  await everywhere({ enableCaptcha: true }, async ({ page }, id) => {
    const email = await fill(page);
    await press(page);
    await thanked(page);
    assert.equal((await stored(service, id))[0]!['email'], email);
  });
});

test('files are sent, judged by their content, and told by their field', async () => {
  const paper = {
    name: 'paper',
    label: 'Your paper',
    type: 'file',
    accept: ['application/pdf', 'text/plain'],
    maxBytes: 1024,
  };
  await everywhere({ fields: [...FIELDS, paper] }, async ({ page }, id) => {
    const email = await fill(page);
    const input = page.getByLabel('Your paper');
    const error = page.locator('[data-field=paper] [data-error]');
    await input.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1025, 'x') });
    await press(page);
    await error.filter({ hasText: 'Your paper: is larger than' }).waitFor();
    await input.setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no PDF at all') });
    await press(page);
    await error.filter({ hasText: 'Your paper: is not what its name ends with' }).waitFor();
    await input.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('on paper') });
    await press(page);
    await thanked(page);
    const [{ email: kept, paper: file } = {}] = await stored(service, id);
    assert.equal(kept, email);
    assert.match(JSON.stringify(file), /a\.txt/);
  });
});

test('who leaves a form is counted by the field that was touched last', async () => {
  let expected = 0;
  await everywhere({}, async ({ page }, id, url) => {
    expected += 1;
    await page.getByLabel('About you').fill('something');
    await page.goto('about:blank');
    await until('it is counted', async () => {
      const { abandonment } = (await service.api('GET', `/forms/${id}/stats`)).body;
      return JSON.stringify(abandonment) === JSON.stringify([{ field: 'about', count: expected }]);
    });
    await page.goto(url);
    await page.getByLabel('Your email').waitFor();
  });
});

test('a visitor who has consented is known at the next visit, and asked something else', async () => {
  const id = await makeForm(service, {
    fields: [...FIELDS, { name: 'job', label: 'Your job', type: 'text', mapTo: 'jobTitle' }],
    enableProgressiveProfiling: true,
    progressiveFields: ['job'],
  });
  const url = site.put('/known', { body: await embedCode(service, id) });
  const visitor = await visit(browser);
  try {
    const { page } = visitor;
    await visitor.open(url);
    assert.equal(await page.getByLabel('Your job').count(), 0);
    const email = await fill(page);
    await press(page);
    await thanked(page);
    await visitor.open(url);
    assert.equal(await page.getByLabel('Your email').count(), 0);
    await page.getByLabel('Your job').fill('Admiral');
    await press(page);
    await thanked(page);
    const { data } = (await service.api('GET', `/contacts?email=${encodeURIComponent(email)}`)).body;
    assert.deepEqual([data.length, data[0].jobTitle], [1, 'Admiral']);
    await visitor.checkPage();
  } finally {
    await visitor.close();
  }
});
