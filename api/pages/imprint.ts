import type { Context } from 'koa';
import type { Env } from '../../config/env-schema.ts';
import { parseMailbox } from '../../lib/addresses/mailbox.ts';

/** Who is behind a page for recipients and visitors. */
export interface Imprint {
  /** The name in MAIL_FROM, or its address where it has none. */
  name: string;
  postalAddress: string;
  logoUrl: string;
  privacyUrl: string;
}

/** The imprint that the settings give. */
export function imprintOf(env: Env): Imprint {
  const { name, address } = parseMailbox(env.MAIL_FROM);
  return {
    name: name ?? address,
    postalAddress: env.MAIL_POSTAL_ADDRESS,
    logoUrl: env.PAGE_LOGO_URL,
    privacyUrl: env.PAGE_PRIVACY_URL,
  };
}

/** The imprint of the request's pages; null within a frame, where the page around has its own. */
export const imprintOn = (ctx: Context): Imprint | null =>
  ctx.get('sec-fetch-dest') === 'iframe' ? null : (ctx.state['imprint'] as Imprint);
