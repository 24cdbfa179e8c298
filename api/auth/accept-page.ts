import type { AppError } from '../../lib/checks/errors.ts';
import { escapeHtml } from '../pages/html.ts';
import { accountForm, accountPage, fieldHtml, logInLink, PASSWORD_HINT } from './pages.ts';
import type { Reply } from '../route/route.ts';

interface Given {
  username?: string;
  firstName?: string;
  lastName?: string;
}

/**
 * The page on which an invited person becomes a user, with the values entered before and the reasons for their refusal.
 */
export function acceptPage(
  token: string,
  { email }: { email: string },
  given: Given = {},
  refusal: AppError | null = null,
): Reply {
  const field = (name: keyof Given | 'password', label: string, attributes: string, hint?: string): string => {
    const errors = (refusal?.errors ?? []).filter(({ path }) => path === `/${name}`);
    const value = name === 'password' ? '' : ` value="${escapeHtml(given[name] ?? '')}"`;
    return fieldHtml({ name, label, attributes: `${attributes} required${value}`, errors, ...(hint ? { hint } : {}) });
  };
  const fields = [
    field('firstName', 'First name', 'autocomplete="given-name" maxlength="100"'),
    field('lastName', 'Last name', 'autocomplete="family-name" maxlength="100"'),
    field(
      'username',
      'Username',
      'autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="50"',
      'Letters, digits and . _ - +, or your email address. You log in with it.',
    ),
    field('password', 'Password', 'type="password" autocomplete="new-password" maxlength="1000"', PASSWORD_HINT),
  ];
  const taken = refusal?.errors?.some(({ path }) => path === '/email')
    ? `<p class="error" role="alert">An account with this address already exists. Please ${logInLink('log in')}.</p>\n`
    : '';
  const body = `${taken}<p>You were invited as <strong style="overflow-wrap:anywhere">${escapeHtml(email)}</strong>.</p>\n${accountForm('accept-invitation', token, `${fields.join('\n')}\n`, 'Create the account')}`;
  return accountPage('Accept the invitation', body, refusal?.status ?? 200);
}
