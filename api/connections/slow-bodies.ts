import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../lib/checks/errors.ts';
import { inBackground } from '../../lib/async/turn.ts';
import { hasBody } from '../middleware/early-answer.ts';
import { refuseWith } from './refuse.ts';

/** A body must arrive within this time; an upload must make progress within it. */
const BODY_MS = 30_000;
/** The minimum progress of an upload per BODY_MS: a connection of 17 kbit/s. */
const UPLOAD_BYTES = 64 * 1024;

/** Calls `arrived`, possibly twice, when the body of a request has been received or will not be received any more. */
export function whenBodyIsThere(request: IncomingMessage, arrived: () => void): void {
  request.once('end', arrived);
  request.once('close', arrived);
}

/**
 * Calls `begin` immediately for a request that is complete. If its body is still being received, calls it in the
 * background unless the request was abandoned before: thousands of such requests at the same time would block the
 * process for a third of a second.
 */
export function beginWithBody(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
  if (!hasBody(request)) return begin();
  // By then, what arrived together with the headers has been parsed.
  process.nextTick(() => {
    if (request.complete) begin();
    else
      inBackground(() => {
        if (!response.closed && !response.headersSent) begin();
      });
  });
}

/**
 * Ends requests whose body is too slow, with 408 if no response was started: a body has 30 seconds; an upload
 * (multipart) may take longer as long as it makes progress.
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
      // After its response Node emits no more events for a request, so whoever reads the body would wait forever and
      // keep an upload's file open.
      socket.once('close', () => request.destroy());
    };
    let timer = setTimeout(expire, bodyMs);
    whenBodyIsThere(request, () => clearTimeout(timer));
  };
}
