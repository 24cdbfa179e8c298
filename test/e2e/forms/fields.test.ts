import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { startChromium } from '../../support/forms/chromium.ts';
import { embedCode, EVERY_FIELD, makeForm, newAddress, stored } from '../../support/forms/forms.ts';
import { hasFocus, startSite, visit, type Site, type Visitor } from '../../support/forms/site.ts';
import { startService, type Service } from '../../support/service.ts';

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

/** Opens a page with a form of these fields; ends with what the page shows and notes as it should be. */
async function withForm(
  form: object,
  use: (visitor: Visitor, form: Locator, id: number) => Promise<void>,
  lang = 'en',
): Promise<void> {
  const id = await makeForm(service, form);
  const visitor = await visit(browser);
  try {
    await visitor.open(site.put('/form', { body: await embedCode(service, id), lang }));
    await use(visitor, visitor.page.locator('form'), id);
    await visitor.checkPage();
  } finally {
    await visitor.close();
  }
}

const errorOf = (form: Locator, name: string) => form.locator(`[data-field="${name}"] [data-error]`);

test('every field is filled, sent and stored; then the page thanks', async () => {
  await withForm({ successMessage: 'We will write to you.' }, async (visitor, form, id) => {
    const email = newAddress();
    await visitor.picture('every-field');
    await visitor.checkPage();
    await form.getByLabel('Your email').fill(email);
    await form.getByLabel('First name').fill(' Grace ');
    await form.getByLabel('About you').fill('one\ntwo');
    await form.getByLabel('Size of your company').selectOption({ label: 'Large' });
    await form.getByRole('radiogroup', { name: 'How do we reach you?' }).getByLabel('By phone').check();
    const topics = form.getByRole('group', { name: 'Topics' });
    await topics.getByLabel('Apples').check();
    await topics.getByLabel('Cats').check();
    await form.getByLabel('Seats').fill('12.5');
    await form.getByLabel('Phone', { exact: true }).fill('+49 30 1234567');
    await form.getByLabel('Website').fill('https://example.com/a');
    await form.getByLabel('Day').fill('2026-02-28');
    await form.getByLabel('Hour').fill('09:30');
    await form.getByLabel('Moment').fill('2026-02-28T09:30');
    await form.getByLabel('Country').selectOption({ label: 'Germany' });
    await form.getByRole('radiogroup', { name: 'How did you like it?' }).getByLabel('4').check();
    await form.getByLabel('Code').fill('AB12');
    await form.getByLabel('Send me the newsletter').check();
    await form.getByLabel('I agree').check();
    await form.getByRole('button', { name: 'Send' }).click();
    const thanks = visitor.page.getByRole('status').filter({ hasText: 'We will write to you.' });
    await thanks.waitFor();
    assert.ok(await hasFocus(thanks));
    await visitor.picture('thanks');
    assert.deepEqual(await stored(service, id), [
      {
        email,
        firstName: 'Grace',
        about: 'one\ntwo',
        size: 'l',
        channel: 'phone',
        topics: ['a', 'c'],
        seats: 12.5,
        phone: '+49 30 1234567',
        site: 'https://example.com/a',
        day: '2026-02-28',
        hour: '09:30',
        moment: '2026-02-28T09:30',
        country: 'DE',
        stars: 4,
        code: 'AB12',
        newsletter: true,
        terms: true,
        campaign: 'spring',
      },
    ]);
  });
});

test('every field says what it is: its type, what fills it, what is required, and where its choices begin', async () => {
  await withForm({}, async (_, form) => {
    const attributes = (label: string, ...names: string[]) =>
      Promise.all(names.map((name) => form.getByLabel(label, { exact: true }).getAttribute(name)));
    assert.deepEqual(await attributes('Your email (required)', 'type', 'autocomplete', 'required'), [
      'email',
      'email',
      '',
    ]);
    assert.deepEqual(await attributes('First name (required)', 'type', 'autocomplete', 'placeholder'), [
      'text',
      'given-name',
      'As you like it',
    ]);
    assert.deepEqual(await attributes('Seats', 'type', 'min', 'max', 'step'), ['number', '1', '500', 'any']);
    assert.deepEqual(await attributes('Phone', 'type', 'autocomplete'), ['tel', 'tel']);
    assert.deepEqual(await attributes('Country', 'autocomplete'), ['country']);
    assert.equal(await form.getByLabel('Country').locator('option').count(), 250);
    assert.deepEqual(
      await form.getByRole('radiogroup', { name: 'How did you like it?' }).getByRole('radio').allTextContents(),
      ['', '', '', '', ''],
    );
    assert.equal(await form.getByRole('radiogroup', { name: /reach you/ }).getAttribute('aria-required'), 'true');
  });
});

test('errors are told by their fields and in a summary with links; the focus moves to the first', async () => {
  await withForm({}, async (visitor, form, id) => {
    await form.getByLabel('Your email').fill('nobody');
    await form.getByLabel('About you').fill('x');
    await form.getByLabel('Seats').fill('501');
    await form.getByLabel('Website').fill('example.com');
    await form.getByLabel('Code').fill('ab12');
    await form.getByRole('button', { name: 'Send' }).click();
    const told = {
      email: 'Your email: is not an email address',
      firstName: 'First name: is required',
      about: 'About you: has fewer than 3 characters',
      size: 'Size of your company: is required',
      channel: 'How do we reach you: is required',
      topics: 'Topics: is required',
      seats: 'Seats: is greater than 500',
      site: 'Website: is not a web address',
      code: 'Code: does not match the required format',
      terms: 'I agree that you keep what I entered here: is required',
    };
    for (const [name, text] of Object.entries(told)) assert.equal(await errorOf(form, name).textContent(), text);
    assert.equal(await form.locator('[data-error]').count(), Object.keys(told).length);
    assert.deepEqual(await form.getByRole('alert').getByRole('listitem').allTextContents(), Object.values(told));
    const email = form.getByLabel('Your email');
    assert.ok(await hasFocus(email));
    assert.equal(await email.getAttribute('aria-invalid'), 'true');
    assert.equal(await email.getAttribute('aria-describedby'), await errorOf(form, 'email').getAttribute('id'));
    await visitor.picture('errors');
    await visitor.checkPage();

    await form.getByRole('link', { name: /^Topics/ }).click();
    assert.ok(await hasFocus(form.getByLabel('Apples')));
    assert.ok(!visitor.page.url().includes('#'));
    // What is corrected is no error any more, at once.
    await form.getByLabel('Apples').check();
    assert.equal(await errorOf(form, 'topics').count(), 0);
    assert.equal(await form.getByLabel('Apples').getAttribute('aria-invalid'), null);
    assert.equal(await form.getByRole('alert').getByRole('listitem').count(), Object.keys(told).length - 1);
    assert.deepEqual(await stored(service, id), []);
    assert.equal(await form.getByLabel('Website').inputValue(), 'example.com', 'what was typed is still there');
  });
});

test('the errors of the server are told like those of the browser, and others in the summary', async () => {
  const fields = [
    ...EVERY_FIELD.slice(0, 1),
    { name: 'job', label: 'Job', type: 'text', mapTo: 'jobTitle' },
    { name: 'old', label: 'Old code', type: 'text', validationRegex: '(?i)[a-z]+' },
  ];
  await withForm({ fields }, async (visitor, form) => {
    const { page } = visitor;
    await form.getByLabel('Your email').fill(newAddress());
    // The contact's own rules, which browsers do not know.
    await form.getByLabel('Job').fill('x'.repeat(300));
    // A pattern that JavaScript does not understand.
    await form.getByLabel('Old code').fill('AB1');
    await form.getByRole('button', { name: 'Send' }).click();
    await errorOf(form, 'job').waitFor();
    assert.match((await errorOf(form, 'job').textContent())!, /^Job: must be at most 255 characters$/);
    assert.equal(await errorOf(form, 'old').textContent(), 'Old code: does not match the required format');
    assert.ok(await hasFocus(form.getByLabel('Job')));

    await page.route('**/submit', (route) =>
      route.fulfill({
        status: 422,
        headers: { 'access-control-allow-origin': '*' },
        json: { success: false, errors: [{ field: 'nothing', code: 'odd', message: 'is odd' }] },
      }),
    );
    await form.getByLabel('Old code').fill('AB');
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByRole('alert').filter({ hasText: 'nothing: is odd' }).waitFor();
    assert.equal(await form.locator('[data-error]').count(), 0);
    assert.equal(await form.getByLabel('Old code').inputValue(), 'AB');
  });
});

test('a pattern that would keep the page busy is left to the server', async () => {
  const fields = [EVERY_FIELD[0], { name: 'slow', label: 'Slow', type: 'text', validationRegex: '(a+)+b' }];
  await withForm({ fields }, async (visitor, form, id) => {
    await form.getByLabel('Your email').fill(newAddress());
    await form.getByLabel('Slow').fill('a'.repeat(60));
    await form.getByRole('button', { name: 'Send' }).click();
    await errorOf(form, 'slow').waitFor();
    assert.equal(await errorOf(form, 'slow').textContent(), 'Slow: does not match the required format');
    await visitor.page.goto(`${service.url}/api/v1/forms/${id}/page`);
    assert.equal(await form.getByLabel('Slow').getAttribute('pattern'), null);
    assert.equal(await form.getByLabel('Your email').getAttribute('required'), '');
  });
});

test('a form can be filled and sent with the keyboard alone', async () => {
  const fields = EVERY_FIELD.filter(({ name }) => ['email', 'size', 'channel', 'topics', 'terms'].includes(name));
  await withForm({ fields }, async ({ page }, form, id) => {
    const email = newAddress();
    const keys = page.keyboard;
    await keys.press('Tab');
    await keys.type(email);
    await keys.press('Tab');
    await keys.press('ArrowDown');
    await keys.press('Tab');
    await keys.press('ArrowDown');
    await keys.press('Tab');
    await keys.press('Space');
    await keys.press('Tab');
    await keys.press('Space');
    await keys.press('Tab');
    await keys.press('Tab');
    // Without the consent, which the focus goes back to.
    await keys.press('Tab');
    await keys.press('Enter');
    await errorOf(form, 'terms').waitFor();
    await keys.press('Space');
    await keys.press('Enter');
    await page.getByText('Thank you.').waitFor();
    assert.deepEqual(await stored(service, id), [
      { email, size: 's', channel: 'phone', topics: ['a', 'b'], terms: true },
    ]);
  });
});

test('what is no number is an error, and is not sent as nothing', async () => {
  await withForm(
    { fields: [EVERY_FIELD[0], { name: 'seats', label: 'Seats', type: 'number' }] },
    async (_, form, id) => {
      await form.getByLabel('Your email').fill(newAddress());
      await form.getByLabel('Seats').pressSequentially('1e');
      await form.getByRole('button', { name: 'Send' }).click();
      assert.equal(await errorOf(form, 'seats').textContent(), 'Seats: is not a number');
      assert.deepEqual(await stored(service, id), []);
    },
  );
});

test('a page in German has German texts, and labels as the editor wrote them', async () => {
  await withForm(
    {},
    async (visitor, form) => {
      await form.getByRole('button', { name: 'Senden' }).click();
      assert.equal(await errorOf(form, 'email').textContent(), 'Your email: ist erforderlich');
      assert.ok((await form.getByRole('alert').textContent())!.startsWith('Bitte korrigieren:'));
      assert.equal(await form.getByText('(erforderlich)').count(), 6);
      const countries = await form.getByLabel('Country').locator('option').allTextContents();
      assert.deepEqual(countries.slice(0, 4), ['', 'Afghanistan', 'Ägypten', 'Ålandinseln']);
      await visitor.picture('german');
    },
    'de-AT',
  );
});
