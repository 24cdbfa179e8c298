import type { Context } from 'koa';
import type { Preferences, TopicChoice } from '../../../domain/emails/consent/preferences.ts';
import type { AppError } from '../../../domain/common/errors.ts';
import { escapeHtml, htmlPage, pagePolicy } from '../../pages/html.ts';
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
  ctx.vary('Accept-Language');
  return {
    status,
    body: htmlPage(title, `<h1>${escapeHtml(title)}</h1>\n${body}`, language),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': language,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': pagePolicy(),
      'Referrer-Policy': 'no-referrer',
    },
  };
}

type Statement = 'confirmed' | 'senderConfirmed' | 'preview' | 'erased';

/** A page with one message and no form. */
export const statementPage = (ctx: Context, what: Statement): Reply =>
  recipientPage(ctx, ({ [what]: { title, text } }) => ({ title, body: `<p role="status">${escapeHtml(text)}</p>` }));

/** The error page that browsers get instead of a problem document. */
export function recipientErrorPage(ctx: Context, error: AppError): Reply {
  const isDead = error.code === 'token_invalid' || error.code === 'not_found';
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
function closedPage(ctx: Context, { unsubscribed, erased }: Preferences): Reply | null {
  if (erased) return statementPage(ctx, 'erased');
  return unsubscribed ? unsubscribedPage(ctx) : null;
}

/** The unsubscribe page, with a link to the preferences if there is something to choose. */
export function unsubscribePage(ctx: Context, token: string, preferences: Preferences): Reply {
  return (
    closedPage(ctx, preferences) ??
    recipientPage(ctx, ({ unsubscribe: { title, text, button, choose } }) => {
      const other =
        preferences.topics.length > 0
          ? `\n<p><a href="../preferences/${escapeHtml(token)}">${escapeHtml(choose)}</a></p>`
          : '';
      return {
        title,
        body: `${paragraph(text)}\n<form method="post"><button type="submit">${escapeHtml(button)}</button></form>${other}`,
      };
    })
  );
}

/** The page for choosing topics; with `saved`, it confirms the saved choice. */
export function preferencesPage(ctx: Context, preferences: Preferences, { saved = false } = {}): Reply {
  return (
    closedPage(ctx, preferences) ??
    recipientPage(ctx, ({ preferences: texts }) => ({
      title: texts.title,
      body: [
        ...(saved ? [savedHtml(preferences.topics, texts)] : []),
        preferences.topics.length > 0 ? topicsForm(preferences.topics, texts) : paragraph(texts.noTopics),
        `<section class="apart"><h2>${escapeHtml(texts.all.title)}</h2>\n${paragraph(texts.all.text)}`,
        `<form method="post"><input type="hidden" name="unsubscribe" value="all"><button type="submit" class="plain">${escapeHtml(texts.all.button)}</button></form></section>`,
      ].join('\n'),
    }))
  );
}

function savedHtml(topics: readonly TopicChoice[], { saved, savedAbout, savedNone }: PageTexts['preferences']): string {
  const wanted = topics.filter((topic) => topic.wanted);
  if (topics.length === 0) return `<p role="status">${escapeHtml(saved)}</p>`;
  if (wanted.length === 0) return `<p role="status"><b>${escapeHtml(saved)}</b> ${escapeHtml(savedNone)}</p>`;
  return `<p role="status"><b>${escapeHtml(saved)}</b> ${escapeHtml(savedAbout)} ${wanted.map(({ name }) => foreign(name)).join(' · ')}</p>`;
}

function topicsForm(topics: readonly TopicChoice[], { legend, other, save }: PageTexts['preferences']): string {
  const choices = topics.map(({ id, name, description, wanted }) => {
    const hint = description ? `<p class="hint" id="topic-${id}-hint">${foreign(description)}</p>` : '';
    return `<li><input type="checkbox" id="topic-${id}" name="topic" value="${id}"${wanted ? ' checked' : ''}${hint ? ` aria-describedby="topic-${id}-hint"` : ''}>
<label for="topic-${id}">${foreign(name)}</label>${hint}</li>`;
  });
  return `<form method="post"><fieldset class="field"><legend>${escapeHtml(legend)}</legend>
<ul class="choices">
${choices.join('\n')}
</ul></fieldset>
${paragraph(other)}
<button type="submit">${escapeHtml(save)}</button></form>`;
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
