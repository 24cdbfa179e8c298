import type { Transform } from 'node:stream';
import { multipart } from 'formidable';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { AppError } from '../../domain/common/errors.ts';
import { createTurn } from '../../domain/common/turn.ts';
import { tooLarge } from './body-size.ts';

/** What takes the parts of a body, one after the other. `end` is called once for each part that began, when it is whole. */
export interface PartTaker {
  begin: (part: PartHeader) => void | Promise<void>;
  take: (piece: Buffer) => void | Promise<void>;
  end: () => void | Promise<void>;
}

export interface PartHeader {
  name: string;
  /** Of a file; null for a text. */
  fileName: string | null;
  mimeType: string | null;
}

/** A part as formidable, koa-body's parser, tells of it. */
interface ParsedPart extends NodeJS.EventEmitter {
  name: string | null;
  originalFilename: string | null;
  mimetype: string | null;
}

/** So much may wait for its taker before no more is read. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** Of the headers of one part; as much as Node takes of a request's. */
const MOST_HEADER_BYTES = 16 * 1024;

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();
const malformed = (detail: string, cause?: unknown): AppError => new AppError('malformed_body', detail, { cause });

/** What our formidable plugin uses of its form. */
interface Form {
  _parser?: Transform;
  once: (event: 'error', listener: () => void) => void;
  _getFileName: (disposition: string) => string | null;
  _error: (error: Error) => void;
}

/** The file's name in a Content-Disposition; null where there is none. Takes linear time, which formidable's own does not. */
function fileNameOf(disposition: string): string | null {
  const [, quoted, token] = /(?:^|[;\s])filename=(?:"((?:\\"|[^"])*)"|([^\s";]+))/i.exec(disposition) ?? [];
  const name = quoted ?? token;
  // A quotation mark is %22 of browsers (HTML, multipart form data) and \" of curl.
  return name === undefined ? null : name.replaceAll(/%22|\\"/g, '"');
}

/**
 * formidable's multipart parser, and none of its others: they look for their names anywhere in the Content-Type, and one of
 * them writes files of its own. Bounds the headers of each part, which the parser gathers without end.
 */
function boundedMultipart(form: Form, options: object): void {
  form._getFileName = fileNameOf;
  (multipart as unknown as (this: Form, form: Form, options: object) => void).call(form, form, options);
  // It would go on with the piece that it has, and tell of each part in it.
  form.once('error', () => form._parser?.destroy());
  let left = MOST_HEADER_BYTES;
  // There is none without a boundary.
  form._parser?.on('data', ({ name, start, end }: { name: string; start: number; end: number }) => {
    if (name === 'partBegin') left = MOST_HEADER_BYTES;
    else if (name === 'headerField' || name === 'headerValue') left -= end - start;
    if (left < 0) form._error(tooLarge('The headers of a part exceed the size limit'));
  });
}

/**
 * Reads multipart/form-data (RFC 7578) of up to `maxBytes` as it comes. Throws `malformed_body`, `payload_too_large`, and
 * whatever `to` throws; then the stream stays open, so that the client gets to read the answer.
 */
export async function readParts(ctx: Context, maxBytes: number, to: PartTaker): Promise<void> {
  if ((ctx.request.length ?? 0) > maxBytes) throw tooLarge();
  const { req } = ctx;
  let failure: Error | undefined;
  let left = maxBytes;
  let waiting = 0;
  let othersGoFirst = false;
  const turn = createTurn();
  let work = Promise.resolve();
  const fail = (error: Error): void => {
    if (failure) return;
    failure = error;
    // What the parser ends by; it throws away what still comes.
    req.emit('error', error);
    req.resume();
  };
  const then = (step: () => void | Promise<void>): void => {
    work = work.then(() => (failure ? undefined : step())).catch(fail);
  };
  const pauseOrResume = (): void => {
    if (!failure && (waiting > MOST_WAITING_BYTES || othersGoFirst)) req.pause();
    else if (req.isPaused()) req.resume();
  };
  const wait = (bytes: number): void => {
    waiting += bytes;
    pauseOrResume();
  };
  const letOthersGoFirst = async (): Promise<void> => {
    othersGoFirst = true;
    pauseOrResume();
    await turn.next();
    othersGoFirst = false;
    pauseOrResume();
  };
  const count = (piece: Buffer): void => {
    left -= piece.length;
    if (left < 0) fail(tooLarge());
    // Node gives all that has arrived without a pause, and the parser may need half a millisecond for a kilobyte.
    else if (turn.isOver() && !othersGoFirst) void letOthersGoFirst();
  };
  const onPart = (part: ParsedPart): void => {
    const { name, originalFilename, mimetype: mimeType } = part;
    if (name === null)
      return fail(malformed('A part has no name: each part must have Content-Disposition: form-data; name="…"'));
    then(() =>
      to.begin({ name: utf8(name), fileName: originalFilename === null ? null : utf8(originalFilename), mimeType }),
    );
    // The parser may cut four bytes at a time: what waits for the taker is taken at once.
    let pieces: Buffer[] = [];
    const takeAll = async (): Promise<void> => {
      const bytes = Buffer.concat(pieces);
      pieces = [];
      try {
        await to.take(bytes);
      } finally {
        wait(-bytes.length);
      }
    };
    part.on('data', (piece: Buffer) => {
      if (failure) return;
      wait(piece.length);
      if (pieces.push(piece) === 1) then(takeAll);
    });
    part.on('end', () => then(() => to.end()));
  };
  const parse = koaBody({
    json: false,
    urlencoded: false,
    text: false,
    multipart: true,
    patchKoa: false,
    parsedMethods: ['POST', 'PUT'] as never,
    // A header may come in pieces, and a character of it in two: the parser is to take it byte by byte.
    onError: (error) => {
      throw error;
    },
    formidable: { onPart: onPart, encoding: 'binary', enabledPlugins: [boundedMultipart] as never },
  });
  // A listener of ours alone would set it flowing before the parser listens.
  req.once('resume', () => req.on('data', count));
  try {
    await parse(ctx, async () => {});
  } catch (error) {
    failure ??= error instanceof AppError ? error : malformed((error as Error).message, error);
  } finally {
    req.off('data', count);
  }
  await work;
  if (failure) throw failure;
}
