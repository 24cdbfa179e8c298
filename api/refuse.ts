import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import { problemBody } from './middleware/problem.ts';

/** What every refusal says that is made before there is an application: no page may be made of it, and no cache keeps it. */
function refusal(error: AppError): { headers: Record<string, string | number>; body: string } {
  const requestId = randomUUID();
  const body = problemBody(error, requestId);
  return {
    headers: {
      'Content-Type': 'application/problem+json', 'Content-Length': Buffer.byteLength(body), 'X-Request-Id': requestId, 'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff', ...error.headers,
    },
    body,
  };
}

/** Answers a request with an error without looking at it any further; whatever is left of its body is not worth reading. */
export function refuse(request: IncomingMessage, response: ServerResponse, error: AppError): void {
  const { headers, body } = refusal(error);
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  response.writeHead(error.status, hasBody ? { ...headers, Connection: 'close' } : headers);
  response.end(body);
}

const CODES: Record<string, ErrorCode> = { HPE_HEADER_OVERFLOW: 'headers_too_large', ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout' };

/** What is no HTTP, or too long or too slow for a request, gets the body that every error has. */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (failure: NodeJS.ErrnoException, socket: Socket) => {
    // Half an answer is on its way, or nobody is there to read one.
    const answering = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
    if (failure.code === 'ECONNRESET' || !socket.writable || answering) {
      socket.destroy(failure);
      return;
    }
    const error = new AppError(CODES[failure.code ?? ''] ?? 'malformed_request');
    const { headers, body } = refusal(error);
    const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
  });
}
