import { assertValid } from '../../lib/checks/errors.ts';
import { recordVisit } from '../../domain/scoring/visits/record-visit.ts';
import { pageViolations } from '../../domain/scoring/visits/visited-page.ts';
import { apiUrlOf } from '../route/api-url.ts';
import { accepted, noContent, route, type RouteSpec } from '../route/route.ts';
import * as schema from './visit-schema.ts';
import { EventAccepted, ScoringEvent } from './schema.ts';
import { recordToldVisit, visitScriptReply, visitScriptTag } from './visits.ts';

export const visitRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/scoring/events',
    operationId: 'recordScoringEvent',
    summary: 'Record a website visit',
    description:
      'For programs: writes a WEBSITE_VISITED event for the contact, which is scored as any event. Each request counts: neither repeated visits nor many of them are left out, as they are from what the visit script tells. An `Idempotency-Key` prevents that a repeated request counts twice. Refused while the contact is being erased (409 `conflict`).',
    access: 'scoring:write',
    body: ScoringEvent,
    responses: { 202: { schema: EventAccepted } },
    errors: ['not_found', 'conflict'],
    check: ({ body }) => pageViolations(body.data ?? {}, '/data'),
    handler: async ({ em, principal, requestId, body: { contactId, data = {} } }) => {
      const origin = { tenantId: principal.tenantId, requestId };
      const eventId = await recordVisit(em, origin, { contactId, page: data });
      return accepted(`/contacts/${contactId}/activities`, { eventId });
    },
  }),
  route({
    method: 'GET',
    path: '/scoring/visits/embed',
    operationId: 'getVisitEmbed',
    summary: 'Get the code that tells of visits, for all pages of a site',
    description:
      'An HTML element for the `<head>` of every page. It loads the visit script, which tells of pages that known contacts visit, and does nothing for others.',
    access: 'scoring:read',
    responses: { 200: { schema: schema.VisitEmbed } },
    handler: async ({ deps, principal: { tenantId: site } }) => ({
      body: { site, code: visitScriptTag(apiUrlOf(deps), site) },
    }),
  }),
  route({
    method: 'GET',
    path: '/scoring/visits/script.js',
    operationId: 'getVisitScript',
    summary: 'Get the script that tells which pages of a site known contacts visit',
    description: 'Its name stays, and its content changes with the service.',
    access: 'public',
    openQuery: true,
    query: schema.ScriptQuery,
    responses: { 200: { contentType: 'text/javascript', description: 'A script' } },
    handler: async ({ ctx }) => visitScriptReply(ctx),
  }),
  route({
    method: 'POST',
    path: '/scoring/visits',
    operationId: 'tellVisit',
    summary: 'Tell that a contact visits a page',
    description:
      'The visit script calls it, with JSON as text, which needs no preflight. Each valid request is answered in the same way: visits without a valid token of a contact of the site, by robots, of a contact that is being erased, and of a page that the contact visited less than 10 seconds before are not kept, and neither are more than 60 visits of a contact in a minute, which begins with the first of them. Unknown fields are ignored.',
    access: 'public',
    openQuery: true,
    body: schema.Visit,
    bodyTypes: ['json', 'text'],
    bodyLimit: 16 * 1024,
    responses: { 204: { description: 'Recorded, or ignored' } },
    errors: ['unavailable'],
    check: ({ body }) => pageViolations(body),
    handler: async ({ ctx, deps, requestId, body: { site, contactToken, url, referrer, title } }) => {
      const page = { url, ...(referrer ? { referrer } : {}), ...(title ? { title } : {}) };
      assertValid(pageViolations(page));
      await recordToldVisit(ctx, deps, { site, contactToken, page }, requestId);
      return noContent;
    },
  }),
];
