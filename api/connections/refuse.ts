import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, type ErrorCode } from '../../lib/checks/errors.ts';
import { inBackground } from '../../lib/async/turn.ts';
import { endUnread } from '../middleware/early-answer.ts';
import { problemBody } from '../middleware/problem.ts';

/** The headers and body of errors that bypass the application: never rendered as a page, never cached. */
function refusal(error: AppError, requestId: string): { headers: string[]; body: string } {
  const body = problemBody(error, requestId);
  const headers = [
    'Content-Type',
    'application/problem+json',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'X-Request-Id',
    requestId,
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
    ...Object.entries(error.headers ?? {}).flat(),
  ];
  return { headers, body };
}

/**
 * Creates a function that answers any request with `error`. All but the request id is serialised beforehand, because
 * refusing a request must cost next to nothing.
 */
export function refuseWith(
  error: AppError,
): (request: IncomingMessage, response: ServerResponse, requestId?: string) => void {
  const { status } = error;
  const sample = randomUUID();
  const { headers, body } = refusal(error, sample);
  const [before, after] = body.split(sample) as [string, string];
  const idAt = headers.indexOf(sample);
  const lengthAt = headers.indexOf('Content-Length') + 1;
  return (request, response, requestId = randomUUID()) => {
    const answer = before + requestId + after;
    headers[idAt] = requestId;
    // The client's own request id may have any length.
    headers[lengthAt] = String(Buffer.byteLength(answer));
    endUnread(request, response);
    response.writeHead(status, headers);
    response.end(answer);
  };
}

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers invalid HTTP, and requests that are too long or too slow, with a standard error body. */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (failure: NodeJS.ErrnoException, socket: Socket) => {
    if (failure.code === 'ECONNRESET') return void socket.destroy(failure);
    // Thousands of clients may disconnect at the same time.
    inBackground(() => {
      // A response has already started, or the client is gone.
      const answering = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
      if (!socket.writable || answering) return void socket.destroy(failure);
      const error = new AppError(CODES[failure.code ?? ''] ?? 'malformed_request');
      const { headers, body } = refusal(error, randomUUID());
      const lines = headers.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('');
      socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines}Connection: close\r\n\r\n${body}`);
    });
  });
}
