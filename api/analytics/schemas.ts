import { Type } from 'typebox';
import { BREAKDOWNS } from '../../domain/analytics/breakdowns.ts';
import { periodOf } from '../route/period-schema.ts';
import { nullable, oneOf, strict } from '../route/schemas.ts';

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

export const Period = periodOf(
  'What all figures cover: the period that was asked for, extended to whole 5-minute windows. Where single events are no longer stored (`ANALYTICS_EVENTS_DAYS`), it is extended to whole hours',
);

/** Which rows of the breakdown are in the answer. */
export const BreakdownPage = strict({
  limit: Type.Integer({ examples: [50] }),
  nextCursor: nullable(Type.String({ description: 'The cursor of the next page; null on the last page' })),
  hasMore: Type.Boolean(),
});

/** A figure that is a number of `what`. */
export const count = (what: string) => Type.Integer({ description: what });
/** A figure of now. */
export const now = (what: string) => count(`${what} now, whatever the period is`);
const fraction = (description: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `${description}. A fraction: 0.25 = 25%` });
const contacts = (description: string) =>
  Type.Integer({ description: `${description}. Each counts once, so figures of parts of a period need not add up` });

export const emailFigures = {
  sent: count(
    'Emails that a mail server accepted; without those of the service itself, such as password resets and notifications to users',
  ),
  delivered: Type.Integer({
    description:
      '`sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up',
  }),
  failed: count(
    'Emails that could not be sent. Not those that were suppressed (by an opt-out, say), whose outcome is unknown, or that bounced',
  ),
  opens: count('Opens by people: an email that is opened twice counts twice'),
  uniqueOpens: count('Emails that were opened by people: each counts once, at its first open'),
  clicks: count('Clicks by people: an email with two clicks counts twice'),
  uniqueClicks: count('Emails with a click by people: each counts once, at its first click'),
  automatedOpens: count('By machines; not among `opens`'),
  automatedClicks: count('By machines; not among `clicks`'),
  bounces: count('Emails that came back, hard or soft; each counts once, when it first bounced'),
  unsubscribes: count('Contacts that unsubscribed, in whatever way'),
  openRate: fraction('`uniqueOpens` of `delivered`'),
  clickRate: fraction('`uniqueClicks` of `delivered`'),
};
export const emailTotals = {
  ...emailFigures,
  contactsOpened: contacts('Contacts that opened an email'),
  contactsClicked: contacts('Contacts that clicked a link'),
};
export const linkFigures = {
  clicks: count('Clicks by people'),
  contactsClicked: contacts('Contacts that clicked it'),
  automatedClicks: count('By machines; not among `clicks`'),
};
export const campaignFigures = {
  entries: count('Executions that began: a contact that enters twice counts twice. Email campaigns have none'),
  completions: count('Executions that reached the end; not those that were stopped or failed'),
  ...emailFigures,
};
export const campaignTotals = {
  ...campaignFigures,
  ...emailTotals,
  conversions: strict({
    total: count('Goals of campaigns that were met'),
    contacts: contacts('Contacts that met one'),
    rate: fraction('`contacts` of those that were mailed in the period'),
  }),
};
export const formFigures = {
  views: count('Views of forms'),
  submissions: count('Submissions that were accepted'),
  conversionRate: fraction('`submissions` of `views`, at most 1: programs may submit forms that nobody viewed'),
};
export const formTotals = { ...formFigures, contacts: contacts('Contacts that submitted a form') };
export const conversionFigures = {
  total: count('`goals` and `submissions`'),
  goals: count('Goals of campaigns that were met'),
  submissions: count('Submissions of forms'),
  contacts: contacts('Contacts that met a goal or submitted a form'),
  rate: fraction('`contacts` of those that were mailed in the period'),
};

export const name = nullable(Type.String({ description: 'Null if it was deleted' }));
