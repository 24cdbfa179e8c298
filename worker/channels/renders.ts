import { LRUCache } from 'lru-cache';
import type { ChannelProvider } from '../../db/entities/channels.ts';
import type { LeasedSend } from '../../domain/channels/ledger/lease-sends.ts';
import {
  renderMessage,
  textsOf,
  type MessageSource,
  type RenderContext,
  type RenderedPush,
  type RenderedText,
  type RenderFailure,
} from '../../domain/channels/content/render-message.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { hasLiquid } from '../../lib/text/liquid.ts';
import { LoopPermit, RULES, type Judged } from '../../domain/emails/rendering/loop-permit.ts';
import type { LinkSettings } from '../../domain/emails/rendering/link-settings.ts';
import { accounts, inThreadTimed } from '../../domain/threads/in-thread.ts';
import { TooLate } from '../../domain/threads/pool.ts';
import { renderedOf, toRender, type Rendered } from './prepare.ts';

const KEPT = 1_000;

type Shown = RenderedText | RenderedPush | RenderFailure;

/** Renders sends: in threads, or on the event loop if their texts may be. */
export class Renders {
  readonly #settings: { base: string; links: LinkSettings };
  readonly #permits = new LRUCache<string, LoopPermit>({ max: KEPT });

  /** `base` is that of short links; `links` makes those to pages for recipients. */
  constructor(settings: { base: string; links: LinkSettings }) {
    this.#settings = settings;
  }

  /**
   * Renders a complete send, with the `body` of its provider. `late`: its lease, until that time of performance.now(),
   * was over before its turn came, and it was not rendered.
   */
  async render(
    leased: LeasedSend,
    provider: Pick<ChannelProvider, 'type' | 'config'> | null,
    until: number,
  ): Promise<Rendered | 'late'> {
    const { source, context } = toRender(leased, provider, this.#settings);
    const permit = this.#permitOf(leased.tenantId, source, context);
    try {
      const shown =
        onLoop(permit, leased.tenantId, source, context) ??
        (await inThreads(permit, leased.tenantId, source, context, until));
      return renderedOf(shown, leased);
    } catch (error) {
      if (error instanceof TooLate) return 'late';
      if (error instanceof AppError && error.code === 'template_limit')
        return renderedOf({ failure: 'template_limit' }, leased);
      throw error;
    }
  }

  #permitOf(tenantId: string, source: MessageSource, context: RenderContext): LoopPermit {
    // Texts without Liquid are not part of the judgement: a message that is written by hand has a new one each time.
    const texts = textsOf(source, context.provider).filter(hasLiquid);
    const key = JSON.stringify([tenantId, ...texts]);
    let permit = this.#permits.get(key);
    if (!permit) {
      permit = new LoopPermit();
      if (texts.length === 0) permit.judge({ isPlain: true, parseMs: 0, rules: RULES });
      this.#permits.set(key, permit);
    }
    return permit;
  }
}

/** Null if it must be rendered in a thread. */
function onLoop(permit: LoopPermit, tenantId: string, source: MessageSource, context: RenderContext): Shown | null {
  const limits = permit.limits(context.data !== null);
  if (!limits) return null;
  try {
    return accounts.short(tenantId, () => renderMessage(source, context, limits));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'template_limit') throw error;
    permit.overran();
    return null;
  }
}

async function inThreads(
  permit: LoopPermit,
  tenantId: string,
  source: MessageSource,
  context: RenderContext,
  until: number,
): Promise<Shown> {
  const job = { name: 'renderAndJudge', args: [source, context] };
  const { value, ms } = await inThreadTimed<{ shown: Shown; judged: Judged }>(tenantId, job, {
    isPatient: true,
    until,
  });
  permit.judge(value.judged);
  permit.tookInThread(ms);
  return value.shown;
}
