import { AppError } from '../../lib/checks/errors.ts';

/** The limits of a body, enforced before any of it is parsed into objects. */
export interface BodyLimits {
  bytes: number;
  /** JSON values and names, form fields, or multipart parts. */
  values: number;
}

/**
 * No schema is as deep. Validators can only handle less depth than this; `checkContent` rejects the rest and reports
 * the place.
 */
const MAX_DEPTH = 1000;

export const tooLarge = (detail = 'The request exceeds the size limit of this endpoint', cause?: unknown): AppError =>
  new AppError('payload_too_large', detail, { cause });

const refused = (code: string, message: string): AppError =>
  new AppError('validation_failed', '1 problem in the request', { errors: [{ path: '', code, message }] });

export const tooMany = (values: number): AppError =>
  refused('too_many', `must not contain more than ${values} values and names`);

/** Counts each piece of a body as it arrives. Throws if the body exceeds its limits. */
export type Meter = (piece: Buffer) => void;

const [QUOTE, COMMA, COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  ...Buffer.from('",:[\\]{}'),
] as [number, number, number, number, number, number, number, number];

/**
 * Counts what makes JSON expensive: values, names and nesting depth. Parsing first could take seconds for a body within
 * the size limit: millions of `{}`.
 */
export function jsonMeter({ values }: BodyLimits): Meter {
  let left = values;
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (piece) => {
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (isEscaped) isEscaped = false;
      else if (isText) {
        if (byte === QUOTE) isText = false;
        else if (byte === BACKSLASH) isEscaped = true;
      } else if (byte === QUOTE) isText = true;
      else if (byte === COMMA || byte === COLON) left -= 1;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        left -= 1;
        depth += 1;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
      if (depth > MAX_DEPTH) throw refused('too_deep', `must not be nested more than ${MAX_DEPTH} levels deep`);
    }
    if (left < 0) throw tooMany(values);
  };
}

const [AMPERSAND, PLUS, SPACE] = [...Buffer.from('&+ ')] as [number, number, number];
/** The longest encoding of a text of 10,000 characters, the maximum of any field. */
const MAX_FIELD_BYTES = 128 * 1024;

/**
 * Counts the fields of a form. Also replaces plus signs by spaces piece by piece, because replacing millions at once
 * takes a second.
 */
export function formMeter({ values }: BodyLimits): Meter {
  let left = values;
  let size = 0;
  return (piece) => {
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      size += 1;
      if (byte === PLUS) piece[at] = SPACE;
      else if (byte === AMPERSAND) {
        left -= 1;
        size = 0;
      }
      if (size > MAX_FIELD_BYTES) throw tooLarge('A form field exceeds the size limit');
    }
    if (left < 0) throw tooMany(values);
  };
}
