import { Drop } from 'liquidjs';

/** A company as templates see it; `{{company}}` outputs its name. */
export interface CompanyValues {
  name: string;
  [field: string]: unknown;
}

/** A contact as templates see it: its API fields, with `customFields` as an object. */
export interface ContactValues {
  company?: CompanyValues | null;
  [field: string]: unknown;
}

/** The links that templates can use; computed only when a template uses them. */
export interface ScopeLinks {
  readonly unsubscribeUrl: string;
  readonly preferencesUrl: string;
  readonly webViewUrl: string;
  /** Stands for the contact in forms; empty without a contact. */
  readonly contactToken: string;
  /** The hosted page of a form, for this contact. */
  readonly formUrl: (formId: number) => string;
}

/** The links of a template that is rendered without a recipient. */
export const NO_LINKS: ScopeLinks = {
  unsubscribeUrl: '',
  preferencesUrl: '',
  webViewUrl: '',
  contactToken: '',
  formUrl: () => '',
};

/** Where the filter `formUrl` finds the links: templates cannot name it. */
export const LINKS = Symbol('links');

// liquidjs lets templates read what a Drop inherits, and calls it if it is a function. So a company inherits nothing
// else.
const companyPrototype = Object.create(Drop.prototype, {
  ...Object.fromEntries(
    ['constructor', ...Object.getOwnPropertyNames(Object.prototype)].map((name) => [name, { value: undefined }]),
  ),
  liquidMethodMissing: { value: () => undefined },
  valueOf: {
    value(this: CompanyValues) {
      return this.name;
    },
  },
}) as object;

function companyDrop(company: CompanyValues): object {
  return Object.assign(Object.create(companyPrototype) as object, company);
}

/**
 * The variables of a template: every contact field by its name and under `contact`; `email` even without a contact;
 * `data`; and the links.
 */
export function templateScope(
  contact: ContactValues | null,
  address: string,
  data: Record<string, unknown> | null | undefined,
  links: ScopeLinks,
): Record<string | symbol, unknown> {
  const fields: Record<string, unknown> = { email: address, ...contact };
  if (contact?.company) fields['company'] = companyDrop(contact.company);
  return {
    ...fields,
    contact: fields,
    data: data ?? {},
    get unsubscribeUrl() {
      return links.unsubscribeUrl;
    },
    get preferencesUrl() {
      return links.preferencesUrl;
    },
    get webViewUrl() {
      return links.webViewUrl;
    },
    get contactToken() {
      return links.contactToken;
    },
    [LINKS]: links,
  };
}
