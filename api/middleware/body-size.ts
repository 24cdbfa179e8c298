import { AppError } from '../../domain/common/errors.ts';

/** How much a body may hold, known before any of it is made into objects. */
export interface BodyLimits {
  bytes: number;
  /** Values and names of JSON, fields of a form, parts of multipart. */
  values: number;
}

/** No schema of ours is as deep. The depth that a check can walk is less (`checkContent`), and it names the place. */
const MAX_DEPTH = 1000;

export const tooLarge = (detail = 'The request exceeds the size limit of this endpoint', cause?: unknown): AppError =>
  new AppError('payload_too_large', detail, { cause });

const refused = (code: string, message: string): AppError =>
  new AppError('validation_failed', '1 problem in the request', { errors: [{ path: '', code, message }] });

export const tooMany = (values: number): AppError =>
  refused('too_many', `must not contain more than ${values} values and names`);

/** Looks at each piece of a body as it comes. Throws when it holds too much. */
export type Meter = (piece: Buffer) => void;

const [QUOTE, COMMA, COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  ...Buffer.from('",:[\\]{}'),
] as [number, number, number, number, number, number, number, number];

/**
 * Counts what makes JSON expensive: values and names, and how deep they lie. To make objects of it first can take seconds for
 * a body that is small enough: millions of `{}`.
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
/** A text of 10,000 characters, the longest that any field takes, in the longest way to write it. */
const MAX_FIELD_BYTES = 128 * 1024;

/** Counts the fields of a form, and makes spaces of its plus signs as they come: of millions at once that takes a second. */
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
