import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from '@jest/globals';
import { segmentText } from '../../../domain/channels/content/segments.ts';

/**
 * Counts again from the tables of 3GPP TS 23.038: the default alphabet by its codes 0x00 to 0x7F (6.2.1), the extension
 * table (6.2.1.1), and 140 octets a segment, six of which a header of several takes (3GPP TS 23.040, 9.2.3.24.1).
 */
const COUNTER = `
import json, sys
ALPHABET = (
    "@\\u00a3$\\u00a5\\u00e8\\u00e9\\u00f9\\u00ec\\u00f2\\u00c7\\n\\u00d8\\u00f8\\r\\u00c5\\u00e5"
    "\\u0394_\\u03a6\\u0393\\u039b\\u03a9\\u03a0\\u03a8\\u03a3\\u0398\\u039e\\x1b\\u00c6\\u00e6\\u00df\\u00c9"
    " !\\"#\\u00a4%&'()*+,-./0123456789:;<=>?"
    "\\u00a1ABCDEFGHIJKLMNOPQRSTUVWXYZ\\u00c4\\u00d6\\u00d1\\u00dc\\u00a7"
    "\\u00bfabcdefghijklmnopqrstuvwxyz\\u00e4\\u00f6\\u00f1\\u00fc\\u00e0")
assert len(ALPHABET) == 128
ESCAPED = {0x0a: "\\f", 0x14: "^", 0x28: "{", 0x29: "}", 0x2f: "\\\\", 0x3c: "[", 0x3d: "~", 0x3e: "]", 0x40: "|", 0x65: "\\u20ac"}
CODE = {c: bytes([n]) for n, c in enumerate(ALPHABET) if n != 0x1b}
CODE.update({c: bytes([0x1b, n]) for n, c in ESCAPED.items()})
def count(text):
    if all(c in CODE for c in text):
        encoding, bits, parts = "GSM-7", 7, [CODE[c] for c in text]
        sizes = [len(p) for p in parts]
    else:
        encoding, bits = "UCS-2", 16
        sizes = [len(c.encode("utf-16-be")) // 2 for c in text]
    if sum(sizes) * bits <= 140 * 8:
        return [encoding, sum(sizes), min(1, len(sizes))]
    room, segments, free = 134 * 8 // bits, 0, 0
    for size in sizes:
        if size > free:
            segments, free = segments + 1, room
        free -= size
    return [encoding, sum(sizes), segments]
json.dump([count(text) for text in json.load(sys.stdin)], sys.stdout)
`;

/** Numbers that are the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ALPHABETS = [
  'abc XYZ 019',
  'àèéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñü@£$¥\n\r"#%&\'',
  '\f^{}\\[~]|€x',
  'ç`áŝжя中あ한',
  '“”‘’–—…•«»\u00a0',
  '🎉🚲👩‍👩‍👧🇩🇪e\u0301',
];

test('10,000 texts have the encoding and the segments that the tables of the standard give them', () => {
  const random = randomNumbers(20_261_126);
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)]!;
  const texts = Array.from({ length: 10_000 }, (_, index) => {
    // A fifth mixes all alphabets; a fifth needs smart encoding only; a fifth is around the sizes of full segments.
    const mixed = index % 5 === 0 ? ALPHABETS.join('') : ALPHABETS.slice(0, 1 + (index % 6)).join('');
    const alphabet = [...(index % 5 === 2 ? ALPHABETS[0]! + ALPHABETS[4]! : mixed)];
    const full = pick(['70', '134', '160', '306', '459', '670', '1530']);
    const length = index % 5 === 1 ? Number(full) - 3 + Math.floor(random() * 6) : Math.floor(random() * 400);
    return Array.from({ length }, () => pick(alphabet)).join('');
  });
  // What smart encoding made of a text is counted by the same tables.
  const plain = texts.map((text) => segmentText(text, false)!);
  const smart = texts.map((text) => segmentText(text, true)!);
  const counted = JSON.parse(
    execFileSync('python3', ['-c', COUNTER], {
      input: JSON.stringify([...texts, ...smart.map(({ text }) => text)]),
      maxBuffer: 2 ** 28,
      encoding: 'utf8',
    }),
  ) as [string, number, number][];
  assert.equal(counted.length, 20_000);
  for (const [index, ours] of [...plain, ...smart].entries()) {
    const [encoding, size, segments] = counted[index]!;
    assert.deepEqual([ours.encoding, ours.segments], [encoding, segments], JSON.stringify(ours.text));
    if (encoding === 'GSM-7') assert.equal(ours.characters, size);
    assert.equal(ours.ucs2Because.length > 0, encoding === 'UCS-2');
  }
  const kinds = new Set(counted.map(([encoding, , segments]) => `${encoding} ${Math.min(segments, 11)}`));
  assert.ok(kinds.size >= 15, `texts of ${kinds.size} kinds`);
  const improved = smart.filter(({ encoding }, index) => encoding !== plain[index]!.encoding);
  assert.ok(improved.length > 1_500, `smart encoding helped ${improved.length} texts`);
});

test('smart encoding changes nothing that needs UCS-2 nevertheless, and no letter', () => {
  const shown = (text: string) => {
    const { text: sent, ucs2Because } = segmentText(text, true)!;
    return [sent, ucs2Because];
  };
  assert.deepEqual(shown('“Oui” – 12\u202f€…'), ['"Oui" - 12 €...', []]);
  assert.deepEqual(shown('“はい”。'), ['“はい”。', ['は', 'い']]);
  assert.deepEqual(shown('n\u0303'), ['ñ', []]);
  assert.deepEqual(shown('q\u0303'), ['q\u0303', ['q\u0303']]);
});

test('marks heaped on one letter take the room that they take', () => {
  const { characters, segments } = segmentText(`a${'\u0301'.repeat(700)}`, true)!;
  assert.deepEqual([characters, segments], [1, 11]);
});
