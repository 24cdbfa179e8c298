import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../domain/common/errors.ts';
import { inBackground } from '../../domain/common/turn.ts';
import { hasBody } from '../middleware/early-answer.ts';
import { refuseWith } from './refuse.ts';

/** A body comes within this, or an upload makes progress in it. */
const BODY_MS = 30_000;
/** What an upload brings at least in each BODY_MS: a line of 17 kbit/s. */
const UPLOAD_BYTES = 64 * 1024;

/** Calls `arrived`, which may come twice, when the body of a request is there, or nothing more of it will come. */
export function whenBodyIsThere(request: IncomingMessage, arrived: () => void): void {
  request.once('end', arrived);
  request.once('close', arrived);
}

/**
 * Calls `begin` at once for a request that came whole. One whose body is still on its way begins in the background, if it was
 * not given up before: thousands of them that come in one instant would stop the process for a third of a second.
 */
export function beginWithBody(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
  if (!hasBody(request)) return begin();
  // What came with the headers is parsed by then.
  process.nextTick(() => {
    if (request.complete) begin();
    else
      inBackground(() => {
        if (!response.closed && !response.headersSent) begin();
      });
  });
}

/**
 * Ends requests whose body is too slow, with 408 where nothing was answered yet: a body has 30 seconds, an upload (multipart)
 * may take longer as long as it goes on.
 */
export function createBodyTimeout(bodyMs = BODY_MS): (request: IncomingMessage, response: ServerResponse) => void {
  const refuse = refuseWith(new AppError('request_timeout'));
  return (request, response) => {
    if (!hasBody(request)) return;
    const { socket } = request;
    const isUpload = /^multipart\//i.test(request.headers['content-type'] ?? '');
    let bytes = socket.bytesRead;
    const expire = (): void => {
      if (isUpload && socket.bytesRead - bytes >= UPLOAD_BYTES) {
        bytes = socket.bytesRead;
        timer = setTimeout(expire, bodyMs);
        return;
      }
      if (response.headersSent) return void socket.destroy();
      refuse(request, response);
      response.once('finish', () => socket.destroySoon());
    };
    let timer = setTimeout(expire, bodyMs);
    whenBodyIsThere(request, () => clearTimeout(timer));
  };
}
