import type { Context } from 'koa';
import type { Channel } from '../../../db/entities/channels.ts';
import type { TopicRow } from '../../../domain/choices/preferences/choices.ts';
import type { PagePreferences } from '../../../domain/choices/preferences/page-preferences.ts';
import type { AppError } from '../../../lib/checks/errors.ts';
import { escapeHtml, htmlPage, pagePolicy } from '../../pages/html.ts';
import { imprintOn } from '../../pages/imprint.ts';
import { preferredLanguage } from '../../pages/language.ts';
import { PAGE_TEXTS, type PageTexts } from './texts.ts';
import type { Reply } from '../../route/route.ts';

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;
/** Isolates text from other sources, so that its direction does not affect the text around it. */
const foreign = (text: string): string => `<bdi>${escapeHtml(text)}</bdi>`;

/** A page for a recipient, in the visitor's language; `body` is HTML. */
export function recipientPage(
  ctx: Context,
  write: (texts: PageTexts) => { title: string; body: string },
  status = 200,
): Reply {
  const language = preferredLanguage(ctx.get('accept-language'));
  const { title, body } = write(PAGE_TEXTS[language]);
  const imprint = imprintOn(ctx);
  ctx.vary('Accept-Language');
  return {
    status,
    body: htmlPage(title, `<h1>${escapeHtml(title)}</h1>\n${body}`, language, imprint),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': language,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': pagePolicy({ imprint }),
      'Referrer-Policy': 'no-referrer',
    },
  };
}

type Statement = 'confirmed' | 'senderConfirmed' | 'preview' | 'erased' | 'nothing';

/** A page with one message and no form. */
export const statementPage = (ctx: Context, what: Statement): Reply =>
  recipientPage(ctx, ({ [what]: { title, text } }) => ({ title, body: `<p role="status">${escapeHtml(text)}</p>` }));

/** The page for an address that leads nowhere. */
export const missingPage = (ctx: Context): Reply =>
  recipientPage(
    ctx,
    ({ missing: { title, text } }) => ({ title, body: `<p role="alert">${escapeHtml(text)}</p>` }),
    404,
  );

/** The error page that browsers get instead of a problem document. */
export function recipientErrorPage(ctx: Context, error: AppError): Reply {
  const isDead = error.status === 400 || error.status === 404;
  return recipientPage(
    ctx,
    ({ deadLink, failed }) => {
      const { title, text } = isDead ? deadLink : failed;
      return { title, body: `<p role="alert">${escapeHtml(text)}</p>` };
    },
    error.status,
  );
}

export const unsubscribedPage = (ctx: Context): Reply =>
  recipientPage(ctx, ({ unsubscribed: { title, text, back } }) => ({
    title,
    body: `<p role="status">${escapeHtml(text)}</p>\n${paragraph(back)}`,
  }));

/** The page to show if there is nothing left to choose, else null. */
function closedPage(ctx: Context, { channels, erased }: PagePreferences): Reply | null {
  if (erased) return statementPage(ctx, 'erased');
  return channels.length === 0 ? unsubscribedPage(ctx) : null;
}

/** The unsubscribe page, with a link to the preferences if there is something to choose. */
export function unsubscribePage(ctx: Context, token: string, preferences: PagePreferences): Reply {
  if (preferences.unsubscribed && !preferences.erased) return unsubscribedPage(ctx);
  return (
    closedPage(ctx, preferences) ??
    recipientPage(ctx, ({ unsubscribe: { title, text, button, choose } }) => {
      const other =
        preferences.topics.length > 0 || preferences.channels.length > 1
          ? `\n<p><a href="../preferences/${escapeHtml(token)}">${escapeHtml(choose)}</a></p>`
          : '';
      return {
        title,
        body: `${paragraph(text)}\n<form method="post"><button type="submit">${escapeHtml(button)}</button></form>${other}`,
      };
    })
  );
}

/**
 * The page for choosing topics on each channel, and quiet hours. `outcome`: the choice was saved, or could not be,
 * because the quiet hours are none.
 */
export function preferencesPage(
  ctx: Context,
  preferences: PagePreferences,
  { outcome }: { outcome?: 'saved' | 'wrong' } = {},
): Reply {
  const { channels, unsubscribed } = preferences;
  return (
    closedPage(ctx, preferences) ??
    recipientPage(
      ctx,
      ({ preferences: texts, unsubscribed: off }) => ({
        title: channels.length === 1 && !unsubscribed ? texts.title : texts.titleAll,
        body: [
          ...(outcome === 'saved' ? [savedHtml(preferences, texts)] : []),
          ...(outcome === 'wrong' ? [`<p role="alert" class="error">${escapeHtml(texts.quiet.wrong)}</p>`] : []),
          ...(unsubscribed ? [paragraph(off.text)] : []),
          choiceForm(preferences, texts),
          ...(unsubscribed ? [] : [unsubscribeForm(texts.all, 'all')]),
          ...(channels.some((channel) => channel !== 'email') ? [unsubscribeForm(texts.anywhere, 'anywhere')] : []),
        ].join('\n'),
      }),
      outcome === 'wrong' ? 400 : 200,
    )
  );
}

const unsubscribeForm = ({ title, text, button }: PageTexts['preferences']['all'], value: 'all' | 'anywhere'): string =>
  `<section class="apart"><h2>${escapeHtml(title)}</h2>\n${paragraph(text)}
<form method="post"><input type="hidden" name="unsubscribe" value="${value}"><button type="submit" class="plain">${escapeHtml(button)}</button></form></section>`;

function savedHtml({ topics, channels }: PagePreferences, texts: PageTexts['preferences']): string {
  const { saved, savedAbout, savedNone } = texts;
  const wanted = topics.filter(({ email }) => email);
  if (topics.length === 0 || channels.join() !== 'email') return `<p role="status"><b>${escapeHtml(saved)}</b></p>`;
  if (wanted.length === 0) return `<p role="status"><b>${escapeHtml(saved)}</b> ${escapeHtml(savedNone)}</p>`;
  return `<p role="status"><b>${escapeHtml(saved)}</b> ${escapeHtml(savedAbout)} ${wanted.map(({ name }) => foreign(name)).join(' · ')}</p>`;
}

/** The names of a channel's checkboxes. */
const FIELDS: Record<Channel, string> = { email: 'topic', sms: 'topicSms', push: 'topicPush' };

function choiceForm(preferences: PagePreferences, texts: PageTexts['preferences']): string {
  const { topics, channels } = preferences;
  const shown = channels.map((channel) => `<input type="hidden" name="channel" value="${channel}">`).join('');
  const choices =
    topics.length === 0
      ? paragraph(texts.noTopics)
      : channels.join() === 'email'
        ? `${topicList(topics, texts)}\n${paragraph(texts.other)}`
        : topicTable(preferences, texts);
  return `<form method="post">${shown}${choices}
${quietFields(preferences, texts.quiet)}
<button type="submit">${escapeHtml(texts.save)}</button></form>`;
}

function topicList(topics: readonly TopicRow[], { legend }: PageTexts['preferences']): string {
  const choices = topics.map(({ topicId: id, name, description, email }) => {
    const hint = description ? `<p class="hint" id="topic-${id}-hint">${foreign(description)}</p>` : '';
    return `<li><input type="checkbox" id="topic-${id}" name="topic" value="${id}"${email ? ' checked' : ''}${hint ? ` aria-describedby="topic-${id}-hint"` : ''}>
<label for="topic-${id}">${foreign(name)}</label>${hint}</li>`;
  });
  return `<fieldset class="field"><legend>${escapeHtml(legend)}</legend>
<ul class="choices">
${choices.join('\n')}
</ul></fieldset>`;
}

/** A row for each topic, and a column for each channel. */
function topicTable({ topics, channels }: PagePreferences, texts: PageTexts['preferences']): string {
  const heads = channels.map(
    (channel) => `<th scope="col" id="on-${channel}">${escapeHtml(texts.channels[channel])}</th>`,
  );
  const lines = topics.map((topic) => {
    const { topicId: id, name, description } = topic;
    const hint = description ? `<p class="hint" id="topic-${id}-hint">${foreign(description)}</p>` : '';
    const boxes = channels.map(
      (channel) =>
        `<td><input type="checkbox" name="${FIELDS[channel]}" value="${id}"${topic[channel] ? ' checked' : ''} aria-labelledby="topic-${id} on-${channel}"${hint ? ` aria-describedby="topic-${id}-hint"` : ''}></td>`,
    );
    return `<tr><th scope="row"><span id="topic-${id}">${foreign(name)}</span>${hint}</th>${boxes.join('')}</tr>`;
  });
  return `<fieldset class="field"><legend>${escapeHtml(texts.legendAll)}</legend>
<table class="topics"><thead><tr><td></td>${heads.join('')}</tr></thead><tbody>
${lines.join('\n')}
</tbody></table></fieldset>
${paragraph(texts.otherAll)}`;
}

const zones = Intl.supportedValuesOf('timeZone');

function quietFields(
  { quietHours, timezone: usual }: PagePreferences,
  texts: PageTexts['preferences']['quiet'],
): string {
  const { from = '', to = '', timezone = usual } = quietHours ?? {};
  const options = [...new Set([timezone, ...zones])].map(
    (zone) => `<option${zone === timezone ? ' selected' : ''}>${escapeHtml(zone)}</option>`,
  );
  const time = (name: string, label: string, value: string): string =>
    `<p><label for="${name}">${escapeHtml(label)}</label><input type="time" id="${name}" name="${name}" value="${value}"></p>`;
  return `<fieldset class="field quiet"><legend>${escapeHtml(texts.legend)}</legend>
<p class="hint">${escapeHtml(texts.text)}</p>
<div class="times">${time('quietFrom', texts.from, from)}${time('quietTo', texts.to, to)}</div>
<p><label for="quietTimezone">${escapeHtml(texts.timezone)}</label><select id="quietTimezone" name="quietTimezone">${options.join('')}</select></p></fieldset>`;
}

/** The page for confirming an address: opening the link confirms nothing, because scanners follow links. */
export const confirmPage = (ctx: Context): Reply =>
  recipientPage(ctx, ({ confirm: { title, text, button } }) => ({
    title,
    body: `${paragraph(text)}\n<form method="post"><button type="submit">${escapeHtml(button)}</button></form>`,
  }));

/**
 * The page for allowing an account to send from an address. It names the account, whose emails will look as if the
 * owner of the address had sent them.
 */
export const confirmSenderPage = (ctx: Context, { email, tenantId }: { email: string; tenantId: string }): Reply =>
  recipientPage(ctx, ({ confirmSender: { title, text, account, caution, button } }) => ({
    title,
    body: `${paragraph(text)}\n<p><b>${foreign(email)}</b></p>\n<p>${escapeHtml(account)} <b>${foreign(tenantId)}</b></p>
${paragraph(caution)}\n<form method="post"><button type="submit">${escapeHtml(button)}</button></form>`,
  }));
