import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { ONE_LINE } from '../../../lib/checks/schema-check.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** They turn the direction of what stands beside them: an override, an embedding, an isolate, and their ends. */
const TURNING = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
/** They end a line or a paragraph, without being control characters. */
const ENDING = [0x2028, 0x2029];
const MESSAGE = 'must not contain control characters, line breaks or characters that turn the direction of text';

test('a name holds nothing that turns the direction of text or ends its line, whatever it names', async () => {
  const letter = { subject: 's', content: '<p>c</p>' };
  const { body: template } = await service.api('POST', '/emails/templates', { name: 'T', ...letter });
  const { body: list } = await service.api('POST', '/contacts/lists', { name: 'L' });
  const site = { origins: ['https://www.example.com'], subject: 'mailto:web@example.com' };
  const provider = { channel: 'sms', type: 'http', config: { url: 'https://example.com/', body: { to: '{{to}}' } } };
  const device = { type: 'fcm', contactId: 1, token: 'x'.repeat(50) };
  const of = (name: string): [path: string, body: object, at: string][] => [
    ['/contacts/companies', { name }, '/name'],
    ['/contacts', { firstName: 'A', lastName: 'B', email: 'a@example.com', company: name }, '/company'],
    ['/contacts/lists', { name }, '/name'],
    ['/emails/senders', { email: 'sender@example.com', name }, '/name'],
    ['/emails/templates', { ...letter, name }, '/name'],
    ['/emails/templates', { ...letter, name: 'T', fromName: name }, '/fromName'],
    [
      '/emails/campaigns',
      {
        name: 'C',
        segmentId: list.id,
        variants: [name, 'B'].map((one) => ({ name: one, templateId: template.id, weight: 1 })),
      },
      '/variants/0/name',
    ],
    ['/channels/templates', { channel: 'sms', name, body: 'b' }, '/name'],
    ['/channels/push/sites', { ...site, name }, '/name'],
    ['/channels/providers', { ...provider, name }, '/name'],
    ['/channels/push/subscriptions', { ...device, platform: name }, '/platform'],
    ['/campaigns', { name, steps: [] }, '/name'],
    ['/forms', { name, fields: [{ name: 'email', label: 'E', type: 'email' }] }, '/name'],
  ];
  for (const code of [...TURNING, ...ENDING])
    for (const [path, body, at] of of(`a${String.fromCodePoint(code)}b`)) {
      const answer = await service.api('POST', path, body);
      assert.equal(answer.status, 400, `${path} ${at}: ${JSON.stringify(answer.body)}`);
      const found = answer.body.errors.filter((error: { path: string }) => error.path === at);
      assert.deepEqual(
        found,
        [{ path: at, code: 'invalid_character', message: MESSAGE }],
        `${path}: ${JSON.stringify(answer.body.errors)}`,
      );
    }
  for (const [path, body, at] of of(' ').filter(([path]) => /push|providers/.test(path))) {
    const { errors } = (await service.api('POST', path, body)).body;
    const found = errors.filter((error: { path: string }) => error.path === at);
    assert.deepEqual(found, [{ path: at, code: 'invalid_character', message: 'must not be blank' }], path);
  }
  const plain = await service.api('POST', '/contacts/companies', { name: '\u200eשלום Ltd' });
  assert.equal(plain.status, 201, JSON.stringify(plain.body));
});

test('the pattern of names is demanded of what is given, not of what is answered', async () => {
  const { body: api } = await service.api('GET', '/openapi.json');
  interface Schema {
    $ref?: string;
    [key: string]: unknown;
  }
  /** Whether a schema, or one that it refers to, demands the pattern. */
  const demands = (schema: unknown, seen = new Set<string>()): boolean => {
    if (typeof schema !== 'object' || schema === null) return false;
    const { $ref, ...rest } = schema as Schema;
    if (rest['pattern'] === ONE_LINE) return true;
    if ($ref && !seen.has($ref)) {
      seen.add($ref);
      const [, , part, name] = $ref.split('/') as [string, string, string, string];
      if (demands(api.components[part][name], seen)) return true;
    }
    return Object.values(rest).some((one) => demands(one, seen));
  };
  const given: string[] = [];
  for (const [path, methods] of Object.entries(api.paths as Record<string, Record<string, Record<string, unknown>>>))
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      assert.equal(demands(responses), false, `${method} ${path} answers names of a pattern`);
      if (demands(requestBody)) given.push(`${method} ${path}`);
    }
  for (const one of ['post /contacts/companies', 'put /forms/{id}', 'post /emails/templates'])
    assert.ok(
      given.some((name) => name.endsWith(one) || name.replace('/api/v1', '') === one),
      `${one} does not demand it: ${given.join(', ')}`,
    );
});
