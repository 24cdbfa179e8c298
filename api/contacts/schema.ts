import { Type, type TSchema } from 'typebox';
import { CONTACT_STATUSES } from '../../db/entities/contacts.ts';
import { COMPANY_LIMITS, MAX_EMPLOYEES } from '../../domain/contact-values/company-values.ts';
import { CONTACT_LIMITS } from '../../domain/common/fields.ts';
import { ONE_LINE } from '../../lib/checks/schema-check.ts';
import {
  OPTIONAL_FIELDS,
  OPTIONAL_NAMES,
  type OptionalFieldName,
} from '../../domain/contact-values/optional-fields.ts';
import { SEARCH_SORT } from '../../domain/contacts/people/contact-filters.ts';
import { Id, listQuery, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';

const { Optional, String: Text } = Type;
const text = (maxLength: number, example: string) => Text({ maxLength, examples: [example] });
/** A name that is one line; that it is not empty is checked with the rest of a company. */
const companyName = (options: object = {}) =>
  Text({ maxLength: COMPANY_LIMITS.name, pattern: ONE_LINE, examples: ['Example Ltd'], ...options });
const optionalText = (maxLength: number, example: string) => Optional(nullable(text(maxLength, example)));
const status = oneOf(CONTACT_STATUSES, { examples: ['active'] });
const CustomFields = Type.Record(Text(), Type.Unknown());

/** A schema for each optional field. */
const forOptional = <S extends TSchema>(schemaOf: (name: OptionalFieldName) => S) =>
  Object.fromEntries(OPTIONAL_NAMES.map((name) => [name, schemaOf(name)])) as Record<OptionalFieldName, S>;

const CompanyRef = strict({ id: Id, name: Text() });
export const Contact = strict({
  id: Id,
  firstName: Text(),
  lastName: Text(),
  email: Text({ examples: ['ada@example.com'] }),
  phone: nullable(Text()),
  phoneE164: nullable(Text({ description: 'The phone number in E.164 format; null if it cannot be parsed' })),
  companyId: nullable(Id),
  company: nullable(CompanyRef),
  status,
  erasing: Type.Boolean({
    description: 'Whether its data are being erased: from the request on it gets nothing and enters no campaign',
  }),
  tags: Type.Array(Text()),
  customFields: CustomFields,
  ...forOptional(() => nullable(Text())),
  tenantId: Text(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: Version,
});

const readOnly = ['id', 'tenantId', 'phoneE164', 'erasing', 'version', 'createdAt', 'updatedAt'] as const;
const optionalFields = {
  phone: optionalText(CONTACT_LIMITS.phone, '+44 20 7946 0958'),
  companyId: Optional(nullable(Id)),
  status: Optional(oneOf(CONTACT_STATUSES, { description: 'Only `unsubscribed` and `archived` can be set' })),
  tags: Optional(nullable(Type.Array(Text(), { examples: [['vip']] }))),
  customFields: Optional(nullable(CustomFields)),
  ...forOptional((name) => optionalText(OPTIONAL_FIELDS[name].maxLength, OPTIONAL_FIELDS[name].example)),
};
const companyGiven =
  'The name of a company, matched case-insensitively; created if it does not exist. Not together with `companyId`';
const newCompany = Optional(
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: CONTACT_LIMITS.company,
    pattern: ONE_LINE,
    description: companyGiven,
  }),
);
export const ContactCreate = writable(
  {
    firstName: text(CONTACT_LIMITS.firstName, 'Ada'),
    lastName: text(CONTACT_LIMITS.lastName, 'Byron'),
    email: text(CONTACT_LIMITS.email, 'ada@example.com'),
    ...optionalFields,
    company: newCompany,
  },
  readOnly,
);
export const ContactBatchRow = writable(
  {
    firstName: Optional(text(CONTACT_LIMITS.firstName, 'Ada')),
    lastName: Optional(text(CONTACT_LIMITS.lastName, 'Byron')),
    email: text(CONTACT_LIMITS.email, 'ada@example.com'),
    ...optionalFields,
    company: newCompany,
  },
  readOnly,
);
export const ContactUpdate = writable(
  {
    firstName: Optional(text(CONTACT_LIMITS.firstName, 'Ada')),
    lastName: Optional(text(CONTACT_LIMITS.lastName, 'Byron')),
    email: Optional(text(CONTACT_LIMITS.email, 'ada@example.com')),
    ...optionalFields,
    company: Optional(
      Type.Unsafe<string | { id: number; name: string } | null>({
        type: ['string', 'object', 'null'],
        maxLength: CONTACT_LIMITS.company,
        description: `${companyGiven}. An object, as returned by reads, is accepted if unchanged`,
      }),
    ),
  },
  readOnly,
);

const sortable = ['id', 'createdAt', 'updatedAt', 'email', 'lastName'] as const;
export const contactFilters = {
  status: Optional(status),
  companyId: Optional(Id),
  segmentId: Optional(Id),
  listId: Optional(Id),
  tag: Optional(Text({ minLength: 1, maxLength: CONTACT_LIMITS.tag })),
  email: Optional(Text({ minLength: 1, maxLength: 1000, description: 'The full address, case-insensitive' })),
  createdAfter: Optional(Timestamp),
  createdBefore: Optional(Timestamp),
  updatedAfter: Optional(Timestamp),
};
export const ContactQuery = listQuery(sortable, contactFilters);
export const MemberQuery = listQuery(sortable, {
  status: Optional(status),
  at: Optional(
    Type.String({
      format: 'date-time',
      examples: ['2030-01-31T09:30:00.000Z'],
      description: 'Who was a member at this moment: not before the segment was created, and not in the future',
    }),
  ),
});
export const SearchQuery = listQuery(
  [...sortable, 'relevance'],
  { q: Text({ minLength: 1, maxLength: 200, description: 'Part of a name, an address or a company name' }) },
  SEARCH_SORT,
);

export const Activity = strict(
  {
    id: Id,
    type: Text({ examples: ['EMAIL_OPENED'] }),
    occurredAt: Timestamp,
    data: Type.Record(Text(), Type.Unknown()),
  },
  { title: 'Activity' },
);
export const ActivityQuery = listQuery(['id', 'occurredAt'], {});

const companyFields = {
  domain: optionalText(COMPANY_LIMITS.domain, 'example.com'),
  industry: optionalText(COMPANY_LIMITS.industry, 'Software'),
  employeeCount: Optional(nullable(Type.Integer({ minimum: 0, maximum: MAX_EMPLOYEES }))),
  address: optionalText(COMPANY_LIMITS.address, '1 Example Street'),
  customFields: Optional(nullable(CustomFields)),
};
export const Company = strict({
  id: Id,
  name: Text(),
  domain: nullable(Text()),
  industry: nullable(Text()),
  employeeCount: nullable(Type.Integer()),
  address: nullable(Text()),
  customFields: CustomFields,
  tenantId: Text(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: Version,
});
export const CompanyCreate = writable({ name: companyName(), ...companyFields });
export const CompanyUpdate = writable({ name: Optional(companyName()), ...companyFields });
export const CompanyQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], {
  name: Optional(
    Text({ minLength: 1, maxLength: COMPANY_LIMITS.name, description: 'The full name, case-insensitive' }),
  ),
  domain: Optional(Text({ minLength: 1, maxLength: COMPANY_LIMITS.domain })),
});
