import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from '../../support/forms/chromium.ts';
import { EVERY_FIELD, makeForm, newAddress, stored } from '../../support/forms/forms.ts';
import { hasFocus, visit, type Visitor } from '../../support/forms/site.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let browser: Browser;
beforeAll(async () => {
  service = await startService();
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Opens the hosted page of a form. */
async function onPage(
  form: object,
  use: (visitor: Visitor, id: number) => Promise<void>,
  options?: BrowserContextOptions,
): Promise<void> {
  const id = await makeForm(service, { description: 'We answer within a day.', ...form });
  const visitor = await visit(browser, options);
  try {
    await visitor.open(`${service.url}/api/v1/forms/${id}/page`);
    await use(visitor, id);
    if (options?.javaScriptEnabled !== false) await visitor.checkPage();
    assert.deepEqual(visitor.complaints, []);
  } finally {
    await visitor.close();
  }
}

async function fill(page: Page): Promise<string> {
  const email = newAddress();
  await page.getByLabel('Your email').fill(email);
  await page.getByLabel('First name').fill('Grace');
  await page.getByLabel('Size of your company').selectOption('l');
  await page.getByLabel('By phone').check();
  await page.getByLabel('Bees').check();
  await page.getByLabel('Cats').check();
  await page.getByLabel('Country').selectOption({ label: 'Côte d’Ivoire' });
  await page.getByRole('radiogroup', { name: 'How did you like it?' }).getByLabel('5').check();
  await page.getByLabel('I agree').check();
  return email;
}
const FILLED = {
  firstName: 'Grace',
  size: 'l',
  channel: 'phone',
  topics: ['b', 'c'],
  country: 'CI',
  stars: 5,
  newsletter: false,
  terms: true,
  campaign: 'spring',
};

test('without scripts the page works, in the language of its visitor', async () => {
  await onPage(
    {},
    async (visitor, id) => {
      const { page } = visitor;
      await visitor.picture('page-without-scripts');
      const email = await fill(page);
      // A browser knows of no box that one of its group must be ticked; the server does.
      await page.getByLabel('Bees').uncheck();
      await page.getByLabel('Cats').uncheck();
      await page.getByRole('button', { name: 'Senden' }).click();
      const alert = page.getByRole('alert');
      await alert.waitFor();
      assert.equal(await alert.textContent(), 'Bitte korrigieren:Topics: ist erforderlich');
      await visitor.picture('page-without-scripts-errors');
      await alert.getByRole('link').click();
      assert.ok((await hasFocus(page.getByLabel('Apples'))) || page.url().endsWith(`#f${id}-topics-0`));
      assert.ok(await page.getByLabel('By phone').isChecked());
      await page.getByLabel('Bees').check();
      await page.getByLabel('Cats').check();
      await page.getByRole('button', { name: 'Senden' }).click();
      await page.getByRole('status').filter({ hasText: 'Vielen Dank.' }).waitFor();
      await visitor.picture('page-thanks');
      assert.deepEqual(await stored(service, id), [{ email, ...FILLED }]);
    },
    { javaScriptEnabled: false, locale: 'de-DE' },
  );
});

test('with scripts, errors come without leaving the page, the thanks too, and a view counts once', async () => {
  await onPage({ successMessage: 'You will hear from us.' }, async (visitor, id) => {
    const { page } = visitor;
    await visitor.picture('page');
    await visitor.checkPage();
    let loads = 0;
    page.on('load', () => (loads += 1));
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('First name: is required').first().waitFor();
    assert.ok(await hasFocus(page.getByLabel('Your email')));
    await visitor.picture('page-errors');
    await visitor.checkPage();
    const email = await fill(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').filter({ hasText: 'You will hear from us.' }).waitFor();
    assert.deepEqual([loads, await stored(service, id)], [0, [{ email, ...FILLED }]]);
    const { views, submissions } = (await service.api('GET', `/forms/${id}/stats`)).body;
    assert.deepEqual([views, submissions], [1, 1]);
  });
});

test('what the server has found is shown, corrected and sent, wherever the page came from', async () => {
  await onPage({}, async ({ page }, id) => {
    // As when the browser's checks were passed over: the page itself is posted.
    const email = await fill(page);
    await page.getByLabel('Code').fill('wrong');
    await page.evaluate('HTMLFormElement.prototype.submit.call(document.querySelector("form"))');
    await page.getByText('Code: does not match the required format').first().waitFor();
    await page.getByLabel('Code').fill('AB1');
    assert.equal(await page.locator('[data-error]').count(), 0);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you.').waitFor();
    assert.deepEqual(await stored(service, id), [{ email, ...FILLED, code: 'AB1' }]);
  });
});

test('a hint at a field stays when its error goes', async () => {
  const fields = [EVERY_FIELD[0], { name: 'paper', label: 'Paper', type: 'file' }];
  await onPage({ fields }, async ({ page }, id) => {
    const paper = page.getByLabel('Paper');
    await page.getByLabel('Your email').fill(newAddress());
    await paper.setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('<p>No PDF</p>') });
    await page.evaluate('HTMLFormElement.prototype.submit.call(document.querySelector("form"))');
    await page.getByText('Please choose the file again').waitFor();
    assert.equal(await paper.getAttribute('aria-describedby'), `f${id}-paper-error f${id}-paper-hint`);
    await paper.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('A text') });
    assert.equal(await page.locator('[data-error]').count(), 0);
    assert.equal(await paper.getAttribute('aria-describedby'), `f${id}-paper-hint`);
    await page.getByLabel('Your email').fill('nobody');
    await page.getByRole('button', { name: 'Send' }).click();
    assert.equal(await paper.getAttribute('aria-describedby'), `f${id}-paper-hint`);
  });
});

test('the page tells browsers what each field takes', async () => {
  await onPage({}, async ({ page }) => {
    const attributes = (label: string, ...names: string[]) =>
      Promise.all(names.map((name) => page.getByLabel(label).first().getAttribute(name)));
    assert.deepEqual(await attributes('First name', 'maxlength', 'autocomplete', 'pattern'), [
      '20',
      'given-name',
      null,
    ]);
    assert.deepEqual(await attributes('About you', 'minlength'), ['3']);
    assert.deepEqual(await attributes('Code', 'pattern'), ['[A-Z]{2}\\d+']);
    assert.deepEqual(await attributes('Seats', 'min', 'max', 'step'), ['1', '500', 'any']);
    assert.equal(await page.getByLabel('Country').locator('option').count(), 250);
    assert.equal(await page.getByRole('radiogroup', { name: 'How did you like it?' }).getByRole('radio').count(), 5);
  });
  const patterns = { good: 'a+', classes: '[a&&b]', flags: '(?i)a', posix: '[[:alpha:]]', range: '[+--]' };
  const fields = Object.entries(patterns).map(([name, validationRegex]) => ({
    name,
    label: name,
    type: 'text',
    validationRegex,
  }));
  await onPage({ fields: [EVERY_FIELD[0], ...fields] }, async ({ page }) => {
    const given = await Promise.all(Object.keys(patterns).map((name) => page.getByLabel(name).getAttribute('pattern')));
    assert.deepEqual(given, ['a+', null, null, null, null]);
  });
});

test('a form whose words run from right to left does so in its page', async () => {
  const fields = [{ name: 'email', label: 'البريد الإلكتروني', type: 'email' }];
  await onPage({ name: 'اتصل بنا', description: null, fields }, async (visitor) => {
    const { page } = visitor;
    assert.equal(await page.evaluate('getComputedStyle(document.querySelector("form")).direction'), 'rtl');
    await page.getByRole('button', { name: 'Send' }).click();
    await visitor.picture('page-right-to-left');
  });
});

test('in a dark page, errors and fields stay readable', async () => {
  await onPage(
    {},
    async (visitor) => {
      await visitor.page.getByRole('button', { name: 'Send' }).click();
      await visitor.picture('page-dark');
      // The page has no background of its own, so that it fits into frames; axe takes none for white.
      await visitor.page.addStyleTag({ content: 'html{background:Canvas}' });
    },
    { colorScheme: 'dark' },
  );
});
