import { Type, type TProperties } from 'typebox';
import { BREAKDOWNS } from '../../domain/analytics/breakdowns.ts';
import { INTERVALS } from '../../domain/analytics/period.ts';
import { nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';

export const periodQuery = {
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Inclusive; rounded down to the start of its 5-minute window' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Exclusive; rounded up to the end of its 5-minute window' }),
  ),
  interval: Type.Optional(oneOf(INTERVALS, { default: 'day' })),
  timezone: Type.Optional(Type.String({ maxLength: 64, default: 'UTC', examples: ['Europe/Warsaw'] })),
};

/** The query parameters of a breakdown by one of several dimensions, sorted by default by the first figure of the first. */
export function breakdownQuery(...dimensions: [keyof typeof BREAKDOWNS, ...(keyof typeof BREAKDOWNS)[]]) {
  const figures = [...new Set(dimensions.flatMap((of) => Object.keys(BREAKDOWNS[of].sortable))), 'id'];
  return {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Maximum number of rows of the breakdown' }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 2048, description: 'The nextCursor of the previous page' })),
    sort: Type.Optional(
      oneOf([...figures, ...figures.map((figure) => `-${figure}`)], {
        description: `The figure to sort the breakdown by; prefix \`-\` for descending order. Default: ${dimensions
          .map((of) => `\`-${Object.keys(BREAKDOWNS[of].sortable)[0]}\``)
          .join(' or ')}`,
      }),
    ),
  };
}

export const Period = strict(
  { from: Timestamp, to: Timestamp, interval: oneOf(INTERVALS), timezone: Type.String() },
  {
    description:
      'What all figures cover: the period that was asked for, extended to whole 5-minute windows. Where single events are no longer stored (`ANALYTICS_EVENTS_DAYS`), it is extended to whole hours',
  },
);

/** Which rows of the breakdown are in the answer. */
export const BreakdownPage = strict({
  limit: Type.Integer({ examples: [50] }),
  nextCursor: nullable(Type.String({ description: 'The cursor of the next page; null on the last page' })),
  hasMore: Type.Boolean(),
});

export const count = Type.Integer();
const fraction = (description: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `${description}. A fraction: 0.25 = 25%` });
const contacts = (description: string) =>
  Type.Integer({ description: `${description}. Each counts once, so figures of parts of a period need not add up` });

export const emailFigures = {
  sent: count,
  delivered: Type.Integer({
    description:
      '`sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up',
  }),
  failed: count,
  opens: count,
  clicks: count,
  automatedOpens: Type.Integer({ description: 'By machines; not among `opens`' }),
  automatedClicks: Type.Integer({ description: 'By machines; not among `clicks`' }),
  bounces: count,
  unsubscribes: count,
  openRate: fraction('Emails opened for the first time, of those delivered'),
  clickRate: fraction('Emails clicked for the first time, of those delivered'),
};
export const emailTotals = {
  ...emailFigures,
  uniqueOpens: contacts('Contacts that opened an email'),
  uniqueClicks: contacts('Contacts that clicked a link'),
};
export const linkFigures = {
  clicks: count,
  uniqueClicks: contacts('Contacts that clicked it'),
  automatedClicks: Type.Integer({ description: 'By machines; not among `clicks`' }),
};
export const campaignFigures = { entries: count, completions: count, ...emailFigures };
export const campaignTotals = {
  ...campaignFigures,
  ...emailTotals,
  conversions: strict({
    total: Type.Integer({ description: 'Goals of campaigns that were met' }),
    contacts: contacts('Contacts that met one'),
    rate: fraction('`contacts` of those that were mailed in the period'),
  }),
};
export const formFigures = {
  views: count,
  submissions: count,
  conversionRate: fraction('`submissions` of `views`'),
};
export const formTotals = { ...formFigures, contacts: contacts('Contacts that submitted a form') };
export const conversionFigures = {
  total: Type.Integer({ description: '`goals` and `submissions`' }),
  goals: Type.Integer({ description: 'Goals of campaigns that were met' }),
  submissions: Type.Integer({ description: 'Submissions of forms' }),
  contacts: contacts('Contacts that met a goal or submitted a form'),
  rate: fraction('`contacts` of those that were mailed in the period'),
};

export const series = <T extends TProperties>(figures: T) => Type.Array(strict({ at: Timestamp, ...figures }));
export const name = nullable(Type.String({ description: 'Null if it was deleted' }));
