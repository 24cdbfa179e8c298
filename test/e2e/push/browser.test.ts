import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser, BrowserContext, CDPSession, Page, Worker } from 'playwright-core';
import { makeDevice, type Device } from '../../../dev/fakes/device.ts';
import { startPushService, type PushService } from '../../../dev/fakes/push-service.ts';
import { makeContactToken } from '../../../domain/addresses/contact-token.ts';
import { shownEndpoint } from '../../../domain/channels/people/shown-endpoint.ts';
import { channelsOf, type Person } from '../../support/channels.ts';
import { startChromium } from '../../support/forms/chromium.ts';
import { pushing, type Site } from '../../support/channels/pushing.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Of browsers, in functions that run there. */
declare const PushManager: { prototype: object };
declare const self: EventTarget;

let service: Service;
let push: PushService;
let browser: Browser;
let website: Server;
let origin: string;
let site: Site;
let person: Person;
beforeAll(async () => {
  push = await startPushService();
  service = await startService({
    worker: ['senders', 'relay', 'consumers'],
    env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
  });
  browser = await startChromium();
  await startWebsite();
  site = await pushing(service).makeSite({ origins: [origin] });
  person = await channelsOf(service).makePerson();
});
afterAll(async () => {
  await browser.close();
  website.closeAllConnections();
  website.close();
  await service.stop();
  await push.close();
});

const scripts = (): string => `${service.url}/api/v1/channels/push/sites/${site.siteKey}`;

/** Somebody's website on another origin, with a strict policy, and a worker of one line. */
async function startWebsite(): Promise<void> {
  website = createServer((request, response) => {
    const policy = `default-src 'none'; script-src ${service.url}; connect-src ${service.url}; worker-src 'self'; require-trusted-types-for 'script'; trusted-types perennial-push`;
    if (request.url === '/perennial-worker.js') {
      response.writeHead(200, {
        'content-type': 'text/javascript',
        'content-security-policy': `default-src 'none'; script-src ${service.url}; connect-src ${service.url}`,
      });
      return void response.end(`importScripts('${scripts()}/worker.js');`);
    }
    if (request.url === '/push/worker.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' });
      return void response.end(`importScripts('${scripts()}/worker.js');`);
    }
    const isAside = request.url === '/aside';
    if (request.url !== '/' && !isAside) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy });
    response.end(
      `<!doctype html><html lang="en"><title>A page</title><h1>A page</h1><script src="${scripts()}/script.js"${isAside ? ' data-worker="/push/worker.js"' : ''}></script></html>`,
    );
  });
  website.listen(0, '127.0.0.1');
  await once(website, 'listening');
  // Workers need https, or this name.
  origin = `http://localhost:${(website.address() as AddressInfo).port}`;
}

/**
 * There is no push service in a browser without a window, so that one part of the page is made up: what it would get
 * from `pushManager`.
 */
function madeUpPushManager(subscription: { endpoint: string; keys: object }): void {
  let current: object | null = null;
  let given: ArrayBuffer;
  Object.assign(PushManager.prototype, {
    getSubscription: async () => current,
    subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array<ArrayBuffer> }) => {
      given = applicationServerKey.slice().buffer;
      current = {
        endpoint: subscription.endpoint,
        options: { applicationServerKey: given },
        toJSON: () => subscription,
        unsubscribe: async () => {
          current = null;
          return true;
        },
      };
      return current;
    },
  });
}

interface Visit {
  context: BrowserContext;
  page: Page;
  device: Device;
  /** What policies forbade, and what failed. */
  problems: string[];
}
async function visit(device: Device, path = '/'): Promise<Visit> {
  const context = await browser.newContext();
  await context.grantPermissions(['notifications'], { origin });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
  page.on('pageerror', (error) => void problems.push(String(error)));
  await page.addInitScript(madeUpPushManager, device.subscription);
  await page.goto(`${origin}${path}`);
  return { context, page, device, problems };
}
const ask = <T>(page: Page, expression: string): Promise<T> => page.evaluate(`perennialPush.${expression}`);
const subscriptions = async (query = ''): Promise<Answer['body'][]> =>
  (await service.api('GET', `/channels/push/subscriptions?contactId=${person.id}&sort=id${query}`)).body.data;
const send = async (more: object = {}): Promise<number> => {
  const body = { recipientId: person.id, title: 'News', body: 'Read this', url: 'https://www.example.com/', ...more };
  const answer = await service.api('POST', '/channels/push/send', body);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.messageId;
};
const message = async (id: number): Promise<Answer['body']> =>
  (await service.api('GET', `/channels/messages/${id}`)).body;

/** Delivers what the push service got for a device to its browser, as a push service would. */
async function deliver(
  { page, device }: Visit,
  session: CDPSession,
  registrationId: string,
): Promise<Record<string, unknown>> {
  const accepted = await until('the push service has it', () =>
    push.accepted.find((one) => one.device === device.name),
  );
  push.accepted.splice(push.accepted.indexOf(accepted), 1);
  const payload = device.open(Buffer.from(accepted.body, 'base64'));
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(payload) });
  await page.bringToFront();
  return payload;
}
const notifications = (worker: Worker): Promise<{ title: string; body: string; tag: string; actions: string[] }[]> =>
  worker.evaluate(`self.registration.getNotifications().then((all) => all.map(({title, body, tag, actions}) =>
    ({title, body, tag, actions: actions.map(({action, title}) => action + ' ' + title)})))`);
/** What a click or a swipe of the only notification makes the browser tell the worker. */
const happens = (worker: Worker, type: string, action = ''): Promise<unknown> =>
  worker.evaluate(`self.registration.getNotifications().then(([notification]) =>
    void self.dispatchEvent(new NotificationEvent('${type}', { notification, action: '${action}' })))`);

test('a visitor subscribes, gets pushes, and what becomes of them is reported; a renewal keeps the contact', async () => {
  const one = await visit(makeDevice(push.endpointOf('browser-1')));
  const { page, context, problems } = one;
  const reports: string[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/push/events')) reports.push(String(request.postDataJSON().type));
  });
  const session = await context.newCDPSession(page);
  const registered: { registrationId: string }[] = [];
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => void registered.push(...registrations));
  await session.send('ServiceWorker.enable');
  assert.equal(await ask(page, 'status()'), 'unsubscribed');
  assert.deepEqual(await subscriptions(), [], 'it asks nothing by itself');

  const contactToken = makeContactToken(service.deps.links, 'default', person.id);
  assert.equal(await ask(page, `subscribe({ contactToken: ${JSON.stringify(contactToken)} })`), 'subscribed');
  assert.equal(await ask(page, 'subscribe()'), 'subscribed');
  assert.equal(await ask(page, 'status()'), 'subscribed');
  const [first, ...others] = await subscriptions();
  assert.deepEqual([first!.status, first!.siteId, others.length], ['active', site.id, 0]);
  assert.ok(first!.timezone && first!.locale);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, 'push-subscribed.png') });

  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  const { registrationId } = await until('the worker is registered', () => registered.at(-1));
  const id = await send({ actions: [{ action: 'later', title: 'Later', url: 'https://www.example.com/later' }] });
  const payload = await deliver(one, session, registrationId);
  await until('it is shown, and reported', async () => (await message(id)).status === 'DELIVERED');
  assert.deepEqual(await notifications(worker), [
    { title: 'News', body: 'Read this', tag: String(id), actions: ['later Later'] },
  ]);
  // A repetition replaces what is shown.
  const again = { origin, registrationId, data: JSON.stringify(payload) };
  await session.send('ServiceWorker.deliverPushMessage', again);
  await until('the repetition is reported', () => reports.filter((one) => one === 'shown').length === 2);
  // What is not ours is left alone.
  for (const data of ['', 'text', '{"title":"x"}'])
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  assert.equal((await notifications(worker)).length, 1);
  await happens(worker, 'notificationclick', 'later');
  await until('the click is reported', async () => (await message(id)).clicks === 1);
  assert.deepEqual(
    (await until('it is closed', async () => ((await notifications(worker)).length === 0 ? [] : null))) ?? [],
    [],
  );

  const renewed = makeDevice(push.endpointOf('browser-2'));
  await worker.evaluate((subscription) => {
    const event = new Event('pushsubscriptionchange');
    const newSubscription = {
      endpoint: subscription.endpoint,
      toJSON: () => subscription,
    };
    self.dispatchEvent(Object.assign(event, { newSubscription, waitUntil: () => {} }));
  }, renewed.subscription);
  const [old, now] = await until('it is renewed', async () => {
    const all = await subscriptions();
    return all.length === 2 ? all : null;
  });
  assert.deepEqual([old!.status, old!.replacedBy, now!.status], ['replaced', now!.id, 'active']);
  const next = await send();
  const second = { ...one, device: renewed };
  await deliver(second, session, registrationId);
  await until('the next one is shown', async () => (await message(next)).status === 'DELIVERED');
  await happens(worker, 'notificationclose');
  await until('that it was closed is reported', () => reports.includes('closed'));

  assert.equal(await ask(page, 'unsubscribe()'), 'unsubscribed');
  await until('it is ended', async () => (await subscriptions('&status=active')).length === 0);
  assert.equal(await ask(page, 'status()'), 'unsubscribed');
  assert.deepEqual(problems, []);
  await context.close();
});

test('a worker that is not in charge of the page, and a former token that nobody knows, are no obstacles', async () => {
  const { page, context, problems } = await visit(makeDevice(push.endpointOf('browser-4')), '/aside');
  await page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('perennial-push', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('subscriptions');
    opening.onsuccess = () => {
      const kept = { id: 1, token: 'of-long-ago', endpoint: 'https://push.example.com/former' };
      const store = opening.result.transaction('subscriptions', 'readwrite').objectStore('subscriptions');
      store.put(kept, '${site.siteKey}').onsuccess = () => { opening.result.close(); resolve(); };
    };
  })`);
  assert.equal(await ask(page, 'subscribe()'), 'subscribed');
  const scope = await page.evaluate(`navigator.serviceWorker.getRegistration('/push/').then(({ scope }) => scope)`);
  assert.equal(scope, `${origin}/push/`);
  // The browser writes that a request was refused.
  assert.deepEqual(
    problems.filter((problem) => !/status of 400/.test(problem)),
    [],
  );
  await context.close();
});

test('a visitor who says no is not asked again, and nothing is told', async () => {
  const device = makeDevice(push.endpointOf('browser-3'));
  const { page, context } = await visit(device);
  await context.clearPermissions();
  const denied = await ask(page, 'subscribe()');
  assert.ok(['denied', 'unsubscribed'].includes(String(denied)), String(denied));
  const { data } = (await service.api('GET', '/channels/push/subscriptions?limit=200')).body;
  assert.ok(
    !data.some(({ endpoint }: { endpoint: string }) => endpoint === shownEndpoint(device.subscription.endpoint)),
  );
  await context.close();
});

test('the scripts are those of a site, and there are none for another key', async () => {
  for (const name of ['script', 'worker']) {
    const response = await fetch(`${scripts()}/${name}.js?v=1`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type')!, /^text\/javascript/);
    const code = await response.text();
    assert.ok(code.includes(site.siteKey) && code.includes(site.publicKey));
    assert.ok(!code.includes('privateKey'));
    const none = await fetch(`${service.url}/api/v1/channels/push/sites/${site.siteKey}x/${name}.js`);
    assert.equal(none.status, 404);
  }
});
