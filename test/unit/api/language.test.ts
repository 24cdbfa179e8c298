import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { preferredLanguage } from '../../../api/pages/language.ts';
import { PAGE_TEXTS } from '../../../api/emails/pages/texts.ts';
import { LANGUAGES, languageOf } from '../../../lib/text/languages.ts';

const cases: Record<string, string> = {
  '': 'en',
  '*': 'en',
  de: 'de',
  DE: 'de',
  'de-AT': 'de',
  'de-Latn-AT-1996': 'de',
  'pt-BR,pt;q=0.9,en;q=0.8': 'pt',
  // The best quality wins, wherever it stands.
  'en;q=0.2, fr;q=0.9, de;q=0.5': 'fr',
  'en;q=0.001,pl;q=0.01': 'pl',
  'es ; q=0.7 , en ; q=0.3': 'es',
  'fr;q=1.000, de;q=0.999': 'fr',
  // Alike: in the order named, and a name before `*`.
  'pl, de': 'pl',
  'de-AT, en': 'de',
  '*, es': 'es',
  // What we do not speak is passed over; where nothing fits it is English.
  'ja, zh-TW;q=0.9': 'en',
  'ja, fr;q=0.1': 'fr',
  'nl, *;q=0.5': 'en',
  'i-klingon, de;q=0.4': 'de',
  'deu, fr;q=0.2': 'fr',
  // `*` is any other language, and 0 refuses one.
  'en;q=0, *': 'de',
  'en;q=0.1, *;q=0.5': 'de',
  'fr;q=0, de;q=0.3': 'de',
  'de;q=0': 'en',
  '*;q=0, pl;q=0.2': 'pl',
  '*;q=0': 'en',
  // What is no list of ranges is not looked at.
  'de;q=2, fr;q=0.1': 'fr',
  'de;q=, pl;q=0.1': 'pl',
  'de;level=1, es': 'es',
  ',,;q=1,': 'en',
  'de_AT, fr;q=0.5': 'fr',
  '\u0000': 'en',
};

test('Accept-Language is read by its qualities', () => {
  for (const [header, language] of Object.entries(cases)) assert.equal(preferredLanguage(header), language, header);
});

test('a header of any length is read in no time that grows faster than it', () => {
  assert.equal(preferredLanguage(`${'x-'.repeat(8000)}, fr`), 'fr');
  assert.equal(preferredLanguage(`${'de ;'.repeat(4000)}, fr`), 'fr');
});

test('a tag stands for a language of ours by its first part', () => {
  assert.deepEqual(['de-AT', ' PT ', 'zh-Hant', '', 'english'].map(languageOf), ['de', 'pt', null, null, null]);
});

test('every text is there in every language, and in no two the same sentence', () => {
  const textsOf = (value: object, path = ''): [string, string][] =>
    Object.entries(value).flatMap(([key, one]: [string, unknown]) =>
      typeof one === 'string' ? [[`${path}${key}`, one] as [string, string]] : textsOf(one as object, `${path}${key}.`),
    );
  const english = textsOf(PAGE_TEXTS.en);
  for (const language of LANGUAGES) {
    const texts = textsOf(PAGE_TEXTS[language]);
    assert.deepEqual(
      texts.map(([key]) => key),
      english.map(([key]) => key),
    );
    for (const [key, text] of texts) assert.ok(text.trim() !== '' && !/[<>&"]/.test(text), `${language} ${key}`);
    if (language !== 'en')
      assert.deepEqual(
        texts.filter(([, text], n) => text === english[n]![1]),
        [],
        language,
      );
  }
});
