import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { pushing, newBrowser } from '../../support/channels/pushing.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const SITE = { name: 'Website', origins: ['https://www.example.com'], subject: 'mailto:web@example.com' };

test('a site has a key pair of its own, of which the private half is never shown', async () => {
  const made = await service.api('POST', '/channels/push/sites', SITE);
  assert.equal(made.status, 201);
  const { id, siteKey, publicKey } = made.body;
  assert.equal(made.headers.get('location'), `/api/v1/channels/push/sites/${id}`);
  assert.deepEqual(Object.keys(made.body).sort(), [
    ...['createdAt', 'defaultUrl', 'iconUrl', 'id', 'name', 'origins', 'publicKey', 'siteKey', 'subject', 'tenantId'],
    ...['updatedAt', 'version'],
  ]);
  const point = Buffer.from(publicKey, 'base64url');
  assert.deepEqual([point.length, point[0]], [65, 4]);
  const other = await service.api('POST', '/channels/push/sites', SITE);
  assert.notEqual(other.body.publicKey, publicKey);
  assert.notEqual(other.body.siteKey, siteKey);

  const put = await service.api('PUT', `/channels/push/sites/${id}`, { ...made.body, name: 'Shop', iconUrl: null });
  assert.equal(put.status, 200, JSON.stringify(put.body));
  assert.deepEqual([put.body.name, put.body.version, put.body.publicKey], ['Shop', 2, publicKey]);
  const list = await service.api('GET', '/channels/push/sites?sort=name');
  assert.deepEqual(
    list.body.data.map((site: { name: string }) => site.name),
    ['Shop', 'Website'],
  );
  assert.deepEqual(list.body.data[0], (await service.api('GET', `/channels/push/sites/${id}`)).body);
  const audit = await service.api('GET', '/auth/audit-log?limit=10');
  assert.ok(!JSON.stringify(audit.body).includes('privateKey'));
});

test('what is fixed cannot be changed, and a stale version changes nothing', async () => {
  const site = await pushing(service).makeSite();
  const path = `/channels/push/sites/${site.id}`;
  const keyed = await service.api('PUT', path, { siteKey: 'mine', publicKey: 'mine', subject: 'nobody' });
  assert.equal(keyed.status, 400);
  assert.deepEqual(
    keyed.body.errors.map((error: { path: string; code: string }) => `${error.path} ${error.code}`).sort(),
    ['/publicKey read_only', '/siteKey read_only', '/subject format'],
  );
  const stale = await service.api('DELETE', path, undefined, { headers: { 'if-match': '"7"' } });
  assert.equal(stale.status, 412);
  assert.equal((await service.api('GET', path)).status, 200);
});

test.each([
  [{ ...SITE, origins: [] }, ['/origins']],
  [{ ...SITE, origins: ['http://www.example.com'] }, ['/origins/0']],
  [
    { ...SITE, origins: ['https://www.example.com/', 'https://a.example/path', '*', 'null'] },
    [0, 1, 2, 3].map((n) => `/origins/${n}`),
  ],
  [{ ...SITE, origins: ['https://a.example', 'https://a.example'] }, ['/origins/1']],
  [{ ...SITE, origins: ['https://user@a.example', 'http://localhost.example'] }, ['/origins/0', '/origins/1']],
  [{ ...SITE, origins: Array.from({ length: 21 }, (_, n) => `https://a${n}.example`) }, ['/origins']],
  [{ ...SITE, subject: 'web@example.com' }, ['/subject']],
  [{ ...SITE, subject: 'http://example.com' }, ['/subject']],
  [
    { ...SITE, name: ' ', iconUrl: 'javascript:alert(1)', defaultUrl: 'data:text/html,x' },
    ['/defaultUrl', '/iconUrl', '/name'],
  ],
  [{ name: 'x' }, ['/origins', '/subject']],
  [{ ...SITE, privateKey: 'mine' }, ['/privateKey']],
])('refuses %j', async (body, paths) => {
  const answer = await service.api('POST', '/channels/push/sites', body);
  assert.equal(answer.status, 400, JSON.stringify(answer.body));
  assert.deepEqual(answer.body.errors.map(({ path }: { path: string }) => path).sort(), paths);
});

test('localhost may be an origin without TLS, with any port', async () => {
  const origins = ['http://localhost', 'http://localhost:8080', 'https://[::1]:8443'];
  const { status } = await service.api('POST', '/channels/push/sites', { ...SITE, origins });
  assert.equal(status, 201);
});

test('with a site its keys are gone, and so are its subscriptions', async () => {
  const { makeSite, subscribe } = pushing(service);
  const site = await makeSite();
  const { body } = await subscribe(site, newBrowser());
  assert.equal((await service.api('DELETE', `/channels/push/sites/${site.id}`)).status, 204);
  assert.equal((await service.api('GET', `/channels/push/sites/${site.id}`)).status, 404);
  const { data } = (await service.api('GET', '/channels/push/subscriptions')).body;
  const found = data.find(({ id }: { id: number }) => id === body.id);
  assert.deepEqual([found.status, found.siteId], ['gone', null]);
  assert.equal((await subscribe(site, newBrowser())).status, 404);
});
