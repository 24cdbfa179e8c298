import type { Violation } from '../../lib/checks/errors.ts';
import { escapeHtml, htmlPage, pagePolicy } from '../pages/html.ts';
import type { Reply } from '../route/route.ts';

/** For pages whose URL contains a token: not cached, no referrer (RFC 9700, 4.2.4), no scripts. */
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': pagePolicy(),
  'Referrer-Policy': 'no-referrer',
};

/** An account page; `body` is HTML. */
export function accountPage(title: string, body: string, status = 200): Reply {
  return {
    status,
    headers,
    body: htmlPage(`${title} · Perennial`, `<p><b>Perennial</b></p>\n<h1>${escapeHtml(title)}</h1>\n${body}`),
  };
}

/** Leads to the login among the operations of the API. */
export const logInLink = (text: string): string => `<a href="docs#/auth/login">${escapeHtml(text)}</a>`;

/** The page for a link that is no longer valid. */
export const deadLinkPage = (): Reply =>
  accountPage(
    'This link no longer works',
    '<p role="alert">It was already used, has expired or was not copied completely. Please request a new one.</p>',
    400,
  );

/** A form field, with its errors. */
export function fieldHtml({
  name,
  label,
  attributes,
  hint,
  errors = [],
}: {
  name: string;
  label: string;
  attributes: string;
  hint?: string;
  errors?: readonly Violation[];
}): string {
  const ids = [...(hint ? [`${name}-hint`] : []), ...(errors.length > 0 ? [`${name}-error`] : [])];
  const messages = errors.map(({ message }) => `<li>${escapeHtml(message)}</li>`).join('');
  return `<div class="field"><label for="${name}">${escapeHtml(label)}</label>
${hint ? `<p class="hint" id="${name}-hint">${escapeHtml(hint)}</p>\n` : ''}<input id="${name}" name="${name}" ${attributes}${ids.length > 0 ? ` aria-describedby="${ids.join(' ')}"` : ''}${errors.length > 0 ? ' aria-invalid="true" autofocus' : ''}>
${errors.length > 0 ? `<div class="error" id="${name}-error" role="alert">${escapeHtml(label)}<ul>${messages}</ul></div>` : ''}</div>`;
}

/** The rules of the password policy in one sentence. */
export const PASSWORD_HINT =
  'At least 8 characters, with an upper-case letter, a lower-case letter, a digit and a special character.';

/** A form that posts to its own page; the token is sent in the body, not in the URL. */
export function accountForm(page: string, token: string, fields: string, button: string): string {
  return `<form method="post" action="${page}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
${fields}<button type="submit">${escapeHtml(button)}</button>
</form>`;
}

/** The page for setting a new password. */
export function resetPage(token: string, errors: readonly Violation[] = []): Reply {
  const password = fieldHtml({
    name: 'password',
    label: 'New password',
    hint: PASSWORD_HINT,
    errors,
    attributes: 'type="password" required autocomplete="new-password" maxlength="1000"',
  });
  return accountPage(
    'Set a new password',
    accountForm('reset-password', token, `${password}\n`, 'Set the password'),
    errors.length > 0 ? 400 : 200,
  );
}

/** The page for confirming an address: opening the link confirms nothing, because scanners follow links. */
export const verifyPage = (token: string): Reply =>
  accountPage(
    'Confirm your email address',
    `<p>Please confirm that this address is yours.</p>\n${accountForm('verify-email', token, '', 'Confirm the address')}`,
  );
