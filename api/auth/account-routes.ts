import { checkPassword } from '../../domain/auth/credentials/password-policy.ts';
import { addressViolations, requestMail } from '../../domain/accounts/mail-requests.ts';
import { checkToken, resetPassword, verifyEmail } from '../../domain/accounts/recover-account.ts';
import { confirmTotp, proofViolations, removeTotp, startTotp } from '../../domain/auth/credentials/totp-account.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { accountPage, deadLinkPage, logInLink, resetPage, verifyPage } from './pages.ts';
import { selfOf } from './routes.ts';
import * as schema from './schema.ts';
import { withoutPunctuation } from '../route/without-punctuation.ts';
import { noContent, route, type Reply, type RouteSpec } from '../route/route.ts';

const pages = {
  200: { contentType: 'text/html', description: 'An HTML page' },
  400: { contentType: 'text/html', description: 'An HTML page with the error' },
};
const asked = { 202: { description: 'Accepted; an email is sent if the address belongs to a user' } };

/** Runs `work` and returns its page, or the page for links that are no longer valid. */
export async function pageFor(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'token_invalid') return deadLinkPage();
    throw error;
  }
}

const newPasswordViolations = ({ body: { password } }: { body: { password?: string } }) =>
  password === undefined ? [] : checkPassword(password);

const recoveryRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/auth/forgot-password',
    operationId: 'forgotPassword',
    summary: 'Request an email to set a new password',
    access: 'public',
    description:
      'The response and its timing are the same whether or not a user has the address. A user gets at most five of these emails per hour.',
    body: schema.MailRequest,
    responses: asked,
    check: ({ body }) => addressViolations(body.email),
    handler: async ({ deps, body, requestId }) => {
      await requestMail(deps.orm, 'reset_password', body.email, requestId);
      return { status: 202, body: '' };
    },
  }),
  route({
    method: 'POST',
    path: '/auth/reset-password',
    operationId: 'resetPassword',
    summary: 'Set a new password with the token from the email',
    access: 'public',
    description: 'A token can be used once, within an hour. Ends all sessions of the user.',
    body: schema.PasswordReset,
    responses: { 204: { description: 'Set' } },
    errors: ['token_invalid'],
    check: newPasswordViolations,
    handler: async ({ deps, body, caller }) => {
      await resetPassword(deps, body, caller);
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/auth/verify-email',
    operationId: 'verifyEmail',
    summary: 'Confirm an address with the token from the email',
    access: 'public',
    description: 'A token can be used once, within 24 hours.',
    body: schema.Verification,
    responses: { 204: { description: 'Confirmed' } },
    errors: ['token_invalid'],
    handler: async ({ deps, body, caller }) => {
      await verifyEmail(deps, body.token, caller);
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/auth/verify-email/resend',
    operationId: 'resendVerification',
    summary: 'Request another email to confirm an address',
    access: 'public',
    description:
      'The response and its timing are the same whether or not a user has the address. A user gets at most five of these emails per hour.',
    body: schema.MailRequest,
    responses: asked,
    check: ({ body }) => addressViolations(body.email),
    handler: async ({ deps, body, requestId }) => {
      await requestMail(deps.orm, 'verify_email', body.email, requestId);
      return { status: 202, body: '' };
    },
  }),
];

/** The targets of links in emails. A GET changes nothing, so link scanners do no harm. */
const pageRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '//reset-password',
    operationId: 'showResetPassword',
    summary: 'Page for setting a new password',
    description:
      'The link in the email leads here. Shows a form and changes nothing; the token is used up when the form is submitted.',
    access: 'public',
    query: schema.TokenQuery,
    openQuery: true,
    responses: pages,
    handler: ({ deps, query }) =>
      pageFor(async () => {
        const token = withoutPunctuation(query.token ?? '');
        await checkToken(deps, 'reset_password', token);
        return resetPage(token);
      }),
  }),
  route({
    method: 'POST',
    path: '//reset-password',
    operationId: 'submitResetPassword',
    summary: 'Submit the page for setting a new password',
    description: 'What the page sends, and answered by a page. Programs use `POST /auth/reset-password`.',
    access: 'public',
    openQuery: true,
    body: schema.PasswordReset,
    bodyTypes: ['form'],
    responses: pages,
    check: newPasswordViolations,
    handler: ({ deps, body, caller }) =>
      pageFor(async () => {
        try {
          await resetPassword(deps, body, caller);
        } catch (error) {
          if (error instanceof AppError && error.code === 'validation_failed')
            return resetPage(body.token, error.errors);
          throw error;
        }
        return accountPage(
          'Your password was changed',
          `<p role="status">You can now ${logInLink('log in')} with your new password. All your sessions were ended.</p>`,
        );
      }),
  }),
  route({
    method: 'GET',
    path: '//verify-email',
    operationId: 'showVerifyEmail',
    summary: 'Page for confirming an address',
    description:
      'The link in the email leads here. Shows a button and changes nothing, so link scanners have no effect.',
    access: 'public',
    query: schema.TokenQuery,
    openQuery: true,
    responses: pages,
    handler: ({ deps, query }) =>
      pageFor(async () => {
        const token = withoutPunctuation(query.token ?? '');
        await checkToken(deps, 'verify_email', token);
        return verifyPage(token);
      }),
  }),
  route({
    method: 'POST',
    path: '//verify-email',
    operationId: 'submitVerifyEmail',
    summary: 'Submit the page for confirming an address',
    description: 'What the page sends, and answered by a page. Programs use `POST /auth/verify-email`.',
    access: 'public',
    openQuery: true,
    body: schema.Verification,
    bodyTypes: ['form'],
    responses: pages,
    handler: ({ deps, body, caller }) =>
      pageFor(async () => {
        await verifyEmail(deps, body.token, caller);
        return accountPage(
          'Your address is confirmed',
          `<p role="status">Thank you. You can ${logInLink('log in now')}.</p>`,
        );
      }),
  }),
];

const totpRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/auth/totp',
    operationId: 'startTotp',
    summary: 'Create a TOTP secret for an authenticator app',
    access: 'user',
    description:
      'The secret takes effect when `POST /auth/totp/confirm` receives a valid code for it. It replaces an earlier secret that was not confirmed.',
    body: schema.TotpStart,
    responses: { 200: { schema: schema.TotpSecret } },
    errors: ['conflict', 'too_many_requests'],
    handler: async (call) => ({
      body: await startTotp(call.deps, selfOf(call), call.body.currentPassword),
      headers: { 'Cache-Control': 'no-store' },
    }),
  }),
  route({
    method: 'POST',
    path: '/auth/totp/confirm',
    operationId: 'confirmTotp',
    summary: 'Turn on TOTP with a first code',
    description:
      'The code must be of the secret from `POST /auth/totp`. From then on, logins need a code. 400 for a wrong code, 409 `conflict` if there is no secret to confirm.',
    access: 'user',
    body: schema.TotpConfirm,
    responses: { 204: { description: 'TOTP is on: logins require a code from now on' } },
    errors: ['conflict', 'too_many_requests'],
    handler: async (call) => {
      await confirmTotp(call.deps, selfOf(call), call.body.totp);
      return noContent;
    },
  }),
  route({
    method: 'DELETE',
    path: '/auth/totp',
    operationId: 'removeTotp',
    summary: 'Turn off TOTP, with a code or the password',
    description:
      'Takes exactly one of `totp` and `currentPassword`; a wrong one counts as a failed login. Also discards a secret that was never confirmed. 409 `conflict` if there is none.',
    access: 'user',
    body: schema.TotpRemove,
    responses: { 204: { description: 'Off' } },
    errors: ['conflict', 'too_many_requests'],
    check: ({ given }) => proofViolations(given),
    handler: async (call) => {
      await removeTotp(call.deps, selfOf(call), call.body);
      return noContent;
    },
  }),
];

/** Password recovery and email verification with their pages, and the second factor. */
export const accountRoutes: RouteSpec[] = [...recoveryRoutes, ...pageRoutes, ...totpRoutes];
