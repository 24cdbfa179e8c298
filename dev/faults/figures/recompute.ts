import type pg from 'pg';
import type { Period } from '../../../domain/common/period.ts';
import type { AnyEvent } from '../../../events/contracts.ts';

/** Creates the table of what was published, for the owner of the database. */
export const createPublished = (owner: pg.Client) =>
  owner.query(`
    create table published (id uuid primary key, tenant_id text, type text, at timestamptz, contact_id bigint, campaign_id bigint,
      template_id bigint, form_id bigint, url text, status text, automated boolean, first boolean)`);

/** Notes what was published; the same event again is the same event. */
export const notePublished = (owner: pg.Client, events: readonly AnyEvent[]) =>
  owner.query(
    `
    insert into published
    select e.id, e.tenantid, e.type, e.time, coalesce((e.data ->> 'recipientId')::bigint, (e.data ->> 'contactId')::bigint),
      (e.data ->> 'campaignId')::bigint, (e.data ->> 'templateId')::bigint, (e.data ->> 'formId')::bigint, e.data ->> 'url',
      e.data ->> 'status', coalesce((e.data ->> 'automated')::boolean, false), coalesce((e.data ->> 'first')::boolean, false)
    from jsonb_to_recordset($1::jsonb) as e(id uuid, tenantid text, type text, time timestamptz, data jsonb) on conflict do nothing`,
    [JSON.stringify(events)],
  );

const OPEN = `type = 'EMAIL_OPENED' and not automated`;
const CLICK = `type = 'EMAIL_CLICKED' and not automated`;
const SENT = `type = 'EMAIL_SENT' and status = 'SENT'`;
const CONVERSION = `type in ('FORM_SUBMITTED', 'GOAL_MET')`;
const EMAIL = `(type in ('EMAIL_OPENED', 'EMAIL_CLICKED', 'EMAIL_BOUNCED', 'CONTACT_UNSUBSCRIBED') or type = 'EMAIL_SENT' and status in ('SENT', 'FAILED'))`;

/** What belongs to a dimension, and its id there. */
export const DIMENSIONS = {
  all: { id: '0', where: 'true' },
  template: { id: 'coalesce(template_id, 0)', where: EMAIL },
  link: { id: 'url', where: `type = 'EMAIL_CLICKED'` },
  campaign: {
    id: 'campaign_id',
    where: `campaign_id is not null and (${EMAIL} or type in ('CAMPAIGN_TRIGGERED', 'CAMPAIGN_COMPLETED', 'GOAL_MET'))`,
  },
  form: { id: 'form_id', where: 'form_id is not null' },
} as const;

export type Recomputed = Record<
  | 'sent' | 'failed' | 'opens' | 'clicks' | 'automatedOpens' | 'automatedClicks' | 'firstOpens' | 'firstClicks' | 'bounces'
  | 'unsubscribes' | 'entries' | 'completions' | 'goals' | 'submissions' | 'contacts' | 'contactsOpened' | 'contactsClicked' | 'mailed' | 'converted',
  number
>; // prettier-ignore

const n = (name: string, condition: string, what = '*') =>
  `(count(${what}) filter (where ${condition}))::int as "${name}"`;
const FIGURES = [
  n('sent', SENT),
  n('failed', `type = 'EMAIL_SENT' and status = 'FAILED'`),
  n('opens', OPEN),
  n('clicks', CLICK),
  n('automatedOpens', `type = 'EMAIL_OPENED' and automated`),
  n('automatedClicks', `type = 'EMAIL_CLICKED' and automated`),
  n('firstOpens', `${OPEN} and first`),
  n('firstClicks', `${CLICK} and first`),
  n('bounces', `type = 'EMAIL_BOUNCED'`),
  n('unsubscribes', `type = 'CONTACT_UNSUBSCRIBED'`),
  n('entries', `type = 'CAMPAIGN_TRIGGERED'`),
  n('completions', `type = 'CAMPAIGN_COMPLETED'`),
  n('goals', `type = 'GOAL_MET'`),
  n('submissions', `type = 'FORM_SUBMITTED'`),
  n('contacts', `type = 'CONTACT_CREATED'`),
  n('contactsOpened', OPEN, 'distinct contact_id'),
  n('contactsClicked', CLICK, 'distinct contact_id'),
  n('mailed', SENT, 'distinct contact_id'),
  n('converted', CONVERSION, 'distinct contact_id'),
].join(', ');

/** The figures of a dimension, of all its ids together, straight from what was published. */
export async function recomputeTotals(
  owner: pg.Client,
  tenantId: string,
  { from, to }: Pick<Period, 'from' | 'to'>,
  of: keyof typeof DIMENSIONS,
): Promise<Recomputed> {
  const { rows } = await owner.query<Recomputed>(
    `select ${FIGURES} from published where tenant_id = $1 and at >= $2 and at < $3 and ${DIMENSIONS[of].where}`,
    [tenantId, from, to],
  );
  return rows[0]!;
}

/** The same by id. */
export async function recomputeParts(
  owner: pg.Client,
  tenantId: string,
  { from, to }: Pick<Period, 'from' | 'to'>,
  of: keyof typeof DIMENSIONS,
): Promise<Map<string, Recomputed>> {
  const { rows } = await owner.query<Recomputed & { id: string }>(
    `select (${DIMENSIONS[of].id})::text as id, ${FIGURES} from published
     where tenant_id = $1 and at >= $2 and at < $3 and ${DIMENSIONS[of].where} group by 1`,
    [tenantId, from, to],
  );
  return new Map(rows.map(({ id, ...figures }) => [id, figures]));
}

/** The events of each hour, day, week or month of a time zone, by its start: of an hour the moment, else the local time. */
export async function recomputeSeries(
  owner: pg.Client,
  tenantId: string,
  { from, to, interval, timezone }: Period,
): Promise<Map<string, Recomputed>> {
  const { rows } = await owner.query<Recomputed & { local: string }>(
    `select case when $4 = 'hour' then date_trunc('hour', at, $5)::text else date_trunc($4, at at time zone $5)::text end as local,
       ${FIGURES} from published where tenant_id = $1 and at >= $2 and at < $3 group by 1`,
    [tenantId, from, to, interval, timezone],
  );
  return new Map(rows.map(({ local, ...figures }) => [local, figures]));
}

/** The same start, of a point of a series. */
export async function localStarts(
  owner: pg.Client,
  points: readonly Date[],
  { interval, timezone }: Period,
): Promise<string[]> {
  const { rows } = await owner.query<{ local: string }>(
    `select case when $2 = 'hour' then at::text else (at at time zone $3)::text end as local
     from unnest($1::timestamptz[]) with ordinality p(at, n) order by n`,
    [points, interval, timezone],
  );
  return rows.map(({ local }) => local);
}
