import { Type } from 'typebox';
import { stepKind } from './kind.ts';

const MAX_URL = 2048;
/** Summaries are short; the path and query of a URL can contain secrets. */
const SHOWN = 80;

/** Calls a URL with a signed POST. */
export const webhook = stepKind({
  config: Type.Object(
    {
      url: Type.String({ minLength: 1, maxLength: MAX_URL }),
      onError: Type.Optional(Type.Enum(['fail', 'continue'])),
    },
    { additionalProperties: false },
  ),
  about:
    '`WEBHOOK {url, onError?}` sends a POST with the contact to the URL (https), signed as Standard Webhooks says with ' +
    'the secret of `GET /webhooks/default`; every attempt has the same `webhook-id`. Without an answer, and ' +
    'after 408, 425, 429 and 5xx, it is repeated for an hour; any answer but 2xx is then result `failed`, and the ' +
    'journey goes on (`onError: continue`, the default) or ends as FAILED (`fail`)',
  summary: ({ url }) => `call ${new URL(url).host.slice(0, SHOWN)}`,
  plan: ({ url, onError }) => ({ effect: 'webhook', url, onError: onError ?? 'continue' }),
  check: ({ url }, { checkUrl }) => {
    const problem = checkUrl(url);
    return problem ? [{ path: '/url', ...problem }] : [];
  },
});
