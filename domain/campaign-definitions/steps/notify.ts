import { Type } from 'typebox';
import { addressKey } from '../../addresses/address-key.ts';
import { stepKind } from './kind.ts';
import { liquidViolations } from './liquid.ts';

/** Emails a user of the tenant about the contact. */
export const notify = stepKind({
  config: Type.Object(
    {
      to: Type.String({ minLength: 1, maxLength: 100 }),
      subject: Type.String({ minLength: 1, maxLength: 255 }),
      body: Type.String({ minLength: 1, maxLength: 10_000 }),
    },
    { additionalProperties: false },
  ),
  about:
    '`NOTIFY {to, subject, body}` emails an active user of the account; `subject` and `body` are plain text with the ' +
    'Liquid of templates, such as `{{firstName}}`. If the user is gone when the step runs, its result is `failed`, and ' +
    'the journey goes on',
  summary: () => 'notify a user',
  plan: ({ to, subject, body }) => ({ effect: 'notify', to, subject, body }),
  texts: ({ subject, body }) => [subject, body],
  check: ({ to, subject, body }, { userAddresses, liquidMistakes }) => [
    ...(userAddresses.has(addressKey(to))
      ? []
      : [{ path: '/to', code: 'not_found', message: 'to must be the address of an active user of this account' }]),
    ...liquidViolations('/subject', subject, liquidMistakes),
    ...liquidViolations('/body', body, liquidMistakes),
  ],
});
