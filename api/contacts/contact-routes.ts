import { Contact } from '../../db/entities/contacts.ts';
import { createContact } from '../../domain/contacts/people/create-contact.ts';
import { deleteContact } from '../../domain/contacts/people/delete-contact.ts';
import { listActivities, listContacts, searchContacts } from '../../domain/contacts/people/list-contacts.ts';
import { contactViolations } from '../../domain/contact-values/contact-violations.ts';
import { readContact } from '../../domain/contact-values/read-contact.ts';
import { updateContact } from '../../domain/contacts/people/update-contact.ts';
import { AppError, assertValid, notFound } from '../../lib/checks/errors.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { contactChanges } from './contact-changes.ts';
import { presentActivity, presentContact, presentContacts, presentOne } from './presenter.ts';
import * as schema from './schema.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';

/** Whether a body was read before the erasure of the contact was asked for: then it conflicts with that. */
const isOutdated = (readOnly: Record<string, unknown>, shown: { erasing: boolean }): boolean =>
  shown.erasing && readOnly['erasing'] === false;

export const contactRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/contacts',
    operationId: 'listContacts',
    summary: 'List contacts',
    description:
      'Filters are combined: a contact must meet all. `segmentId` and `listId` are the same filter. To find somebody by a part of a name use `GET /contacts/search`; to read all contacts, `GET /contacts/export`.',
    access: 'contacts:read',
    query: schema.ContactQuery,
    responses: { 200: { schema: listOf(schema.Contact) } },
    handler: async ({ em, query }) => ({ body: await listContacts(em, query, presentContacts) }),
  }),
  route({
    method: 'POST',
    path: '/contacts',
    operationId: 'createContact',
    summary: 'Create a contact',
    description:
      'An address belongs to one contact, ignoring case: 409 `email_taken`; `POST /contacts/batch` creates or updates. `company` is a name, which is found or created; `companyId` is an id; both together are a 400. If the address is suppressed, the contact gets the matching status. The event CONTACT_CREATED may start campaigns.',
    access: 'contacts:write',
    body: schema.ContactCreate,
    responses: { 201: { schema: schema.Contact } },
    errors: ['email_taken'],
    check: ({ tx, caller, body }) => contactViolations(tx, caller.tenantId, body, 'active'),
    handler: async ({ em, principal, requestId, body }) => {
      const made = await createContact(em, { tenantId: principal.tenantId, requestId }, body);
      return created(`/contacts/${made.contact.id}`, presentContact(made));
    },
  }),
  route({
    method: 'GET',
    path: '/contacts/search',
    operationId: 'searchContacts',
    summary: 'Search contacts by name, address or company',
    access: 'contacts:read',
    query: schema.SearchQuery,
    responses: { 200: { schema: listOf(schema.Contact) } },
    description:
      'Results are ranked: exact matches of a name or address first, then matches at the beginning, then matches anywhere, then matches of the company name. If more than 10,000 contacts match, the results are not ranked.',
    handler: async ({ em, query }) => ({ body: await searchContacts(em, query, presentContacts) }),
  }),
  route({
    method: 'GET',
    path: '/contacts/{id}',
    operationId: 'getContact',
    summary: 'Get a contact',
    description:
      "`phone` is as it was given; `phoneE164` is derived from it, and null if it cannot be parsed. `company` is the contact's only company.",
    access: 'contacts:read',
    params: IdParams,
    responses: { 200: { schema: schema.Contact } },
    handler: async ({ deps, principal, params }) => {
      const found = await readContact(deps.pipelined, principal.tenantId, params.id);
      if (!found) throw notFound('contact', params.id);
      // Unless the company was changed, this version of the contact has always shown the same company name.
      return { body: presentContact(found), derived: (found.companyVersion ?? 1) > 1 || found.erasing };
    },
  }),
  route({
    method: 'PUT',
    path: '/contacts/{id}',
    operationId: 'updateContact',
    summary: 'Change a contact',
    description:
      '`tags` replaces all tags, `customFields` are merged by key. `status` can be set to `unsubscribed` and `archived`; only a confirmed opt-in, or deleting the suppression, makes a contact `active` again. What changes nothing writes nothing and no event.',
    access: 'contacts:write',
    params: IdParams,
    body: schema.ContactUpdate,
    responses: { 200: { schema: schema.Contact } },
    errors: ['email_taken', 'conflict', 'precondition_failed'],
    check: async ({ tx, caller, params, body, readOnly }) => {
      const current = await tx.findOne(Contact, { id: params.id ?? 0 });
      if (!current) return [];
      const shown = await presentOne(current, tx);
      const { input, violations } = contactChanges(body, shown);
      return [
        ...changedReadOnly(isOutdated(readOnly, shown) ? {} : readOnly, shown),
        ...violations,
        ...(await contactViolations(tx, caller.tenantId, input, current.status)),
      ];
    },
    handler: async ({ em, principal, requestId, params, body, readOnly, ifMatch }) => {
      const updated = await updateContact(
        em,
        { tenantId: principal.tenantId, requestId },
        params.id,
        async (current, tx) => {
          assertIfMatch(ifMatch, current.version);
          const shown = await presentOne(current, tx);
          if (isOutdated(readOnly, shown))
            throw new AppError('conflict', 'The contact is being erased since it was read: read it again');
          assertUnchanged(readOnly, shown);
          const { input, violations } = contactChanges(body, shown);
          assertValid(violations);
          return input;
        },
      );
      return { body: presentContact(updated) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/contacts/{id}',
    operationId: 'deleteContact',
    summary: 'Delete a contact',
    description:
      'Deletes its activities, memberships and scores too, ends its journeys, and suppresses its QUEUED emails and messages. A suppression of its address stays. To remove a person from everything, emails and events included, use `POST /contacts/{id}/erase`. 409 `conflict` while the contact is being erased.',
    access: 'contacts:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['conflict', 'precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteContact(em, caller, params.id, (version) => assertIfMatch(ifMatch, version));
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/contacts/{id}/activities',
    operationId: 'listContactActivities',
    summary: 'List the activities of a contact',
    description: 'What happened to the contact, as events: `type` is the type of the event, `data` its fields.',
    access: 'contacts:read',
    params: IdParams,
    query: schema.ActivityQuery,
    responses: { 200: { schema: listOf(schema.Activity) } },
    handler: async ({ em, params, query }) => {
      if (!(await em.findOne(Contact, { id: params.id }, { fields: ['id'] }))) throw notFound('contact', params.id);
      return { body: await listActivities(em, params.id, query, (found) => found.map(presentActivity)) };
    },
  }),
];
