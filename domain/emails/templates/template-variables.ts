import type { EntityManager } from '../../../db/orm.ts';
import { CustomField } from '../../../db/entities/contacts.ts';
import { OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';

/** A variable of templates, as the API shows it. */
export interface TemplateVariable {
  /** As it is written between the braces. */
  name: string;
  description: string;
}

const CONTACT: Record<string, string> = {
  id: 'The id of the contact',
  firstName: 'The first name',
  lastName: 'The last name',
  email: 'The address that the email goes to',
  phone: 'The phone number as it was given',
  phoneE164: 'The phone number in E.164 form',
  status: 'The status of the contact',
  tags: 'The tags, a list for `for` and `join`',
  companyId: 'The id of the company',
  createdAt: 'When the contact was created',
  updatedAt: 'When the contact was changed',
};
const COMPANY: Record<string, string> = {
  id: 'The id of the company',
  name: 'The name of the company',
  domain: 'The domain of the company',
  industry: 'The industry of the company',
  employeeCount: 'The number of employees',
  address: 'The address of the company',
};
const LINKS: Record<string, string> = {
  unsubscribeUrl: 'The page where the recipient unsubscribes from marketing',
  preferencesUrl: 'The page where the recipient chooses topics and quiet hours',
  webViewUrl: 'The email as a page in the browser',
  contactToken:
    'Stands for the recipient in forms and on visited pages, for 30 days: append it to a link as `contactToken`',
};
const FORM_URL = 'formUrl: 1';

const described = (prefix: string, fields: Record<string, string>): TemplateVariable[] =>
  Object.entries(fields).map(([name, description]) => ({ name: `${prefix}${name}`, description }));

/** The variables that every account has. */
const COMMON: readonly TemplateVariable[] = [
  ...described('', CONTACT),
  ...OPTIONAL_NAMES.map((name) => ({ name, description: `The field \`${name}\` of the contact` })),
  { name: 'company', description: 'The name of the company; its fields are reached with a dot' },
  ...described('company.', COMPANY),
  ...described('', LINKS),
  { name: FORM_URL, description: 'The hosted page of the form with this id, for the recipient' },
  { name: 'data', description: 'What the call that sends the email gives in `data`, reached as `data.x`' },
];

/** Every variable that templates of the tenant can use, its custom fields included. */
export async function listTemplateVariables(em: EntityManager): Promise<TemplateVariable[]> {
  const fields = await em.find(CustomField, {}, { orderBy: { id: 'asc' } });
  return [
    ...COMMON,
    ...fields.map(({ entity, name, type, description }) => ({
      name: `${entity === 'company' ? 'company.' : ''}customFields.${name}`,
      description: description ?? `A custom field of type ${type}`,
    })),
  ];
}
