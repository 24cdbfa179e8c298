import { Type } from 'typebox';
import { MAX_PAGE_TITLE, MAX_PAGE_URL } from '../../domain/scoring/visits/visited-page.ts';
import { nullable, strict } from '../route/schemas.ts';

const address = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_PAGE_URL, description, examples: ['https://www.example.com/prices'] });
const url = address('http(s); passwords and `contactToken` in it are not kept');
const referrer = address('The page before it, in the same way');
const title = Type.String({ maxLength: MAX_PAGE_TITLE, examples: ['Prices'] });

/** The page of a visit that a program tells of. */
export const VisitedPage = strict({
  url: Type.Optional(url),
  referrer: Type.Optional(referrer),
  title: Type.Optional(title),
});

const site = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,49}$',
  description: 'Whose visits are told: the `tenantId` of the account',
  examples: ['default'],
});

export const ScriptQuery = Type.Object({ site });

/** A visit that the script tells of. Further fields are ignored, so that scripts in caches may have more. */
export const Visit = Type.Object({
  site,
  contactToken: Type.String({ maxLength: 2048, description: 'From `{{contactToken}}` in an email, or of a form' }),
  url,
  referrer: Type.Optional(nullable(referrer)),
  title: Type.Optional(nullable(title)),
});

export const VisitEmbed = strict({ site, code: Type.String() });
