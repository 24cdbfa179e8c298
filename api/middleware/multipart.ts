import type { Transform } from 'node:stream';
import { multipart } from 'formidable';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { AppError } from '../../lib/checks/errors.ts';
import { createYielder } from '../../lib/async/turn.ts';
import { tooLarge } from './body-size.ts';

/** Receives the parts of a body one after the other. `end` is called once for each part, when it is complete. */
export interface PartTaker {
  begin: (part: PartHeader) => void | Promise<void>;
  take: (piece: Buffer) => void | Promise<void>;
  end: () => void | Promise<void>;
}

export interface PartHeader {
  name: string;
  /** For a file; null for a text part. */
  fileName: string | null;
  mimeType: string | null;
}

/** A part as reported by formidable, koa-body's parser. */
interface ParsedPart extends NodeJS.EventEmitter {
  name: string | null;
  originalFilename: string | null;
  mimetype: string | null;
}

/** When more bytes than this are waiting for the receiver, reading is paused. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** The headers of one part; the same limit as Node's for a request. */
const MAX_HEADER_BYTES = 16 * 1024;

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();
const malformed = (detail: string, cause?: unknown): AppError => new AppError('malformed_body', detail, { cause });

/** The members of formidable's form that our plugin uses. */
interface Form {
  _parser?: Transform;
  once: (event: 'error', listener: () => void) => void;
  _getFileName: (disposition: string) => string | null;
  _error: (error: Error) => void;
}

/**
 * The file name in a Content-Disposition; null if there is none. Takes linear time, which formidable's own function
 * does not.
 */
function fileNameOf(disposition: string): string | null {
  const [, quoted, token] = /(?:^|[;\s])filename=(?:"((?:\\"|[^"])*)"|([^\s";]+))/i.exec(disposition) ?? [];
  const name = quoted ?? token;
  // Browsers encode a quotation mark as %22 (HTML, multipart form data), curl as \".
  return name === undefined ? null : name.replaceAll(/%22|\\"/g, '"');
}

/**
 * Only formidable's multipart parser, not the others: those look for their names anywhere in the Content-Type, and one
 * of them writes files of its own. Limits the headers of each part, which the parser collects without limit.
 */
function boundedMultipart(form: Form, options: object): void {
  form._getFileName = fileNameOf;
  (multipart as unknown as (this: Form, form: Form, options: object) => void).call(form, form, options);
  // Otherwise it would go on with its current piece and report each part in it.
  form.once('error', () => form._parser?.destroy());
  let left = MAX_HEADER_BYTES;
  // Without a boundary there is no parser.
  form._parser?.on('data', ({ name, start, end }: { name: string; start: number; end: number }) => {
    if (name === 'partBegin') left = MAX_HEADER_BYTES;
    else if (name === 'headerField' || name === 'headerValue') left -= end - start;
    if (left < 0) form._error(tooLarge('The headers of a part exceed the size limit'));
  });
}

/**
 * Reads multipart/form-data (RFC 7578) of up to `maxBytes` as a stream. Throws `malformed_body`, `payload_too_large`,
 * `request_timeout` if bytes still come after `withinMs`, and any error of `to`; the stream then stays open, so that
 * the client can read the response.
 */
export async function readParts(
  ctx: Context,
  { maxBytes, withinMs }: { maxBytes: number; withinMs: number },
  to: PartTaker,
): Promise<void> {
  if ((ctx.request.length ?? 0) > maxBytes) throw tooLarge();
  const { req } = ctx;
  let failure: Error | undefined;
  const begun = performance.now();
  let left = maxBytes;
  let waiting = 0;
  let othersGoFirst = false;
  const turn = createYielder();
  let work = Promise.resolve();
  const fail = (error: Error): void => {
    if (failure) return;
    failure = error;
    // Stops the parser, which discards the rest of the body.
    req.emit('error', error);
    req.resume();
  };
  const then = (step: () => void | Promise<void>): void => {
    work = work.then(() => (failure ? undefined : step())).catch(fail);
  };
  const pauseOrResume = (): void => {
    if (!failure && (waiting > MAX_WAITING_BYTES || othersGoFirst)) req.pause();
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
    else if (performance.now() - begun > withinMs) fail(new AppError('request_timeout'));
    // Node delivers everything that has arrived without a pause, and the parser may take half a millisecond per
    // kilobyte.
    else if (turn.isOver() && !othersGoFirst) void letOthersGoFirst();
  };
  const onPart = (part: ParsedPart): void => {
    const { name, originalFilename, mimetype: mimeType } = part;
    if (name === null)
      return fail(malformed('A part has no name: each part must have Content-Disposition: form-data; name="…"'));
    then(() =>
      to.begin({ name: utf8(name), fileName: originalFilename === null ? null : utf8(originalFilename), mimeType }),
    );
    // The parser may emit four bytes at a time, so waiting pieces are joined and taken at once.
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
    // `binary`, because a header may be split within a character: the parser must treat it as bytes.
    onError: (error) => {
      throw error;
    },
    formidable: { onPart: onPart, encoding: 'binary', enabledPlugins: [boundedMultipart] as never },
  });
  // Our own listener would start the flow before the parser listens.
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
