import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { clientOutputs } from '../../../clients/outputs.ts';
import { routes } from '../../../api/routes.ts';

const folder = join(import.meta.dirname, '../../../clients');

test('the committed clients are those of the API as it is: run `npm run clients`', async () => {
  for (const [path, text] of Object.entries(await clientOutputs())) {
    assert.ok(
      (await readFile(join(folder, path), 'utf8').catch(() => '')) === text,
      `clients/${path} is not what the API describes`,
    );
  }
});

interface Item {
  name: string;
  item?: Item[];
  request?: { method: string; url: { raw: string; host: string[]; path: string[] }; auth?: { type: string } };
}

test('the Postman collection has a folder for each area, every operation once, and no address of its own', async () => {
  const collection = JSON.parse(await readFile(join(folder, 'postman/perennial.postman_collection.json'), 'utf8')) as {
    info: { schema: string };
    variable: { key: string }[];
    auth: object;
    item: Item[];
  };
  assert.match(collection.info.schema, /v2\.1\.0/);
  assert.deepEqual(
    collection.variable.map(({ key }) => key),
    ['baseUrl', 'token'],
  );
  assert.deepEqual(
    collection.item.map(({ name }) => name),
    [
      'auth',
      'contacts',
      'segments',
      'emails',
      'campaigns',
      'forms',
      'scoring',
      'analytics',
      'channels',
      'webhooks',
      'system',
    ],
  );
  const requests = collection.item.flatMap(({ item = [] }) => item.map(({ request }) => request!));
  assert.deepEqual(
    requests.map(({ method, url }) => `${method} /${url.path.join('/')}`).sort(),
    routes
      .map(
        ({ method, path }) =>
          `${method} ${(path.startsWith('//') ? path.slice(1) : `/api/v1${path}`).replaceAll(/\{(\w+)\}/g, ':$1')}`,
      )
      .sort(),
  );
  for (const { url } of requests)
    assert.ok(url.raw.startsWith('{{baseUrl}}/') && url.host[0] === '{{baseUrl}}', url.raw);
  assert.equal(
    requests.filter(({ auth }) => auth?.type === 'noauth').length,
    routes.filter(({ access, accessWithToken }) => access === 'public' && !accessWithToken).length,
  );
});
