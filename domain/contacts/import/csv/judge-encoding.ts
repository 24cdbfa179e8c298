import { detectAll } from 'jschardet';
import type { Violation } from '../../../../lib/checks/violation.ts';
import type { CsvEncoding, CsvHead } from './encoding.ts';

/**
 * The encodings in which programs save CSV when it is not Unicode; of two in which the text is the same, the first is
 * taken.
 */
const ENCODINGS: readonly CsvEncoding[] = [
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'shift_jis',
  'gbk',
  'big5',
  'euc-kr',
  'euc-jp',
  'windows-1253',
  'windows-1254',
  'windows-1257',
  'windows-1255',
  'windows-1256',
  'iso-8859-2',
];

/** The names of jschardet for them where they differ. */
const OTHER_NAMES: Record<string, CsvEncoding> = {
  cp932: 'shift_jis',
  gb18030: 'gbk',
  gb2312: 'gbk',
  cp949: 'euc-kr',
  'iso-8859-1': 'windows-1252',
  'iso-8859-7': 'windows-1253',
  'iso-8859-9': 'windows-1254',
  'iso-8859-13': 'windows-1257',
};

const NOT_ASCII = /[^\x00-\x7f]/;
/** How many bytes of lines with characters that are not ASCII are judged: enough, and fast. */
const SAMPLE_BYTES = 16 * 1024;
/** An encoding whose text differs must be this much less likely than the one that is taken. */
const MARGIN = 0.95;

interface Candidate {
  readonly encoding: CsvEncoding;
  readonly text: string;
  readonly confidence: number;
  /** How many cells of the header are known words. */
  readonly known: number;
}

/**
 * Judges in which encoding a text is that is neither ASCII nor Unicode. First excludes those in which it would not be
 * words; a header that is known in one of the others decides, else the statistics of jschardet. If all are excluded, the
 * text is broken UTF-8, as it is if hardly any byte is odd and nothing tells. Violation: `unknown_encoding` if two that
 * differ are about as likely.
 */
export function judgeEncoding(head: CsvHead, isKnownHeader: (text: string) => boolean): CsvEncoding | Violation {
  const sample = sampleOf(head);
  const confidences = new Map<string, number>();
  for (const { encoding, confidence } of detectAll(sample)) {
    const name = encoding?.toLowerCase() ?? '';
    const ours = OTHER_NAMES[name] ?? name;
    confidences.set(ours, Math.max(confidences.get(ours) ?? 0, confidence));
  }
  const possible = ENCODINGS.flatMap((encoding): Candidate[] => {
    const text = new TextDecoder(encoding).decode(sample);
    if (!isPlausible(text)) return [];
    // The header is the first line, or the second, after one that tells the delimiter.
    const cells = text.split('\n', 2).flatMap((line) => line.split(/[,;\t|]/));
    const known = cells.filter((cell) => NOT_ASCII.test(cell) && isKnownHeader(cell.replaceAll('"', ''))).length;
    return [{ encoding, text, confidence: confidences.get(encoding) ?? 0, known }];
  });
  if (possible.length === 0) return 'utf-8';
  const most = Math.max(...possible.map(({ known }) => known));
  const rest = possible.filter(({ known }) => known === most).sort((a, b) => b.confidence - a.confidence);
  const best = rest[0]!;
  const likely = rest.filter(({ confidence }) => confidence >= MARGIN * best.confidence);
  // By far the most frequent of these encodings, and the one for texts with hardly any accents.
  const western = likely.find(({ encoding }) => encoding === 'windows-1252');
  if (western && western.confidence > 0) return western.encoding;
  if (likely.some(({ text }) => text !== best.text)) return isHardlyAny(head, sample) ? 'utf-8' : undecided(likely);
  return ENCODINGS.find((encoding) => rest.some((one) => one.encoding === encoding && one.text === best.text))!;
}

/** One odd byte in a file, or in a hundred lines: better their rows are rejected than the file. */
function isHardlyAny({ bytes }: CsvHead, sample: Buffer): boolean {
  const odd = sample.filter((byte) => byte > 0x7f).length;
  const lines = bytes.filter((byte) => byte === 10 || byte === 13).length;
  return odd <= Math.max(1, lines / 100);
}

function undecided(likely: readonly Candidate[]): Violation {
  const names = likely.slice(0, 4).map(({ encoding }) => encoding);
  const message = `the encoding of the file cannot be told from its text; save it as UTF-8, or give \`encoding\`, perhaps ${names.join(', ')}`;
  return { code: 'unknown_encoding', message };
}

/** The header and the first lines that are not ASCII. */
function sampleOf({ bytes, complete }: CsvHead): Buffer {
  const lines = bytes.toString('latin1').split(/\r\n|\r|\n/);
  // The last line of the head may end in the middle of a character.
  if (!complete) lines.pop();
  const sample: string[] = [];
  let size = 0;
  lines.forEach((line, index) => {
    if (size >= SAMPLE_BYTES || (index > 0 && !NOT_ASCII.test(line))) return;
    sample.push(line.slice(0, SAMPLE_BYTES));
    size += line.length + 1;
  });
  return Buffer.from(sample.join('\n'), 'latin1');
}

// Letters with marks, and what people write beside them. ÿ is far more often the byte 0xFF of another encoding.
const USUAL = /[\p{L}\p{M}’‘“”„‚«»‹›–—…·•€£¥§©®™°º½¼¡¿№\u00a0\u3000-\u303f\u30fb\u30fc\uff00-\uff65]/u;
const UNUSUAL_LETTERS = /[ÿþƒˆˇª]/;
// Of the letters of one word, all are of one script.
const MIXED =
  /\p{sc=Latin}(?=\p{sc=Cyrillic}|\p{sc=Greek}|\p{sc=Hebrew}|\p{sc=Arabic})|[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}](?=\p{sc=Latin})/gu;
// A sign inside a word, and a word of accented letters alone.
const SIGN_INSIDE = /\p{L}[€£¥§©®™°º½¼¡¿№„‚“”«»‹›…•](?=\p{L})/gu;
const ALL_ACCENTS = /(?<!\p{L})(?:(?![\x00-\x7f])\p{sc=Latin}){3,}(?!\p{L})/gu;
/** Which part of the characters that are not ASCII may be wrong. */
const TOLERATED = 0.05;

function isPlausible(text: string): boolean {
  if (/[\uFFFD\x80-\x9f\ue000-\uf8ff]/.test(text)) return false;
  let characters = 0;
  let wrong = 0;
  for (const character of text) {
    if (character <= '\x7f') continue;
    characters += 1;
    if (!USUAL.test(character) || UNUSUAL_LETTERS.test(character)) wrong += 1;
  }
  for (const pattern of [MIXED, SIGN_INSIDE, ALL_ACCENTS]) wrong += text.match(pattern)?.length ?? 0;
  return wrong <= TOLERATED * characters;
}
