import { Company } from '../../db/entities/contacts.ts';
import { createCompany, deleteCompany, updateCompany } from '../../domain/contacts/people/companies.ts';
import { listCompanies } from '../../domain/contacts/people/list-companies.ts';
import { listContacts } from '../../domain/contacts/people/list-contacts.ts';
import { changedCustomFields } from '../../domain/contact-values/custom-values.ts';
import { checkCompanyValues, type CompanyInput } from '../../domain/contact-values/company-values.ts';
import { customFieldTypes } from '../../domain/contact-values/custom-field-types.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { presentCompany, presentContacts } from './presenter.ts';
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

/** The part of a PUT to validate: of the custom fields only those that it changes. */
const changesOf = (body: CompanyInput, current: Company): CompanyInput =>
  body.customFields === undefined
    ? body
    : { ...body, customFields: changedCustomFields(body.customFields, current.customFields) };

export const companyRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/contacts/companies',
    operationId: 'listCompanies',
    summary: 'List companies',
    description: 'Companies with their own fields; `GET /contacts/companies/{id}/contacts` lists who belongs to one.',
    access: 'contacts:read',
    query: schema.CompanyQuery,
    responses: { 200: { schema: listOf(schema.Company) } },
    handler: async ({ em, query }) => ({ body: await listCompanies(em, query, (found) => found.map(presentCompany)) }),
  }),
  route({
    method: 'POST',
    path: '/contacts/companies',
    operationId: 'createCompany',
    summary: 'Create a company',
    description: 'Names need not be unique. A contact joins with `companyId`, or with the name in `company`.',
    access: 'contacts:write',
    body: schema.CompanyCreate,
    responses: { 201: { schema: schema.Company } },
    check: async ({ tx, caller, body }) =>
      checkCompanyValues(body, await customFieldTypes(tx, caller.tenantId, 'company')).violations,
    handler: async ({ em, principal, body }) => {
      const company = await createCompany(em, principal.tenantId, body);
      return created(`/contacts/companies/${company.id}`, presentCompany(company));
    },
  }),
  route({
    method: 'GET',
    path: '/contacts/companies/{id}',
    operationId: 'getCompany',
    summary: 'Get a company',
    description: 'The company itself, without its contacts.',
    access: 'contacts:read',
    params: IdParams,
    responses: { 200: { schema: schema.Company } },
    handler: async ({ em, params }) => {
      const company = await em.findOne(Company, { id: params.id });
      if (!company) throw notFound('company', params.id);
      return { body: presentCompany(company) };
    },
  }),
  route({
    method: 'PUT',
    path: '/contacts/companies/{id}',
    operationId: 'updateCompany',
    summary: 'Change a company',
    description: '`customFields` are merged by key. Segments with conditions on the company follow.',
    access: 'contacts:write',
    params: IdParams,
    body: schema.CompanyUpdate,
    responses: { 200: { schema: schema.Company } },
    errors: ['precondition_failed'],
    check: async ({ tx, caller, params, body, readOnly }) => {
      const current = await tx.findOne(Company, { id: params.id ?? 0 });
      if (!current) return [];
      const types = await customFieldTypes(tx, caller.tenantId, 'company');
      return [
        ...changedReadOnly(readOnly, presentCompany(current)),
        ...checkCompanyValues(changesOf(body, current), types).violations,
      ];
    },
    handler: async ({ em, principal, requestId, params, body, readOnly, ifMatch }) => ({
      body: presentCompany(
        await updateCompany(em, { tenantId: principal.tenantId, requestId }, params.id, (current) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, presentCompany(current));
          return changesOf(body, current);
        }),
      ),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/contacts/companies/{id}',
    operationId: 'deleteCompany',
    summary: 'Delete a company; its contacts are not deleted',
    description: 'Its contacts remain, without a company.',
    access: 'contacts:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteCompany(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/contacts/companies/{id}/contacts',
    operationId: 'listCompanyContacts',
    summary: 'List the contacts of a company',
    description: 'The contacts that belong to the company now.',
    access: 'contacts:read',
    params: IdParams,
    query: schema.MemberQuery,
    responses: { 200: { schema: listOf(schema.Contact) } },
    handler: async ({ em, params, query }) => {
      if (!(await em.findOne(Company, { id: params.id }, { fields: ['id'] }))) throw notFound('company', params.id);
      return { body: await listContacts(em, { companyId: params.id, ...query }, presentContacts) };
    },
  }),
];
