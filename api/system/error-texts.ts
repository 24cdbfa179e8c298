import { errorCatalogue, type ErrorCode } from '../../lib/checks/errors.ts';
import { escapeHtml } from '../pages/html.ts';

/** What to do about each error, for people who follow the `type` of a problem to `/docs`. */
const REMEDIES: Record<ErrorCode, string> = {
  validation_failed:
    'Each of `errors` names a part of the request by a JSON Pointer (`path`: a field of the body, or the name of a parameter) and what it must be. Correct all of them and send the request again; nothing was changed.',
  malformed_request: 'The request is not HTTP as RFC 9110 defines it. Check the client or proxy that sent it.',
  malformed_json: 'Check the body for a missing bracket or quote; the detail says where it stops being JSON.',
  malformed_body:
    'The body does not fit its Content-Type, such as a multipart body without its boundary, or one that was cut off.',
  token_invalid:
    'Tokens in emails can be used once and for a limited time: request a new email. Form tokens expire after 12 hours: get a new one from `GET /forms/{id}/token`.',
  invalid_link: 'A tracked link must be as it was in the email. The service redirects to no other address.',
  unsupported_file:
    'The detail says what is wrong with the file. Save it as CSV with a header row and a column of email addresses.',
  unauthorized: 'Send `Authorization: Bearer` with the access token of a login, or with an API key.',
  token_expired: 'Get a new access token from `POST /auth/refresh`, or log in again.',
  token_revoked: 'The session was ended, by a logout or a new password. Log in again.',
  invalid_credentials:
    'Check username and password, and with two-factor authentication the code in `totp`. Ten failures lock the name for a while.',
  forbidden: 'The detail names the missing permission. An Admin can give it to a role of the user, or to an API key.',
  registration_disabled: 'An Admin can invite users; an operator can set `ENABLE_REGISTRATION`.',
  email_unverified: 'Follow the link in the email; `POST /auth/verify-email/resend` sends another one.',
  origin_not_allowed: 'Add the origin of the page to `allowedOrigins` of the form, or leave that list empty for all.',
  not_found:
    'Check the id and the path. What belongs to another account is not found either. A reference in the body is named in `errors`.',
  method_not_allowed: 'The header `Allow` has the methods of this path.',
  request_timeout: 'The body came too slowly. Send it again over a better connection.',
  conflict: 'The detail says which state it is in, and what that does not allow.',
  username_taken: 'Choose another username.',
  email_taken: 'Another contact, user or sender has the address. `POST /contacts/batch` updates a contact that exists.',
  name_taken: 'Choose another name, or change what has it.',
  in_use: '`errors` lists what uses it. Change or delete that first.',
  no_provider: 'Add a provider for the channel, or make one `active`, with `/channels/providers`.',
  limit_reached: 'The detail names the limit. Delete what is not needed any more, or wait for what is running.',
  dns_record_invalid:
    'Publish the record that the sender shows as `dnsName` and `dnsValue`. DNS can take hours to tell of a change.',
  idempotency_conflict:
    'The first request with this key is still running: repeat later with the same key. If its response was not stored, look whether it was done before you use a new key.',
  last_admin: 'Give another active user the role Admin first.',
  precondition_failed:
    'Somebody else changed it. Read it again, and send the change with the new version in `If-Match`.',
  payload_too_large: 'Send less at once. The 413 of each operation names its limit.',
  unsupported_media_type: 'Send a Content-Type that the operation lists, mostly `application/json`.',
  idempotency_key_reused: 'Use a new `Idempotency-Key` for each different request.',
  template_limit: 'Make the template smaller, or its loops shorter; the detail names the limit.',
  too_many_requests: 'Wait as many seconds as `Retry-After` says.',
  headers_too_large: 'Make the URL shorter, or send fewer headers and cookies.',
  internal: 'A fault of the service. Give its operator the `requestId`, which is in the logs.',
  captcha_unavailable: 'The CAPTCHA provider did not answer. Try again.',
  no_room_for_files: 'Files of forms have used up their storage. Submit without the file, or ask the operator.',
  unavailable:
    'Postgres, NATS or another part is away or overloaded. Wait as many seconds as `Retry-After` says; `/api/v1/health` tells which.',
};

const withCode = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Every error code, with an anchor of its name: the `type` of a problem is `/docs#` and its code. */
export const errorsHtml: string = `<details id="error-codes"><summary>Error codes</summary>
<dl>
${Object.entries(errorCatalogue)
  .map(
    ([code, [status, title]]) =>
      `<dt id="${code}"><code>${code}</code> (${status})</dt><dd>${escapeHtml(title)}. ${withCode(REMEDIES[code as ErrorCode])}</dd>`,
  )
  .join('\n')}
</dl></details>`;
