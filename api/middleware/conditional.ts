import type { Context, Next } from 'koa';

/** Weak comparison (RFC 9110, 8.8.3.2). */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** Whether If-None-Match contains the ETag of the response. */
function isNamed(header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag));
}

/** Answers 304 to a read whose If-None-Match contains the current ETag, whatever the request's cache headers say. */
export async function conditional(ctx: Context, next: Next): Promise<void> {
  await next();
  const given = ctx.get('if-none-match');
  // Streamed responses have no ETag.
  const etag = ctx.response.get('etag') as string | undefined;
  if (given === '' || !etag || ctx.state['derived'] || ctx.status !== 200 || !['GET', 'HEAD'].includes(ctx.method))
    return;
  if (isNamed(given, etag)) {
    ctx.status = 304;
    ctx.body = null;
  }
}
