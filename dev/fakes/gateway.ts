import { createHmac, randomBytes } from 'node:crypto';
import { startFake, type Fake, type FakeAnswer, type FakeOptions, type FakeRequest } from './fake-server.ts';

/** A text message that the gateway has accepted. */
export interface AcceptedText {
  at: number;
  sid: string;
  to: string;
  from: string;
  text: string;
  callbackUrl: string | null;
}

export const TEXT_STATUSES = ['queued', 'sent', 'delivered', 'undelivered', 'failed'] as const;
export type TextStatus = (typeof TEXT_STATUSES)[number];

/** The account of a gateway, and what a provider of our API needs to use it. */
export interface GatewayAccount {
  accountSid: string;
  authToken: string;
  from: string;
}

export interface Gateway extends Fake<AcceptedText>, GatewayAccount {
  /** What to give to `POST /channels/providers`. */
  provider: (name?: string) => object;
  /** The error code that texts to a number are refused with: 21211 an unknown number, 21610 one that has opted out. */
  refuse: (to: string, code: number) => void;
}

/** The account of a gateway that was started without another. */
export const ACCOUNT: GatewayAccount = {
  accountSid: `AC${'1'.repeat(32)}`,
  authToken: 'the token of the gateway',
  from: '+15005550006',
};
const E164 = /^\+[1-9]\d{6,14}$/;

/** What to give to `POST /channels/providers` for a gateway. */
export const gatewayProvider = (
  url: string,
  { accountSid, authToken, from }: GatewayAccount = ACCOUNT,
  name = 'Gateway',
): object => ({
  ...{ name, channel: 'sms', type: 'twilio' },
  config: { accountSid, from, baseUrl: url },
  credentials: { authToken },
});

/** A gateway for text messages that speaks as Twilio does (Messages resource, 2010-04-01). */
export async function startGateway(options: FakeOptions & Partial<GatewayAccount> = {}): Promise<Gateway> {
  const account = { ...ACCOUNT, ...options };
  const { accountSid, authToken, from } = account;
  const refused = new Map<string, number>();
  const path = `/2010-04-01/Accounts/${accountSid}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;

  function handle({ method, path: asked, headers, body }: FakeRequest): FakeAnswer<AcceptedText> {
    if (method !== 'POST' || asked !== path) return problem(404, 20404, 'was not found');
    if (headers.authorization !== authorization) return problem(401, 20003, 'Authenticate');
    const form = new URLSearchParams(body.toString());
    const [to, text] = [form.get('To') ?? '', form.get('Body') ?? ''];
    if (!E164.test(to)) return problem(400, 21211, `Invalid 'To' Phone Number`);
    if (text === '') return problem(400, 21602, 'Message body is required');
    const code = refused.get(to);
    if (code !== undefined) return problem(400, code, 'refused');
    const sid = `SM${randomBytes(16).toString('hex')}`;
    const sender = form.get('From') ?? form.get('MessagingServiceSid') ?? '';
    return {
      status: 201,
      body: { sid, account_sid: accountSid, to, from: sender, status: 'queued', error_code: null },
      accepts: { at: Date.now(), sid, to, from: sender, text, callbackUrl: form.get('StatusCallback') },
    };
  }

  const fake = await startFake<AcceptedText>(options, (asked) => asked === path, handle);
  return {
    ...fake,
    ...{ accountSid, authToken, from },
    provider: (name) => gatewayProvider(fake.url, account, name),
    refuse: (to, code) => void refused.set(to, code),
  };
}

const problem = (status: number, code: number, message: string): FakeAnswer<AcceptedText> => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

/** Posts a form as Twilio does, with its signature. Returns the answer. */
export async function postSigned(authToken: string, url: string, form: Record<string, string>): Promise<Response> {
  const names = Object.keys(form).sort();
  const signed = `${url}${names.map((name) => `${name}${form[name]}`).join('')}`;
  const signature = createHmac('sha1', authToken).update(signed).digest('base64');
  return fetch(url, { method: 'POST', headers: { 'x-twilio-signature': signature }, body: new URLSearchParams(form) });
}

/** Reports what became of a text message to the address that came with it. */
export async function reportText(
  { accountSid, authToken }: Pick<GatewayAccount, 'accountSid' | 'authToken'>,
  { sid, to, from, callbackUrl }: AcceptedText,
  status: TextStatus,
  errorCode?: number,
): Promise<Response> {
  if (callbackUrl === null) throw new Error(`no callback was asked for ${sid}`);
  return postSigned(authToken, callbackUrl, {
    ...{ AccountSid: accountSid, ApiVersion: '2010-04-01', From: from, To: to },
    ...{ MessageSid: sid, SmsSid: sid, MessageStatus: status, SmsStatus: status },
    ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
  });
}

/** Hands over a text message that somebody has sent to our number. */
export async function receiveText(
  { accountSid, authToken, from }: GatewayAccount,
  providerUrl: string,
  { from: sender, text, sid = `SM${randomBytes(16).toString('hex')}` }: { from: string; text: string; sid?: string },
): Promise<Response> {
  return postSigned(authToken, providerUrl, {
    ...{ AccountSid: accountSid, ApiVersion: '2010-04-01', From: sender, To: from, Body: text },
    ...{ MessageSid: sid, SmsMessageSid: sid, SmsSid: sid, SmsStatus: 'received', NumMedia: '0', NumSegments: '1' },
  });
}
