import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { templateShapes } from '../../support/attacks/body-shapes.ts';
import { startWatched, type Request, type Watched } from '../../support/attacks/standing-still.ts';

let watched: Watched;
beforeAll(async () => {
  watched = await startWatched();
});
afterAll(() => watched.stop());

const plain = { name: 'Shape', subject: 'S', content: '<p>C</p>' };
const json = (what: string, method: string, path: string, body: object): Request => ({
  what,
  method,
  path: `/api/v1${path}`,
  body: JSON.stringify(body),
  type: 'application/json',
});
/** Costs nothing by itself, and much with its data. */
const SORTED =
  '<p>{% for a in data.list %}{% assign b = data.text | split: "" | sort_natural | uniq | sort %}{{ b }}{% endfor %}</p>';
const data = { list: Array.from({ length: 50 }, (_, n) => n), text: 'ab'.repeat(2 ** 16) };

for (const part of ['subject', 'content', 'text', 'previewText']) {
  test(`no ${part} of a template makes the process stand still when it is saved`, async () => {
    await watched.check(
      Object.entries(templateShapes).map(([what, text]) =>
        json(what, 'POST', '/emails/templates', { ...plain, [part]: text }),
      ),
    );
  });
}

test('nor does one with every part of such a shape, be it new or a change', async () => {
  const {
    body: { id },
  } = await watched.service.api('POST', '/emails/templates', plain);
  const all = Object.entries(templateShapes)
    .filter(([, text]) => text.length < 900_000)
    .map(([what, text]) => [what, { subject: text, content: text, text, previewText: text }] as const);
  // A name that is wrong as well has the rest judged for the list of what is wrong.
  await watched.check(
    all.flatMap(([what, parts]) => [
      json(what, 'PUT', `/emails/templates/${id}`, parts),
      json(`${what}, no name`, 'PUT', `/emails/templates/${id}`, { ...parts, name: ' ' }),
    ]),
  );
});

test('nor does a preview or the web view of one that costs much only with its data', async () => {
  const {
    body: { id },
  } = await watched.service.api('POST', '/emails/templates', {
    ...plain,
    subject: SORTED,
    content: SORTED,
    text: SORTED,
    previewText: SORTED,
  });
  const {
    status,
    body: { emailId },
  } = await watched.service.api('POST', '/emails/send', { templateId: id, to: 'view@example.com', data });
  assert.equal(status, 202);
  await engineEm(watched.service.deps.orm).transactional((tx) =>
    rows(tx, sql`update emails set content_version = 1 where id = ${emailId}`),
  );
  const view: Request = {
    what: 'the web view',
    method: 'GET',
    path: `/api/v1/emails/view/${watched.service.deps.links.emailToken('view', emailId)}`,
  };
  await watched.check([json('preview', 'POST', `/emails/templates/${id}/preview`, { data }), view]);
  assert.equal(await watched.send(view), 422);
});

test('what costs little is judged and shown as it is', async () => {
  const {
    status,
    body: { id },
  } = await watched.service.api('POST', '/emails/templates', {
    ...plain,
    content: `<p>${'Hello {{firstName}}. '.repeat(5_000)}</p>`,
  });
  assert.equal(status, 201);
  const shown = await watched.service.api('POST', `/emails/templates/${id}/preview`, {});
  assert.deepEqual(
    [shown.status, shown.body.subject, shown.body.html.startsWith('<p>Hello . Hello')],
    [200, 'S', true],
  );
});
