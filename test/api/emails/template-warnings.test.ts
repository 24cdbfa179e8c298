import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  for (const [entity, name] of [
    ['contact', 'plan'],
    ['company', 'tier'],
  ])
    await service.api('POST', '/contacts/custom-fields', { entity, name, type: 'string' });
});
afterAll(() => service.stop());

const PATH = '/emails/templates';
const letter = { name: 'Letter', subject: 'Hello', content: '<p>Hello</p>' };
async function saved(fields: object) {
  const answer = await service.api('POST', PATH, { ...letter, ...fields });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

test('an unknown variable is told with its place and the nearest known one, when saved and previewed', async () => {
  const template = await saved({
    subject: 'Hello {{frstName}}',
    content: '<p>Hello\n {{ contact.lastname }} {{customFields.plann}} {{qqqqqqqq}} {{first_name}}</p>',
  });
  const expected = [
    ['/subject', 1, 'frstName', 'firstName'],
    ['/content', 2, 'contact.lastname', 'contact.lastName'],
    ['/content', 2, 'customFields.plann', 'customFields.plan'],
    ['/content', 2, 'qqqqqqqq', null],
    ['/content', 2, 'first_name', 'firstName'],
  ].map(([path, line, written, meant]) => [
    path,
    line,
    'unknown_variable',
    `{{${written}}} is not a known variable and prints nothing${meant ? `; did you mean {{${meant}}}?` : ''}`,
  ]);
  const told = (warnings: { path: string; line: number; column: number; code: string; message: string }[]) =>
    warnings.map(({ path, line, code, message }) => [path, line, code, message]);
  assert.deepEqual(told(template.warnings), expected);
  assert.deepEqual(
    template.warnings.map(({ column }: { column: number }) => column),
    [9, 5, 27, 50, 63],
  );
  const preview = await service.api('POST', `${PATH}/${template.id}/preview`, {});
  assert.deepEqual(told(preview.body.warnings), expected);
  // What was answered can be put back, and a correction takes the warnings away.
  const again = await service.api('PUT', `${PATH}/${template.id}`, template);
  assert.deepEqual([again.status, told(again.body.warnings)], [200, expected], JSON.stringify(again.body));
  const better = await service.api('PUT', `${PATH}/${template.id}`, letter);
  assert.deepEqual([better.status, better.body.warnings], [200, []]);
});

test('an empty subject and content without text are told', async () => {
  const { warnings } = await saved({
    subject: '{{firstName}}',
    content: '<p><img src="https://example.com/a.png"></p>',
  });
  assert.deepEqual(
    warnings.map(({ path, line, column, code }: Record<string, unknown>) => [path, line, column, code]),
    [
      ['/subject', 1, 1, 'empty_subject'],
      ['/content', 1, 1, 'no_text'],
    ],
  );
  assert.deepEqual((await saved({ content: '<img src="https://example.com/a.png">', text: 'A picture' })).warnings, []);
});

test('every variable that is listed is known, in every form that Liquid has for it', async () => {
  const { status, body } = await service.api('GET', `${PATH}/variables`);
  assert.equal(status, 200);
  const names = (body.data as { name: string; description: string }[]).map(({ name }) => name);
  for (const name of [
    ...['firstName', 'company', 'company.domain', 'customFields.plan', 'company.customFields.tier', 'data'],
    ...['unsubscribeUrl', 'preferencesUrl', 'webViewUrl', 'contactToken', 'formUrl: 1'],
  ])
    assert.ok(names.includes(name), name);
  assert.ok((body.data as { description: string }[]).every(({ description }) => description.length > 5));
  const content = `${names.map((name) => `{{${name}}}`).join(' ')}
    {% assign greeting = firstName | default: "there" %}{{greeting}} {{data.order.items[0].name}} {{contact.firstName}}
    {% for tag in tags %}{{tag}} {{forloop.index}}{% endfor %} {% if customFields.plan == "gold" %}gold{% endif %}`;
  assert.deepEqual((await saved({ content })).warnings, []);
});

test('a long template is saved as fast as it is checked: what it repeats is looked at once, and places are right', async () => {
  const repeated = `<p>${'Hello\n {{- firstName -}} \n{{frstName}} {{ frstName }}'.repeat(500)}</p>`;
  const { warnings } = await saved({
    content: `${repeated}{% comment %}{{x}}{% endcomment %}{% raw %}{{y}}{% endraw %}\n{{z}}`,
  });
  const places = (warnings as { message: string; line: number; column: number }[]).map(({ message, line, column }) => [
    /\{\{(\w+)/.exec(message)![1],
    line,
    column,
  ]);
  assert.deepEqual(places, [
    ['frstName', 3, 3],
    ['frstName', 3, 17],
    ['z', 1_002, 3],
  ]);
});
