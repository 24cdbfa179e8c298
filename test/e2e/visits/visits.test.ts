import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser, Page, Request } from 'playwright-core';
import { makeContactToken } from '../../../domain/addresses/contact-token.ts';
import { settled } from '../../support/events.ts';
import { startChromium } from '../../support/forms/chromium.ts';
import { embedCode, makeForm } from '../../support/forms/forms.ts';
import { startSite, visit, type Site, type Visitor } from '../../support/forms/site.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { BROWSER } from '../../support/visits.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const KEY = 'perennial.contactToken';

let service: Service;
let browser: Browser;
let site: Site;
let tag: string;
beforeAll(async () => {
  service = await startService({ worker: ['consumers', 'relay'] });
  [browser, site] = await Promise.all([startChromium(), startSite(service.url)]);
  tag = (await service.api('GET', '/scoring/visits/embed')).body.code;
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

const withConsent = (): string => tag.replace('<script ', '<script data-consent="true" ');
/** Puts a page with the script, and optionally more, on the site. */
const put = (path: string, { head = tag, body = '' } = {}): string => site.put(path, { head, body });
const scoreOf = async (id: number): Promise<number> =>
  (await service.api('GET', `/scoring/contacts/${id}`)).body.totalScore;

interface Known {
  visitor: Visitor;
  page: Page;
  contactId: number;
  token: string;
  /** What was posted to the service. */
  told: Request[];
  /** Waits until this many visits were told and answered, and returns what the contact's timeline has of them. */
  visits: (count: number) => Promise<Answer['body'][]>;
}

/** Opens a browser for a contact whose token is in a link, and checks that no policy was violated and no cookie set. */
async function asContact(use: (known: Known) => Promise<void>): Promise<void> {
  const contactId = (await makeContact(service)).id;
  // Chromium without a window says so, and would be taken for a robot.
  const visitor = await visit(browser, { userAgent: BROWSER });
  const told: Request[] = [];
  let answered = 0;
  visitor.page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/scoring/visits')) told.push(request);
  });
  visitor.page.on('response', (response) => {
    if (!response.url().endsWith('/scoring/visits')) return;
    assert.equal(response.status(), 204);
    answered += 1;
  });
  const visits = async (count: number): Promise<Answer['body'][]> => {
    await until(`${count} visits are told`, () => answered >= count);
    await settled(service, 'scoring', 'contact');
    const { data } = (await service.api('GET', `/contacts/${contactId}/activities?sort=id`)).body;
    assert.deepEqual([told.length, answered], [count, count]);
    return data.flatMap((one: Answer['body']) => (one.type === 'WEBSITE_VISITED' ? [one.data] : []));
  };
  try {
    const token = makeContactToken(service.deps.links, 'default', contactId);
    await use({ visitor, page: visitor.page, contactId, token, told, visits });
    assert.deepEqual(await visitor.context.cookies(), []);
    await visitor.checkPage();
  } finally {
    await visitor.close();
  }
}
/** Lets timers of the page run that were set before. */
const turn = (page: Page): Promise<void> => page.evaluate('new Promise((resolve) => setTimeout(resolve))');
const stored = (page: Page): Promise<string | null> => page.evaluate<string | null>(`localStorage.getItem('${KEY}')`);

test('a link with the token: the visit counts, the token leaves the address bar, and nothing is stored', async () => {
  await asContact(async ({ page, contactId, token, told, visits }) => {
    const url = put('/prices');
    await page.goto(`${url}?a=1&contactToken=${token}&b=2#part`);
    assert.deepEqual(await visits(1), [{ contactId, url: `${url}?a=1&b=2`, title: 'A page' }]);
    assert.equal(await scoreOf(contactId), 2);
    await page.waitForURL(`${url}?a=1&b=2#part`);
    assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0);
    assert.equal((await told[0]!.allHeaders())['cookie'], undefined);
    // Without the token, the next page is that of a stranger.
    await page.goto(put('/next'));
    await turn(page);
    await visits(1);
  });
});

test('a link with the token in the route of an application works in the same way', async () => {
  await asContact(async ({ page, contactId, token, visits }) => {
    const url = put('/application');
    await page.goto(`${url}?a=%7e#/prices?b=%7e&contactToken=${token}&c`);
    assert.deepEqual(await visits(1), [{ contactId, url: `${url}?a=%7e#/prices?b=%7e&c`, title: 'A page' }]);
    await page.waitForURL(`${url}?a=%7e#/prices?b=%7e&c`);
  });
});

test('with consent, a later page without the token counts too, until the consent is withdrawn', async () => {
  await asContact(async ({ page, contactId, token, visits }) => {
    const [first, second] = [put('/first', { head: withConsent() }), put('/second')];
    await page.goto(`${first}?contactToken=${token}`);
    await visits(1);
    assert.equal(await stored(page), token);
    await page.evaluate(`location.href = '${second}'`);
    await page.waitForURL(second);
    assert.deepEqual((await visits(2))[1], { contactId, url: second, referrer: first, title: 'A page' });
    assert.equal(await scoreOf(contactId), 4);
    await page.evaluate('perennialVisits.consent(false)');
    assert.equal(await page.evaluate('localStorage.length'), 0);
    await page.evaluate(`history.pushState(null, '', '/third')`);
    await page.goto(first);
    await turn(page);
    await visits(2);
  });
});

test('a page may give the consent later', async () => {
  await asContact(async ({ page, token, visits }) => {
    const url = put('/asks');
    await page.goto(`${url}?contactToken=${token}`);
    await visits(1);
    assert.equal(await stored(page), null);
    await page.evaluate('perennialVisits.consent(true)');
    assert.equal(await stored(page), token);
    await page.goto(put('/later'));
    await visits(2);
  });
});

test('the pages of an application in one document count, each once in a row', async () => {
  await asContact(async ({ page, contactId, token, visits }) => {
    const url = put('/app');
    await page.goto(`${url}?contactToken=${token}`);
    await visits(1);
    const { origin } = site;
    await page.evaluate(`history.pushState({ n: 1 }, '', '/app/a'); document.title = 'Page A'`);
    await visits(2);
    // The same page again, a part of it, and a replaced address are no further pages.
    await page.evaluate(`history.pushState({ n: 2 }, '', '/app/a')`);
    await page.evaluate(`location.hash = 'part'`);
    await page.evaluate(`history.replaceState({ n: 3 }, '', '/app/a?filter=1')`);
    await page.evaluate(`history.pushState({ n: 4 }, '', '/app/b#/route')`);
    await visits(3);
    await page.goBack();
    assert.deepEqual(
      (await visits(4)).map((one) => [one.contactId, one.url, one.referrer, one.title]),
      [
        [contactId, url, undefined, 'A page'],
        [contactId, `${origin}/app/a`, url, 'Page A'],
        [contactId, `${origin}/app/b#/route`, `${origin}/app/a`, 'Page A'],
        [contactId, `${origin}/app/a?filter=1`, `${origin}/app/b#/route`, 'Page A'],
      ],
    );
    assert.equal(await page.evaluate('history.state.n'), 3);
  });
});

test('strangers send nothing', async () => {
  await asContact(async ({ page, contactId, visits }) => {
    await page.goto(put('/stranger', { head: withConsent() }));
    await page.evaluate(`history.pushState(null, '', '/stranger/next')`);
    await page.goto(`${put('/stranger')}?contactToken=`);
    await turn(page);
    assert.deepEqual(await visits(0), []);
    assert.equal(await page.evaluate('localStorage.length'), 0);
    assert.equal(await scoreOf(contactId), 0);
  });
});

test('beside a form, in either order, both know the visitor, and a form with consent makes one known', async () => {
  const formId = await makeForm(service, {
    name: 'Asks',
    enableProgressiveProfiling: true,
    fields: [
      { name: 'email', label: 'Your email', type: 'email' },
      { name: 'question', label: 'Your question', type: 'textarea' },
    ],
  });
  const embed = await embedCode(service, formId);
  const [place = '', formScript = ''] = embed.split('\n');
  for (const head of [tag + formScript, formScript + tag]) {
    await asContact(async ({ page, contactId, token, visits }) => {
      const url = put('/with-form', { head, body: place });
      await page.goto(`${url}?contactToken=${token}`);
      await page.getByLabel('Your question').waitFor();
      // The form knows the address of the contact, and so does not ask for it.
      assert.equal(await page.getByLabel('Your email').count(), 0);
      assert.deepEqual(await visits(1), [{ contactId, url, title: 'A page' }]);
      await page.waitForURL(url);
    });
  }
  await asContact(async ({ page, token, visits }) => {
    await page.goto(put('/later-known'));
    await page.evaluate(`localStorage.setItem('${KEY}', ${JSON.stringify(token)})`);
    await page.evaluate(`history.pushState(null, '', '/later-known/next')`);
    assert.equal((await visits(1)).length, 1);
  });
});

test('a page that has the script twice, or forbids storage, works', async () => {
  await asContact(async ({ page, contactId, token, visits }) => {
    const url = put('/twice', { head: tag + tag });
    await page.goto(`${url}?contactToken=${token}`);
    assert.equal((await visits(1)).length, 1);
    assert.equal(await scoreOf(contactId), 2);
    await page.addInitScript(
      `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })`,
    );
    await page.goto(`${put('/no-storage', { head: withConsent() })}?contactToken=${token}`);
    assert.equal((await visits(2)).length, 2);
  });
});
