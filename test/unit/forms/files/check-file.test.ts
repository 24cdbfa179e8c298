import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { fileError, fileLimit, type SentFile } from '../../../../domain/forms/files/check-file.ts';
import { storedName } from '../../../../domain/forms/files/file-name.ts';
import { contradicts, endingOf, isAccepted, servedType } from '../../../../domain/forms/files/media-types.ts';

const sent = (fileName: string, mediaType: string | null, more: Partial<SentFile> = {}): SentFile => ({
  field: 'cv',
  fileName,
  mediaType,
  sha256: null,
  size: 10,
  limit: 1536,
  refused: null,
  ...more,
});

test('a name that content contradicts is an error that tells what the file is', () => {
  const wrong: [string, string, RegExp][] = [
    ['cv.pdf', 'text/html', /\.pdf.*HTML \(text\/html\)/],
    ['CV.PDF. ', 'text/plain', /\.pdf.*plain text/],
    ['me.png', 'application/x-msdownload', /\.png.*a program/],
    ['me.jpg', 'image/png', /\.jpg.*image\/png/],
    ['me.jpg', 'application/octet-stream', /unknown type/],
    ['notes.txt', 'application/x-elf', /a program/],
    ['old.zip', 'text/html', /HTML/],
    ['a.docx', 'application/vnd.ms-word.document.macroenabled.12', /docx/],
    ['a.xls', 'text/html', /HTML/],
  ];
  for (const [name, type, message] of wrong) {
    const error = fileError({ accept: null }, [sent(name, type)]);
    assert.equal(error?.code, 'file_type', name);
    assert.match(error.message, message);
  }
  const right: [string, string][] = [
    ['cv.pdf', 'application/pdf'],
    ['cv', 'text/html'],
    ['cv.unheard', 'application/x-elf'],
    ['cv.constructor', 'application/pdf'],
    ['a.JPEG', 'image/jpeg'],
    ['list.csv', 'text/plain'],
    // In Latin-1.
    ['list.csv', 'application/octet-stream'],
    ['page.txt', 'text/html'],
    ['a.doc', 'application/x-cfb'],
    ['a.docx', 'application/zip'],
    ['a.zip', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['song.mp3', 'application/octet-stream'],
  ];
  for (const [name, type] of right) assert.equal(fileError({ accept: null }, [sent(name, type)]), null, name);
});

test('only what a field accepts is taken, by any name of its type', () => {
  const cases: [string[], string, boolean][] = [
    [['application/pdf', 'image/*'], 'application/pdf', true],
    [['application/pdf', 'image/*'], 'image/webp', true],
    [['image/*'], 'imagex/png', false],
    [['image/png'], 'image/jpeg', false],
    [['image/jpg'], 'image/jpeg', true],
    [['text/csv'], 'text/plain', true],
    [['text/*'], 'text/html', true],
    [['text/plain'], 'text/html', false],
    [['text/html'], 'text/plain', false],
    [['application/msword'], 'application/x-cfb', true],
    [['application/zip'], 'application/pdf', false],
  ];
  for (const [accept, type, isTaken] of cases)
    assert.equal(isAccepted(accept, type), isTaken, `${accept.join()} ${type}`);
  assert.deepEqual(fileError({ accept: ['application/pdf', 'image/*'] }, [sent('x', 'text/plain')]), {
    code: 'file_type',
    message: 'is plain text (text/plain); accepted are application/pdf, image/*',
  });
  assert.equal(fileError({ accept: [] }, [sent('x', 'text/plain')]), null);
});

test('one file within the limit, which is the lower of two', () => {
  assert.deepEqual(fileError({}, [sent('a', null, { refused: 'too_large' })]), {
    code: 'too_large',
    message: 'is larger than 1.5 KiB',
  });
  const two = [sent('a', 'text/plain'), sent('b', null, { refused: 'too_many' })];
  assert.equal(fileError({}, two)?.code, 'too_many');
  assert.equal(fileError({}, []), null);
  assert.deepEqual([fileLimit({ maxBytes: 5 }, 10), fileLimit({ maxBytes: 50 }, 10), fileLimit({}, 10)], [5, 10, 10]);
});

test('names show what they are', () => {
  assert.equal(storedName('invoice\u202egnp.exe'), 'invoicegnp.exe');
  assert.equal(storedName(' \u200b\ufeff '), 'file');
  assert.deepEqual(['a.tar.GZ', 'a', '.', 'a.exe. .', 'a.p d', '.pdf'].map(endingOf), ['gz', '', '', 'exe', '', 'pdf']);
  assert.equal(contradicts('__proto__', 'text/html'), false);
});

test('what could be run is served as bytes', () => {
  for (const type of [
    'text/html',
    'image/svg+xml',
    'application/xml',
    'application/xhtml+xml',
    'application/javascript',
    'application/x-msdownload',
    'application/java-vm',
    'application/x-shockwave-flash',
  ])
    assert.equal(servedType(type), 'application/octet-stream', type);
  for (const type of [
    'application/pdf',
    'image/png',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ])
    assert.equal(servedType(type), type);
  assert.equal(servedType('text/plain'), 'text/plain; charset=utf-8');
});
