import { rate } from '../common/rate.ts';
import type { Contacts } from './read-contacts.ts';
import type { Figures } from './read-counts.ts';

/** The figures of emails that are sums over time. */
export function emailFigures(figures: Figures) {
  // An email may bounce in a later period than it was sent in, so the difference can be negative.
  const delivered = Math.max(0, figures.emails_sent - figures.bounces);
  return {
    sent: figures.emails_sent,
    delivered,
    failed: figures.emails_failed,
    opens: figures.opens,
    uniqueOpens: figures.unique_opens,
    clicks: figures.clicks,
    uniqueClicks: figures.unique_clicks,
    automatedOpens: figures.automated_opens,
    automatedClicks: figures.automated_clicks,
    bounces: figures.bounces,
    unsubscribes: figures.unsubscribes,
    openRate: rate(figures.unique_opens, delivered),
    clickRate: rate(figures.unique_clicks, delivered),
  };
}

/** The same, and how many contacts opened and clicked: these are not sums over time. */
export const emailTotals = (figures: Figures, contacts: Contacts) => ({
  ...emailFigures(figures),
  contactsOpened: contacts.opened,
  contactsClicked: contacts.clicked,
});
