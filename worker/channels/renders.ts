import { createYielder } from '../../domain/common/turn.ts';
import { FairQueue, type Queued } from '../turns/fair-queue.ts';
import type { EmailLinks } from '../../domain/emails/rendering/links.ts';
import type { LeasedSend } from '../../domain/channels/ledger/lease-sends.ts';
import { render, type Rendered } from './prepare.ts';

interface Asked extends Queued {
  leased: LeasedSend;
  resolve: (rendered: Rendered) => void;
}

/**
 * Renders sends, one at a time and tenants in turn. A template may take long, so others are answered between: an answer
 * that is not read in time would leave its message in doubt.
 */
export class Renders {
  readonly #base: string;
  readonly #links: EmailLinks;
  readonly #queue = new FairQueue<Asked>();
  #isRunning = false;

  /** `base` is that of short links; `links` makes those to pages for recipients. */
  constructor(base: string, links: EmailLinks) {
    this.#base = base;
    this.#links = links;
  }

  render(leased: LeasedSend): Promise<Rendered> {
    return new Promise((resolve) => {
      this.#queue.push({ key: { tenantId: leased.tenantId }, isQueued: false, leased, resolve });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const turn = createYielder();
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      next.resolve(render(next.leased, this.#base, this.#links));
      if (turn.isOver()) await turn.next();
    }
    this.#isRunning = false;
  }
}
