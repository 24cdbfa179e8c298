import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { rows, tenantEm } from '../../../db/orm.ts';
import { twilioSignature } from '../../../domain/channels/transport/twilio.ts';
import type { Answer, Service } from '../service.ts';

const TWILIO_TOKEN = 'a-token-of-twilio';
const CALLBACK_SECRET = `whsec_${Buffer.from('a secret of 24 bytes or so').toString('base64')}`;

/** Calls for tests of text messages. */
export function texting(service: Service) {
  let made = 0;
  const call = async (method: string, path: string, status: number, body?: object): Promise<Answer['body']> => {
    const answer = await service.api(method, path, body);
    assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const inTenant = <T>(query: Parameters<typeof rows>[1]): Promise<T[]> =>
    tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, query));

  /** Calls back as Twilio does; `query` comes after the URL of the provider. */
  const asTwilio = (
    providerId: number,
    form: Record<string, string>,
    { query = '', token = TWILIO_TOKEN }: { query?: string; token?: string } = {},
  ): Promise<Answer> => {
    const path = `/channels/webhooks/${providerId}${query}`;
    const body = new URLSearchParams(form);
    const signature = twilioSignature(token, `${service.deps.env.PUBLIC_URL}/api/v1${path}`, [...body]);
    return service.api('POST', path, body, { token: null, headers: { 'x-twilio-signature': signature } });
  };
  /** Calls back as a provider with an HTTP API does. */
  const asHttp = (
    providerId: number,
    said: unknown,
    { id = `msg_${(made += 1)}`, secret = CALLBACK_SECRET, at = new Date() } = {},
  ): Promise<Answer> => {
    const body = typeof said === 'string' ? said : JSON.stringify(said);
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    };
    return service.api('POST', `/channels/webhooks/${providerId}`, body, { token: null, headers });
  };
  return {
    call,
    inTenant,
    asTwilio,
    asHttp,
    makeTwilio: async (more: object = {}): Promise<number> => {
      const config = { accountSid: `AC${'0'.repeat(32)}`, from: '+15005550006' };
      const provider = { name: 'Twilio', channel: 'sms', type: 'twilio', config };
      const credentials = { authToken: TWILIO_TOKEN };
      return (await call('POST', '/channels/providers', 201, { ...provider, credentials, ...more })).id;
    },
    makeHttp: async (url = 'https://gateway.example/send', more: object = {}): Promise<number> => {
      const body = { to: '{{to}}', text: '{{text}}', reference: '{{messageId}}' };
      const provider = { name: 'Gateway', channel: 'sms', type: 'http', config: { url, body, idPath: 'id' } };
      const credentials = { callbackSecret: CALLBACK_SECRET };
      return (await call('POST', '/channels/providers', 201, { ...provider, credentials, ...more })).id;
    },
    makeContact: async (phone: string): Promise<number> => {
      const email = `texting-${(made += 1)}@example.com`;
      return (await call('POST', '/contacts', 201, { email, firstName: 'A', lastName: 'B', phone })).id;
    },
  };
}
