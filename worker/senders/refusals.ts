import type { Deps } from '../../runtime/deps.ts';
import { tenantEm } from '../../db/orm.ts';
import { pauseRefusedCampaign } from '../../domain/campaigns/management/pause-refused-campaign.ts';
import type { RenderedRow } from '../../domain/emails/ledger/start-emails.ts';
import { publicError } from './health.ts';
import type { Provider } from './providers.ts';
import type { Outcome } from './smtp-outcome.ts';

/**
 * After this many different emails of a campaign, refused in a row, it is paused. One that is refused again and again may
 * be one that a filter dislikes. Few enough that it does not take long while the provider's breaker lets one message
 * through at a time.
 */
const REFUSED_IN_A_ROW = 10;

type Row = Pick<RenderedRow, 'id' | 'tenantId' | 'campaignId' | 'attempt'>;

/**
 * Notes for each campaign which of its emails in a row a server refused because of the sender, the account or a
 * policy, with whichever provider. An accepted email ends the row. In memory: each process notes its own, and a new
 * one starts from nothing, which only means a later pause.
 */
export class Refusals {
  readonly #deps: Pick<Deps, 'orm' | 'log' | 'pingOutbox'>;
  readonly #refused = new Map<string, Set<number>>();

  constructor(deps: Pick<Deps, 'orm' | 'log' | 'pingOutbox'>) {
    this.#deps = deps;
  }

  /** Call when an email was accepted. */
  accepted(row: Row): void {
    if (this.#refused.size > 0) this.#refused.delete(keyOf(row));
  }

  /** Call with the outcome of an email that was not accepted. Never rejects. */
  async note(row: Row, { setting }: Provider, outcome: Outcome): Promise<void> {
    const { campaignId } = row;
    if (outcome.kind !== 'retry' || outcome.blames === null || outcome.reply === null || campaignId == null) return;
    const key = keyOf(row);
    const { id: emailId, tenantId, attempt } = row;
    const refused = this.#refused.get(key) ?? new Set();
    this.#refused.set(key, refused.add(emailId));
    if (refused.size < REFUSED_IN_A_ROW) return;
    const reason = `The mail provider ${setting.provider} refused ${refused.size} emails in a row: ${publicError(outcome.reply, setting.url)}`;
    // Further refusals come before it is paused.
    this.#refused.delete(key);
    try {
      const isPaused = await pauseRefusedCampaign(tenantEm(this.#deps.orm, tenantId), {
        tenantId,
        campaignId,
        cause: `${emailId}/${attempt}`,
        reason,
      });
      if (isPaused) {
        this.#deps.pingOutbox('outbox_events');
        this.#deps.log.warn({ tenantId, campaignId, reason }, 'paused a campaign whose emails are refused');
      }
    } catch (error) {
      // The next refusal tries again.
      this.#refused.set(key, new Set([...refused, ...(this.#refused.get(key) ?? [])]));
      this.#deps.log.warn({ err: error, tenantId, campaignId }, 'could not pause a campaign whose emails are refused');
    }
  }
}

const keyOf = ({ tenantId, campaignId }: Row): string => `${tenantId}/${campaignId}`;
