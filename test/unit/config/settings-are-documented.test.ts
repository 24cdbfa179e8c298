import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from '@jest/globals';
import { envSettings } from '../../../config/env-schema.ts';
import { secretSettings } from '../../../config/env.ts';

const root = new URL('../../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

test('docs/settings.md has every setting with its default and meaning, and no other', () => {
  const rows = [...read('docs/settings.md').matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*) \|$/gm)].map(
    ([, name, fallback, meaning]) => [name, fallback, meaning],
  );
  const expected = Object.entries(envSettings).map(([name, setting]) => {
    const { default: value, description } = setting as { default?: string | number | boolean; description?: string };
    return [name, value === undefined ? 'none, required' : value === '' ? '' : `\`${String(value)}\``, description];
  });
  assert.deepEqual(rows, expected);
});

test('docs/settings.md names the settings that may come from a file', () => {
  const [, names = ''] =
    /^A setting with a secret in it may be in a file.*\): (.*)\.$/m.exec(read('docs/settings.md')) ?? [];
  assert.equal(names, secretSettings.map((name) => `\`${name}\``).join(', '));
});

test('.env.example names every setting, and sets none', () => {
  const text = read('.env.example');
  const names = [...text.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name);
  assert.deepEqual(names, Object.keys(envSettings));
  assert.ok(text.split('\n').every((line) => line === '' || line.startsWith('#')));
});
