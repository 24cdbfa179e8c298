import { inThread } from '../../threads/in-thread.ts';
import type { Additions } from './assert-fits.ts';
import type { MessageSource, RenderContext, RenderedPush, RenderedText, RenderFailure } from './render-message.ts';

/** `assertFits` in a thread. Throws what it throws, and 503 if too many jobs of the tenant are waiting. */
export const assertFitsInThread = (tenantId: string, source: MessageSource, additions: Additions): Promise<void> =>
  inThread(tenantId, { name: 'assertFits', args: [source, additions] });

/** The same for `renderForPreview`. */
export const previewInThread = (
  tenantId: string,
  source: MessageSource,
  context: RenderContext,
): Promise<RenderedText | RenderedPush | RenderFailure> =>
  inThread(tenantId, { name: 'renderForPreview', args: [source, context] });
