import { LRUCache } from 'lru-cache';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { createComposer, type Composer } from './compose.ts';
import { LoopPermit, type Judged } from '../rendering/loop-permit.ts';
import { addressKey } from '../../addresses/address-key.ts';
import {
  compileTemplate,
  type CompiledTemplate,
  type CompileOptions,
  type TemplateVersion,
} from '../rendering/render.ts';
import type { SenderIdentity } from '../senders/sender-cache.ts';
import type { Mailbox } from '../../../lib/addresses/mailbox.ts';

const KEPT = 200;

/** A content version of a template, compiled once for many recipients. */
export class PreparedTemplate {
  /** Whether its emails may be rendered on this event loop. */
  readonly permit = new LoopPermit();
  /** Its source. */
  readonly row: VersionRow;
  readonly #options: CompileOptions & { from: Mailbox };
  /** The From address. */
  readonly fromAddress: string;
  /** The key of the From address. */
  readonly fromKey: string;
  /** The same if the tenant must have verified the address; null for the default sender. */
  readonly ownFromKey: string | null;
  #compiled: CompiledTemplate | null = null;
  #composer: { revision: string | null; compose: Composer } | null = null;

  constructor(row: VersionRow, options: CompileOptions & { from: Mailbox }) {
    this.row = row;
    if (row.judged) this.permit.judge(row.judged);
    this.#options = options;
    this.fromAddress = row.fromEmail ?? options.from.address;
    this.fromKey = addressKey(this.fromAddress);
    this.ownFromKey = this.fromKey === addressKey(options.from.address) ? null : this.fromKey;
  }

  /** Throws AppError `template_limit` or `validation_failed` if the template cannot be compiled. */
  get compiled(): CompiledTemplate {
    return (this.#compiled ??= compileTemplate(this.row, this.#options));
  }

  /**
   * The composer of its emails; the sender provides what the template does not specify. Throws what `compiled` throws,
   * and RangeError.
   */
  composer(sender: SenderWords | null): Composer {
    const revision = sender?.revision ?? null;
    if (this.#composer?.revision === revision) return this.#composer.compose;
    const { fromName, replyTo } = this.row;
    const name = fromName ?? sender?.name ?? this.#options.from.name ?? null;
    const answers = replyTo ?? sender?.replyTo;
    const compose = createComposer({
      from: { name, address: this.fromAddress },
      replyTo: answers ? { address: answers } : null,
      staticChunks: this.compiled.staticChunks,
    });
    this.#composer = { revision, compose };
    return compose;
  }
}

/** Identifies a content version of a template. */
export interface ContentVersion {
  tenantId: string;
  templateId: number;
  contentVersion: number;
}

/** What a sender says in its emails; changes whenever the revision does. */
export type SenderWords = Pick<SenderIdentity, 'revision' | 'name' | 'replyTo'>;

export interface VersionRow extends ContentVersion, TemplateVersion {
  /** Null: nobody has judged it. */
  judged: Judged | null;
  fromName: string | null;
  fromEmail: string | null;
  replyTo: string | null;
}

/** Compiles content versions once and caches the most recently used ones, since versions never change. */
export class TemplateCache {
  readonly #kept = new LRUCache<string, PreparedTemplate>({ max: KEPT });
  readonly #options: () => CompileOptions & { from: Mailbox };

  /** `options` is called for each compilation. `from` is MAIL_FROM, for templates without a sender. */
  constructor(options: () => CompileOptions & { from: Mailbox }) {
    this.#options = options;
  }

  /** Loads these content versions if they are not cached (engine `em`). Returns a function that gets each of them. */
  async load(
    em: EntityManager,
    versions: Iterable<ContentVersion>,
  ): Promise<(version: ContentVersion) => PreparedTemplate> {
    const wanted = new Map([...versions].map((version) => [keyOf(version), version]));
    const missing = [...wanted].filter(([key]) => !this.#kept.has(key)).map(([, version]) => version);
    const found =
      missing.length === 0
        ? []
        : await em.transactional((tx) =>
            rows<VersionRow>(
              tx,
              sql`
      select tenant_id as "tenantId", template_id as "templateId", content_version as "contentVersion", subject, coalesce(compiled_html, content) as content, text,
             preview_text as "previewText", category, from_name as "fromName", from_email as "fromEmail", reply_to as "replyTo", judged
      from email_template_versions where (tenant_id, template_id, content_version) in (
        ${sql.join(missing.map((v) => sql`(${v.tenantId}, ${v.templateId}::bigint, ${v.contentVersion}::int)`))})`,
            ),
          );
    const sources = new Map(found.map((row) => [keyOf(row), row]));
    const ready = new Map([...wanted.keys()].map((key) => [key, this.#kept.get(key)]));
    return (version) => {
      const key = keyOf(version);
      const prepared = ready.get(key) ?? new PreparedTemplate(sources.get(key)!, this.#options());
      ready.set(key, prepared);
      this.#kept.set(key, prepared);
      return prepared;
    };
  }
}

export const keyOf = (version: ContentVersion): string =>
  `${version.tenantId}/${version.templateId}/${version.contentVersion}`;
