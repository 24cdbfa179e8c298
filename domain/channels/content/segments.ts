import { SegmentedMessage } from 'sms-segments-calculator';

/** A text message may have this many segments: 1,530 characters of GSM-7, or 670 of UCS-2. */
export const MOST_SEGMENTS = 10;
/** Longer texts are not counted: they have more segments in any encoding. */
const MOST_CHARACTERS = 5_000;

/** The default alphabet and its extension (3GPP TS 23.038, 6.2.1); the escape character itself is no character. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const EXTENDED = new Set('\f^{}\\[~]|€');
/** The room in a single segment, and in each of several, whose header takes six octets: septets or UTF-16 units. */
const ROOM = { 'GSM-7': [160, 153], 'UCS-2': [70, 67] } as const;

/** How a text travels (3GPP TS 23.038). */
export interface Segmented {
  /** The text as it is sent. */
  text: string;
  encoding: 'GSM-7' | 'UCS-2';
  /** GSM-7: an extended character counts twice. UCS-2: what is shown as one character counts once. */
  characters: number;
  segments: number;
  /** The characters that GSM-7 lacks. */
  ucs2Because: string[];
}

/**
 * Counts the segments of a text; neither an extended character nor a surrogate pair is split. With `smartEncoding`,
 * curly quotes, dashes, ellipses and the like become characters of GSM-7, unless the text needs UCS-2 nevertheless.
 * Null if it is far too long.
 */
export function segmentText(given: string, smartEncoding: boolean): Segmented | null {
  if (given.length > MOST_CHARACTERS) return null;
  const smart = smartEncoding ? smartlyEncoded(given) : given;
  // Most texts lack nothing, and finding what is shown as one character takes long.
  const lacking = isGsm(smart)
    ? []
    : [...graphemes.segment(smart)].flatMap(({ segment }) => (isGsm(segment) ? [] : [segment]));
  const encoding = lacking.length === 0 ? 'GSM-7' : 'UCS-2';
  const text = encoding === 'GSM-7' ? smart : given;
  const sizes = [...text].map((point) => (encoding === 'UCS-2' ? point.length : EXTENDED.has(point) ? 2 : 1));
  return {
    text,
    encoding,
    characters: encoding === 'UCS-2' ? [...graphemes.segment(text)].length : sum(sizes),
    segments: countSegments(sizes, ROOM[encoding]),
    ucs2Because: [...new Set(lacking)],
  };
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const isGsm = (text: string): boolean => [...text].every((point) => BASIC.has(point) || EXTENDED.has(point));

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

function countSegments(sizes: readonly number[], [single, each]: readonly [number, number]): number {
  const total = sum(sizes);
  if (total <= single) return total === 0 ? 0 : 1;
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > each) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return segments;
}

const replacements = new Map<string, string>();

/** A text with the substitutes of GSM-7. Combining characters stay: a tilde above a letter is not one after it. */
function smartlyEncoded(text: string): string {
  if (isGsm(text)) return text;
  return [...text.normalize('NFC')].map((point) => (isGsm(point) ? point : substituteOf(point))).join('');
}

function substituteOf(point: string): string {
  if (/\p{Zs}/u.test(point)) return ' ';
  if (/\p{M}/u.test(point) || point.length > 1) return point;
  let substitute = replacements.get(point);
  if (substitute === undefined) {
    substitute = new SegmentedMessage(point, 'auto', true).graphemes.join('');
    // At most one entry for each UTF-16 unit.
    replacements.set(point, substitute);
  }
  return substitute;
}
