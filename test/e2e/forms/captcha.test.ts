import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createChallenge, verifySolution } from 'altcha-lib/v1';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../../support/forms/chromium.ts';
import { embedCode, EVERY_FIELD, makeForm, newAddress, stored } from '../../support/forms/forms.ts';
import { press, startSite, thanked, visit, type Site, type Visitor } from '../../support/forms/site.ts';
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

const CORS = { 'access-control-allow-origin': '*' };
const KEY = 'the key of the challenges';
type Provider = 'altcha' | 'hcaptcha' | 'turnstile';

/**
 * Opens a page whose form has a CAPTCHA. The answers of the service about it are made up here: `judge` says whether the
 * proof in a submission is accepted.
 */
async function withCaptcha(
  provider: Provider,
  judge: (sent: Record<string, string>) => boolean | Promise<boolean>,
  use: (visitor: Visitor, id: number) => Promise<void>,
  policy?: string,
): Promise<void> {
  const id = await makeForm(service, { fields: EVERY_FIELD.slice(0, 2) });
  const visitor = await visit(browser);
  try {
    const { page } = visitor;
    await page.route('**/fields', async (route) => {
      const answer = await route.fetch();
      const captcha = { provider, siteKey: provider === 'altcha' ? null : 'site-key' };
      await route.fulfill({ response: answer, json: { ...(await answer.json()), captcha } });
    });
    await page.route('**/submit', async (route) => {
      if (await judge(route.request().postDataJSON())) return route.continue();
      await route.fulfill({
        status: 422,
        headers: CORS,
        json: { success: false, errors: [{ field: 'captcha', code: 'captcha_invalid', message: 'was not solved' }] },
      });
    });
    await visitor.open(site.put('/proof', { body: await embedCode(service, id), ...(policy ? { policy } : {}) }));
    await use(visitor, id);
    await visitor.checkPage();
  } finally {
    await visitor.close();
  }
}

/**
 * Answers requests for challenges, whose solution is the last number that is tried; returns how many there were.
 */
async function challenge(page: Page, maxnumber: number, expires: () => Date): Promise<() => number> {
  let asked = 0;
  await page.route('**/captcha', async (route) => {
    asked += 1;
    const { algorithm, challenge, salt, signature } = await createChallenge({
      hmacKey: KEY,
      number: maxnumber,
      maxNumber: maxnumber,
      expires: expires(),
    });
    await route.fulfill({ headers: CORS, json: { algorithm, challenge, maxnumber, salt, signature } });
  });
  return () => asked;
}
const soon = () => new Date(Date.now() + 600_000);

async function fill(page: Page): Promise<string> {
  const email = newAddress();
  await page.getByLabel('Your email').fill(email);
  await page.getByLabel('First name').fill('Grace');
  return email;
}
const emailsOf = async (id: number) => (await stored(service, id)).map(({ email }) => email);

test('ALTCHA is asked for at the first touch and solved while the page stays responsive', async () => {
  const proofs = new Set<string>();
  const judge = async ({ altcha }: Record<string, string>) => {
    proofs.add(altcha!);
    return verifySolution(altcha!, KEY);
  };
  await withCaptcha('altcha', judge, async (visitor, id) => {
    const { page } = visitor;
    const asked = await challenge(page, 300_000, soon);
    assert.equal(asked(), 0);
    const email = await fill(page);
    await press(page);
    await page.getByRole('status').filter({ hasText: 'Checking that you are not a robot' }).waitFor();
    await page.evaluate('window.turns = 0; (function turn() { turns += 1; setTimeout(turn); })()');
    await visitor.picture('proving');
    await thanked(page);
    assert.ok((await page.evaluate<number>('turns')) > 20, 'other code of the page has its turns');
    assert.deepEqual([asked(), proofs.size, await emailsOf(id)], [1, 1, [email]]);
  });
});

test('an ALTCHA that has expired or is refused is replaced without the visitor, once', async () => {
  const seen: string[] = [];
  let refuse = 1;
  const judge = async ({ altcha }: Record<string, string>) => {
    assert.ok(!seen.includes(altcha!), 'each proof is sent once');
    seen.push(altcha!);
    return (refuse -= 1) < 0;
  };
  await withCaptcha('altcha', judge, async ({ page }, id) => {
    // Expired by the time of the submission.
    const ends = [new Date(Date.now() - 1000), soon(), soon(), soon(), soon()];
    const asked = await challenge(page, 500, () => ends.shift()!);
    const email = await fill(page);
    await press(page);
    await thanked(page);
    assert.deepEqual([asked(), seen.length, await emailsOf(id)], [3, 2, [email]]);

    refuse = 2;
    await page.reload();
    await fill(page);
    await press(page);
    await page.getByRole('alert').filter({ hasText: 'The check for robots has failed.' }).waitFor();
    assert.equal(await page.getByLabel('First name').inputValue(), 'Grace');
    ends.push(soon(), soon());
    await press(page);
    await thanked(page);
  });
});

test('a challenge that can not be fetched is told, and fetched with the next attempt', async () => {
  await withCaptcha(
    'altcha',
    ({ altcha }) => verifySolution(altcha!, KEY),
    async ({ page }, id) => {
      await page.route('**/captcha', (route) => route.fulfill({ status: 503, headers: CORS }));
      const email = await fill(page);
      await press(page);
      await page.getByRole('alert').filter({ hasText: 'there are too many requests' }).waitFor();
      await challenge(page, 100, soon);
      await press(page);
      await thanked(page);
      assert.deepEqual(await emailsOf(id), [email]);
    },
  );
});

/** A stand-in for a provider's script: a button in the place of its widget, which answers when it is pressed. */
const widget = (name: string) => `
  window.${name} = {
    render(container, options) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = 'I am human, for ' + options.sitekey;
      let count = 0;
      button.addEventListener('click', () => options.callback('answer-' + (count += 1)));
      container.append(button);
      return 'widget';
    },
    reset(id) { document.body.dataset.reset = id; },
  };
  window[new URL(document.currentScript.src).searchParams.get('onload')]();`;

for (const [provider, host, field] of [
  ['hcaptcha', 'js.hcaptcha.com', 'h-captcha-response'],
  ['turnstile', 'challenges.cloudflare.com', 'cf-turnstile-response'],
] as const) {
  test(`${provider} is loaded at the first touch, asks its question, and its answer is sent`, async () => {
    const given: unknown[] = [];
    const judge = (sent: Record<string, string>) => {
      given.push(sent[field]);
      return given.length > 1;
    };
    const policy = `default-src 'none'; script-src ${service.url} https://${host}; connect-src ${service.url}; require-trusted-types-for 'script'; trusted-types perennial`;
    await withCaptcha(
      provider,
      judge,
      async (visitor, id) => {
        const { page } = visitor;
        let loads = 0;
        let isBroken = true;
        await page.route(`https://${host}/**`, (route) => {
          loads += 1;
          return isBroken ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: widget(provider) });
        });
        assert.equal(loads, 0);
        const email = await fill(page);
        await press(page);
        await page.getByRole('alert').filter({ hasText: 'The check for robots has failed.' }).waitFor();
        assert.equal(await page.getByLabel('First name').inputValue(), 'Grace');
        isBroken = false;
        await press(page);
        await page.getByRole('alert').filter({ hasText: 'Please confirm that you are not a robot.' }).waitFor();
        await visitor.picture(provider);
        await page.getByRole('button', { name: 'I am human, for site-key' }).click();
        await press(page);
        // An answer counts once: the refused one is not sent again.
        await page.getByRole('alert').filter({ hasText: 'The check for robots has failed.' }).waitFor();
        assert.equal(await page.locator('body').getAttribute('data-reset'), 'widget');
        await press(page);
        await page.getByRole('alert').filter({ hasText: 'Please confirm that you are not a robot.' }).waitFor();
        await page.getByRole('button', { name: 'I am human' }).click();
        await press(page);
        await thanked(page);
        assert.deepEqual([given, await emailsOf(id)], [['answer-1', 'answer-2'], [email]]);
      },
      policy,
    );
  });
}
