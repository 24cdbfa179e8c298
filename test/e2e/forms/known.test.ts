import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startChromium } from '../../support/forms/chromium.ts';
import { embedCode, makeForm, newAddress, stored } from '../../support/forms/forms.ts';
import { hasFocus, press, startSite, thanked, visit, type Site, type Visitor } from '../../support/forms/site.ts';
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

const FORM = {
  name: 'Questions',
  enableProgressiveProfiling: true,
  progressiveFields: ['job', 'plan'],
  fields: [
    { name: 'email', label: 'Your email', type: 'email' },
    { name: 'firstName', label: 'First name', type: 'text', required: true },
    { name: 'question', label: 'Your question', type: 'textarea' },
    {
      name: 'topics',
      label: 'Topics',
      type: 'multiselect',
      defaultValue: 'a',
      options: [
        { value: 'a', label: 'Apples' },
        { value: 'b', label: 'Bees' },
      ],
    },
    { name: 'job', label: 'Job', type: 'text', mapTo: 'jobTitle' },
    { name: 'plan', label: 'Plan', type: 'text', required: true },
  ],
};

let fieldNumber = 0;

interface Known {
  visitor: Visitor;
  id: number;
  /** Of the page, without the token. */
  url: string;
  contactId: number;
  contactToken: string;
}

const submit = async (id: number, body: object) =>
  (await service.api('POST', `/forms/${id}/submit`, body, { token: null })).body;

/** Opens the form in another site's page and as the hosted page, for a known contact. */
async function everywhere(use: (known: Known) => Promise<void>): Promise<void> {
  for (const isHosted of [false, true]) {
    const id = await makeForm(service, FORM);
    const { contactId, contactToken } = await submit(id, { email: newAddress(), firstName: 'Ada' });
    const url = isHosted
      ? `${service.url}/api/v1/forms/${id}/page`
      : site.put('/form', { body: await embedCode(service, id) });
    const visitor = await visit(browser);
    try {
      await visitor.open(`${url}?contactToken=${contactToken}`);
      await use({ visitor, id, url, contactId, contactToken });
      await visitor.checkPage();
    } finally {
      await visitor.close();
    }
  }
}

test('who is not the known contact says so, and is asked everything', async () => {
  await everywhere(async ({ visitor, id, url, contactId, contactToken }) => {
    const { page } = visitor;
    const isHosted = url.endsWith('/page');
    const role = isHosted ? 'link' : 'button';
    // From an earlier visit.
    await page.evaluate(`localStorage.setItem('perennial.contactToken', ${JSON.stringify(contactToken)})`);
    if (!isHosted) await visitor.open(url);
    assert.equal(await page.getByLabel('Your email').count(), 0);
    await page.getByLabel('Your question').fill('Who am I?');
    await visitor.picture(isHosted ? 'page-known' : 'known');
    await visitor.checkPage();
    await page.getByRole(role, { name: 'Not you?' }).click();
    await page.getByLabel('Your email').waitFor();
    assert.equal(await page.getByRole(role, { name: 'Not you?' }).count(), 0);
    assert.equal(await page.evaluate('localStorage.length'), 0);
    assert.equal(page.url(), url);
    if (!isHosted) {
      assert.equal(await page.getByLabel('Your question').inputValue(), 'Who am I?');
      assert.ok(await hasFocus(page.getByLabel('Your email')));
      await visitor.picture('not-you');
    }
    const email = newAddress();
    await page.getByLabel('Your email').fill(email);
    await page.getByLabel('First name').fill('Grace');
    await press(page);
    await thanked(page);
    const [last] = (await service.api('GET', `/forms/${id}/submissions`)).body.data;
    assert.equal(last.submissionData.email, email);
    assert.notEqual(last.contactId, contactId);
  });
});

test('without scripts, the page has the way for somebody else too', async () => {
  const id = await makeForm(service, FORM);
  const { contactToken } = await submit(id, { email: newAddress(), firstName: 'Ada' });
  const visitor = await visit(browser, { javaScriptEnabled: false, locale: 'de-DE' });
  try {
    await visitor.open(`${service.url}/api/v1/forms/${id}/page?contactToken=${contactToken}`);
    await visitor.page.getByText('Einige Ihrer Angaben haben wir schon.').waitFor();
    await visitor.page.getByRole('link', { name: 'Sind Sie das nicht?' }).click();
    await visitor.page.getByLabel('Your email').waitFor();
  } finally {
    await visitor.close();
  }
});

test('when the contact is not known any more, the fields come that are missing, and what was entered stays', async () => {
  await everywhere(async ({ visitor, id, url, contactId }) => {
    const { page } = visitor;
    const views = async (): Promise<number> => (await service.api('GET', `/forms/${id}/stats`)).body.views;
    const before = await views();
    await page.getByLabel('Your question').fill('Where is my account?');
    await page.getByLabel('Apples').uncheck();
    await page.getByLabel('Bees').check();
    assert.equal((await service.api('DELETE', `/contacts/${contactId}`)).status, 204);
    await press(page);
    await page.getByText('First name: is required').first().waitFor();
    await page.getByText('Your email: is required').first().waitFor();
    assert.equal(await page.locator('form').count(), 1);
    assert.equal(await page.getByLabel('Your question').inputValue(), 'Where is my account?');
    assert.deepEqual(
      [await page.getByLabel('Apples').isChecked(), await page.getByLabel('Bees').isChecked()],
      [false, true],
    );
    assert.equal(await page.getByText('Not you?').count(), 0);
    await visitor.picture(url.endsWith('/page') ? 'page-outdated' : 'outdated');
    const email = newAddress();
    await page.getByLabel('Your email').fill(email);
    await page.getByLabel('First name').fill('Grace');
    assert.equal(await page.locator('[data-error]').count(), 0);
    await press(page);
    await thanked(page);
    const question = 'Where is my account?';
    assert.deepEqual((await stored(service, id))[0], { email, firstName: 'Grace', question, topics: ['b'] });
    assert.equal(await views(), before);
  });
});

test('when the contact has answered elsewhere, what is asked next comes', async () => {
  await everywhere(async ({ visitor, id, contactToken }) => {
    const { page } = visitor;
    const elsewhere = await submit(id, { job: 'Baker', _contactToken: contactToken });
    assert.ok(elsewhere.success, JSON.stringify(elsewhere));
    await page.getByLabel('Your question').fill('And now?');
    await press(page);
    await page.getByText('Plan: is required').first().waitFor();
    await page.getByLabel('Plan').fill('gold');
    await press(page);
    await thanked(page);
    const [last] = await stored(service, id);
    assert.deepEqual([last!['plan'], last!['question']], ['gold', 'And now?']);
  });
});

test('while the fields can not be loaded anew, the errors are told, and it is tried again', async () => {
  const id = await makeForm(service, FORM);
  const { contactId, contactToken } = await submit(id, { email: newAddress(), firstName: 'Ada' });
  const visitor = await visit(browser);
  try {
    const { page } = visitor;
    await visitor.open(`${site.put('/form', { body: await embedCode(service, id) })}?contactToken=${contactToken}`);
    await page.getByLabel('Your question').fill('Still there?');
    await service.api('DELETE', `/contacts/${contactId}`);
    await page.route('**/fields*', (route) => route.abort());
    await press(page);
    await page.getByRole('alert').filter({ hasText: 'email: is required' }).waitFor();
    await page.getByRole('button', { name: 'Not you?' }).click();
    await page.getByRole('alert').filter({ hasText: 'The form could not be loaded.' }).waitFor();
    assert.equal(await page.getByLabel('Your question').inputValue(), 'Still there?');
    await page.unroute('**/fields*');
    await press(page);
    await page.getByLabel('Your email').waitFor();
    assert.equal(await page.getByLabel('Your question').inputValue(), 'Still there?');
  } finally {
    await visitor.close();
  }
});

test('a consent that was given is not asked again and stays given; an unticked box is asked again', async () => {
  const name = `agreed${(fieldNumber += 1)}`;
  const defined = { entity: 'contact', name, type: 'boolean' };
  assert.equal((await service.api('POST', '/contacts/custom-fields', defined)).status, 201);
  const form = {
    name: 'Consent',
    enableProgressiveProfiling: true,
    fields: [
      { name: 'email', label: 'Your email', type: 'email' },
      { name: 'agreed', label: 'I agree', type: 'consent', mapTo: `customFields.${name}` },
      { name: 'rules', label: 'I know the rules', type: 'checkbox' },
      { name: 'question', label: 'Your question', type: 'textarea' },
    ],
  };
  for (const javaScriptEnabled of [true, false])
    for (const withFile of [false, true]) {
      const cv = { name: 'cv', label: 'Your CV', type: 'file' };
      const id = await makeForm(service, { ...form, fields: [...form.fields, ...(withFile ? [cv] : [])] });
      const first = await submit(id, { email: newAddress(), agreed: true });
      const visitor = await visit(browser, { javaScriptEnabled });
      const { page } = visitor;
      try {
        await visitor.open(`${service.url}/api/v1/forms/${id}/page?contactToken=${first.contactToken}`);
        assert.equal(await page.getByLabel('I agree').count(), 0);
        await page.getByLabel('I know the rules').waitFor();
        await page.getByLabel('Your question').fill('Why?');
        await press(page);
        await page.getByRole('status').getByText('Thank you').waitFor();
        assert.deepEqual((await stored(service, id))[0], { rules: false, question: 'Why?' });
        const contact = (await service.api('GET', `/contacts/${first.contactId}`)).body;
        assert.equal(contact.customFields[name], true);
        await visitor.open(`${service.url}/api/v1/forms/${id}/page?contactToken=${first.contactToken}`);
        await page.getByLabel('I know the rules').check();
        assert.equal(await page.getByLabel('Your question').count(), 0);
        await press(page);
        await page.getByRole('status').getByText('Thank you').waitFor();
        assert.deepEqual((await stored(service, id))[0], { rules: true });
      } finally {
        await visitor.close();
      }
    }
});
