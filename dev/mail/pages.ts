import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Email } from 'postal-mime';
import type { Mailbox } from './mailbox.ts';

const PAGE_POLICY = "default-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors 'none'";
/** A mail may show images and styles from anywhere, as mail programs do, and may run nothing. */
const MAIL_POLICY = "default-src 'none'; img-src * data:; style-src * 'unsafe-inline'; font-src * data:; sandbox allow-popups allow-popups-to-escape-sandbox";
const MAX_PAGE = 500;

type Answer = { status?: number; type?: string; body?: unknown; headers?: Record<string, string> } | null;

/** The catcher's page, and the mails as JSON under `/api/mails`. */
export function mailPages(box: Mailbox, page: Buffer): Server {
  return createServer((request, response) => {
    answer(box, page, request).then(
      (result) => send(response, result ?? { status: 404, body: { error: 'There is no such mail or page' } }),
      (error: unknown) => send(response, { status: 500, body: { error: error instanceof Error ? error.message : String(error) } }),
    );
  });
}

function send(response: ServerResponse, { status = 200, type = 'application/json', body, headers }: NonNullable<Answer>): void {
  response.writeHead(status, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store', ...headers });
  response.end(type === 'application/json' ? JSON.stringify(body ?? {}) : body);
}

async function answer(box: Mailbox, page: Buffer, { method = 'GET', url = '/' }: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, api, mails, id, part, index] = pathname.split('/');
  const reading = method === 'GET' || method === 'HEAD';
  if (pathname === '/' && reading) return { type: 'text/html; charset=utf-8', body: page, headers: { 'Content-Security-Policy': PAGE_POLICY } };
  if (api !== 'api' || mails !== 'mails') return null;
  if (method === 'DELETE' && id === undefined) return box.clear().then(() => ({}));
  if (method === 'DELETE' && part === undefined) return (await box.remove(id!)) ? {} : null;
  if (!reading) return { status: 405, body: { error: 'Use GET or DELETE' } };
  if (id === undefined) {
    const number = (name: string, fallback: number) => Math.max(0, Number.parseInt(searchParams.get(name) ?? '', 10) || fallback);
    const newestFirst = searchParams.get('order') !== 'oldest';
    const limit = Math.min(MAX_PAGE, number('limit', 100));
    return { body: await box.list({ skip: number('skip', 0), limit, search: searchParams.get('search') ?? '', newestFirst }) };
  }
  if (part === 'source') return asFile(await box.source(id), 'text/plain; charset=utf-8');
  const mail = await box.read(id);
  if (!mail) return null;
  if (part === undefined) return { body: inFull(mail) };
  if (part === 'html' && mail.html !== undefined) return { type: 'text/html; charset=utf-8', body: shown(mail, id), headers: { 'Content-Security-Policy': MAIL_POLICY } };
  const attachment = part === 'attachments' ? mail.attachments[Number(index)] : undefined;
  if (!attachment) return null;
  return asFile(Buffer.from(attachment.content as ArrayBuffer), attachment.mimeType, attachment.filename ?? 'attachment');
}

/** Images may be looked at; all else is downloaded. */
function asFile(body: Buffer | null, type: string, name?: string): Answer {
  if (!body) return null;
  const inline = name === undefined || /^image\/(png|jpeg|gif|webp)$/.test(type);
  const disposition = inline ? 'inline' : `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
  return { type: inline ? type : 'application/octet-stream', body, headers: { 'Content-Disposition': disposition, 'Content-Security-Policy': 'sandbox' } };
}

const inFull = ({ headers, subject, from, to, html, text, attachments }: Email) => ({
  headers: headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
  subject, from, to, html, text,
  attachments: attachments.map(({ filename, mimeType, content }) => ({ name: filename, type: mimeType, bytes: (content as ArrayBuffer).byteLength })),
});

/** The mail's HTML: its links open in a tab of their own, its own images are found. */
function shown(mail: Email, id: string): string {
  const base = '<base target="_blank">';
  const html = (mail.html ?? '').replace(/cid:([^"'\s)>]+)/g, (whole, contentId: string) => {
    const index = mail.attachments.findIndex((attachment) => attachment.contentId === `<${contentId}>`);
    return index < 0 ? whole : `/api/mails/${id}/attachments/${index}`;
  });
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, (head) => head + base) : base + html;
}
