import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { readEmail, readName, readUsername } from '../../../domain/accounts/account.ts';

const codeOf = (read: object | string) => (typeof read === 'object' && 'code' in read ? read.code : read);

test('a username keeps its case and is compared without', () => {
  assert.deepEqual(readUsername(' Ada.Byron-1815 ', undefined), {
    username: 'Ada.Byron-1815',
    usernameKey: 'ada.byron-1815',
  });
  assert.deepEqual(
    readUsername('Ａｄａ', undefined),
    { username: 'Ada', usernameKey: 'ada' },
    'full width is the same name',
  );
  assert.deepEqual(readUsername('Straße', undefined), { username: 'Straße', usernameKey: 'straße' });
});

test('a username with an @ is the email or nothing', () => {
  assert.deepEqual(readUsername('Ada@Example.com', 'ada@example.com'), {
    username: 'Ada@Example.com',
    usernameKey: 'ada@example.com',
  });
  assert.deepEqual(readUsername('ada@bücher.example', 'ada@xn--bcher-kva.example'), {
    username: 'ada@bücher.example',
    usernameKey: 'ada@xn--bcher-kva.example',
  });
  for (const [name, email] of [
    ['ada@example.org', 'ada@example.com'],
    ['ada@', 'ada@example.com'],
    ['a@b', undefined],
    ['ada@example.com', undefined],
  ] as const) {
    assert.equal(codeOf(readUsername(name, email)), 'format', name);
  }
});

test('a username has one to fifty letters, digits and a few signs', () => {
  assert.equal(typeof readUsername('a'.repeat(50), undefined), 'object');
  assert.equal(codeOf(readUsername('a'.repeat(51), undefined)), 'too_long');
  assert.equal(codeOf(readUsername('İ'.repeat(26), undefined)), 'too_long', 'its key is longer than it');
  for (const name of ['', ' ', 'a b', '.a', '-a', '+a', 'a/b', 'a\u0000', 'a\u202eb', '😀', 'a\tb'])
    assert.equal(codeOf(readUsername(name, undefined)), 'format', JSON.stringify(name));
  for (const name of ['admin\ufe0f', 'ad\u034fmin', '\u3164', 'admin\u17b4'])
    assert.equal(codeOf(readUsername(name, undefined)), 'format', `nobody sees ${JSON.stringify(name)}`);
  for (const name of ['_', 'a', '李', '7', 'a.b_c-d+e'])
    assert.ok('usernameKey' in (readUsername(name, undefined) as object), name);
});

test('an email keeps its spelling, is compared without case, and has at most a hundred characters', () => {
  assert.deepEqual(readEmail(' Ada@EXAMPLE.com '), { email: 'Ada@EXAMPLE.com', emailKey: 'ada@example.com' });
  const long = (length: number) => `${'a'.repeat(60)}@${'b'.repeat(length - 61 - 12)}.example.com`;
  assert.equal([...long(100)].length, 100);
  assert.ok('emailKey' in readEmail(long(100)));
  assert.equal(codeOf(readEmail(long(101))), 'too_long');
  for (const email of ['', 'x', '@x', 'a@b', 'a b@example.com'])
    assert.equal(codeOf(readEmail(email)), 'invalid_email', email);
});

test('a name is trimmed, at most a hundred characters, and holds no control characters', () => {
  assert.equal(readName(' Zoë '), 'Zoë');
  assert.equal(readName('x'.repeat(100)), 'x'.repeat(100));
  assert.deepEqual(
    ['', '  ', 'x'.repeat(101), 'a\u0007b'].map((name) => codeOf(readName(name))),
    ['required', 'required', 'too_long', 'invalid_character'],
  );
});
