import { Invitation } from '../../db/entities/auth.ts';
import {
  acceptInvitation,
  createInvitation,
  deleteInvitation,
  invitationOf,
} from '../../domain/accounts/invitations.ts';
import { listInvitations } from '../../domain/accounts/list-invitations.ts';
import { unknownRoles } from '../../domain/auth/access/grants.ts';
import { addressViolations } from '../../domain/accounts/mail-requests.ts';
import { checkRegistration } from '../../domain/accounts/register-user.ts';
import { AppError, notFound } from '../../lib/checks/errors.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import * as schema from './admin-schema.ts';
import { acceptPage } from './accept-page.ts';
import { pageFor } from './account-routes.ts';
import { accountPage, logInLink } from './pages.ts';
import { presentInvitation, presentUser } from './presenter.ts';
import { TokenQuery, User as UserSchema } from './schema.ts';
import { toAppError } from '../../domain/common/database-errors.ts';
import { withoutPunctuation } from '../route/without-punctuation.ts';
import { assertIfMatch, created, noContent, route, type RouteSpec } from '../route/route.ts';

const wrong = { contentType: 'text/html', description: 'An HTML page with the error' };
const pages = { 200: { contentType: 'text/html', description: 'An HTML page' }, 400: wrong, 409: wrong };

export const invitationRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/auth/invitations',
    operationId: 'listInvitations',
    summary: 'List invitations',
    description: 'OPEN ones, and those that were ACCEPTED or EXPIRED.',
    access: 'users:read',
    query: schema.InvitationQuery,
    responses: { 200: { schema: listOf(schema.Invitation) } },
    handler: async ({ em, query }) => ({
      body: await listInvitations(em, query, (found) => found.map(presentInvitation)),
    }),
  }),
  route({
    method: 'POST',
    path: '/auth/invitations',
    operationId: 'createInvitation',
    summary: 'Invite a user by email',
    access: 'users:write',
    description:
      'The link in the email can be used once, within 7 days. Inviting an address again invalidates the earlier link. Invitations to an address are rate limited across all tenants: bursts of five, then one every twelve minutes.',
    body: schema.InvitationCreate,
    responses: { 201: { schema: schema.Invitation } },
    errors: ['email_taken', 'too_many_requests'],
    check: async ({ tx, body }) => [...addressViolations(body.email), ...(await unknownRoles(tx, body.roles ?? []))],
    handler: async (call) => {
      const invitation = await createInvitation(call.deps, call, {
        email: call.body.email,
        roles: call.body.roles ?? ['User'],
      });
      return created(`/auth/invitations/${invitation.id}`, presentInvitation(invitation));
    },
  }),
  route({
    method: 'GET',
    path: '/auth/invitations/{id}',
    operationId: 'getInvitation',
    summary: 'Get an invitation',
    description: 'Its token is in the email only.',
    access: 'users:read',
    params: IdParams,
    responses: { 200: { schema: schema.Invitation } },
    handler: async ({ em, params }) => {
      const invitation = await em.findOne(Invitation, { id: params.id });
      if (!invitation) throw notFound('invitation', params.id);
      return { body: presentInvitation(invitation) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/auth/invitations/{id}',
    operationId: 'deleteInvitation',
    summary: 'Revoke an invitation',
    description:
      'The link in the email stops working. 409 `conflict` if the invitation was accepted: then disable the user.',
    access: 'users:write',
    params: IdParams,
    responses: { 204: { description: 'Revoked' } },
    errors: ['conflict', 'precondition_failed'],
    handler: async (call) => {
      await deleteInvitation(call.em, call, call.params.id, (current) => assertIfMatch(call.ifMatch, current.version));
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/auth/invitations/accept',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation and create the user account',
    description:
      'Creates the user with the roles of the invitation, also where registration is disabled; the address needs no other confirmation. Logs nobody in. A token that was used, revoked or expired is a 400 `token_invalid`.',
    access: 'public',
    body: schema.InvitationAccept,
    responses: { 201: { schema: UserSchema } },
    errors: ['token_invalid', 'username_taken', 'email_taken'],
    check: ({ body }) => checkRegistration(body).violations,
    handler: async ({ deps, body, caller }) =>
      created('/auth/profile', presentUser(await acceptInvitation(deps, body, caller))),
  }),
  route({
    method: 'GET',
    path: '//accept-invitation',
    operationId: 'showAcceptInvitation',
    summary: 'Page for accepting an invitation',
    description: 'The link in the email leads here. Shows a form and changes nothing.',
    access: 'public',
    query: TokenQuery,
    openQuery: true,
    responses: pages,
    handler: ({ deps, query }) =>
      pageFor(async () => {
        const token = withoutPunctuation(query.token ?? '');
        return acceptPage(token, await invitationOf(deps, token));
      }),
  }),
  route({
    method: 'POST',
    path: '//accept-invitation',
    operationId: 'submitAcceptInvitation',
    summary: 'Submit the page for accepting an invitation',
    description: 'What the page sends, and answered by a page. Programs use `POST /auth/invitations/accept`.',
    access: 'public',
    openQuery: true,
    body: schema.InvitationAccept,
    bodyTypes: ['form'],
    responses: pages,
    check: ({ body }) => checkRegistration(body).violations,
    handler: ({ deps, body, caller }) =>
      pageFor(async () => {
        const invitation = await invitationOf(deps, body.token);
        try {
          await acceptInvitation(deps, body, caller);
        } catch (error) {
          const refusal = error instanceof AppError ? error : toAppError(error);
          if (refusal?.errors) return acceptPage(body.token, invitation, body, refusal);
          throw error;
        }
        return accountPage(
          'Welcome',
          `<p role="status">Your account was created. You can ${logInLink('log in now')}.</p>`,
        );
      }),
  }),
];
