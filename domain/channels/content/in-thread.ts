import { hasLiquid } from '../../../lib/text/liquid.ts';
import { inThread } from '../../threads/in-thread.ts';
import { assertFits, type Additions } from './assert-fits.ts';
import {
  textsOf,
  type MessageSource,
  type RenderContext,
  type RenderedPush,
  type RenderedText,
  type RenderFailure,
} from './render-message.ts';

/**
 * `assertFits` in a thread; here if there is no Liquid to parse, because a thread may have to be started. Throws what it
 * throws, and 503 if too many jobs of the tenant are waiting.
 */
export async function assertFitsInThread(tenantId: string, source: MessageSource, additions: Additions): Promise<void> {
  if (!textsOf(source).some(hasLiquid)) return assertFits(source, additions);
  await inThread(tenantId, { name: 'assertFits', args: [source, additions] });
}

/** `renderForPreview` in a thread; throws as above. */
export const previewInThread = (
  tenantId: string,
  source: MessageSource,
  context: RenderContext,
): Promise<RenderedText | RenderedPush | RenderFailure> =>
  inThread(tenantId, { name: 'renderForPreview', args: [source, context] });
