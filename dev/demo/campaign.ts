import type { Client } from './client.ts';

/** Until the last mails, from the start of the campaign: those who opened the first one get theirs while others wait. */
const LAST_AFTER_MS = 50_000;

const html = (
  title: string,
  text: string,
): string => `<!doctype html><html><body><h1>${title}</h1><p>Hello {{firstName}}{% if company %} of {{company}}{% endif %},</p>
<p>${text}</p><p><a href="https://www.example.com/guide?for={{firstName | url_encode}}">Read the guide</a></p>
<p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p></body></html>`;

/**
 * Creates a welcome series with a branch. Also returns the step of each of its subjects for a contact of this first
 * name: they name the run, so that the mails of others in the catcher are told apart.
 */
export async function createCampaign(api: Client, run: string) {
  const mails = [
    ['welcome', 'Welcome, {{firstName}}', html('Welcome', 'It is good to have you here.')],
    ['tips', 'Three tips', html('Three tips', 'You read our first mail, so here is more.')],
    ['reminder', 'In case you missed it', html('In case you missed it', 'Our first mail may have got lost.')],
    ['last', 'One last thing', html('One last thing', 'This is the end of our welcome.')],
  ] as const;
  const templates: Record<string, number> = {};
  for (const [step, subject, content] of mails) {
    templates[step] = (
      await api.call('POST', '/emails/templates', { name: `${run} ${step}`, subject: `${subject} (${run})`, content })
    ).id;
  }
  const email = (id: string, next?: string) => ({
    id,
    type: 'EMAIL',
    config: { templateId: templates[id] },
    ...(next ? { next } : {}),
  });
  // Who has come so far by then goes on at once: the demo is to take less than two minutes.
  const lastAt = new Date(Date.now() + LAST_AFTER_MS).toISOString();
  const campaign = await api.call('POST', '/campaigns', {
    name: `Welcome series ${run}`,
    steps: [
      email('welcome'),
      {
        id: 'opened',
        type: 'WAIT_FOR_EVENT',
        config: {
          event: 'EMAIL_OPENED',
          where: [{ field: 'stepId', operator: 'eq', value: 'welcome' }],
          timeoutMinutes: 1,
          onTimeout: 'reminder',
        },
      },
      email('tips', 'before-last'),
      email('reminder'),
      { id: 'before-last', type: 'WAIT', config: { until: lastAt } },
      email('last'),
    ],
  });
  const subjectsFor = (firstName: string): [subject: string, step: string][] =>
    mails.map(([step, subject]) => [`${subject.replace('{{firstName}}', firstName)} (${run})`, step]);
  return { id: campaign.id as number, subjectsFor };
}
