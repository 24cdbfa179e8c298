import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { startFake, type Fake, type FakeAnswer, type FakeOptions, type FakeRequest } from './fake-server.ts';

/** A push that was accepted for a registration token. */
export interface AcceptedFcmPush {
  at: number;
  name: string;
  token: string;
  message: { notification?: Record<string, string>; data?: Record<string, string>; [field: string]: unknown };
}

export interface FakeFcm extends Fake<AcceptedFcmPush> {
  /** What to give to `POST /channels/providers`. */
  provider: (name?: string) => object;
  /** No app has this token any more. */
  remove: (token: string) => void;
}

/** The key of a service account; runs that restart the server give it theirs. */
export interface FcmKey {
  privateKey: string;
}

const PROJECT = 'perennial-demo';
const CLIENT = `sender@${PROJECT}.iam.gserviceaccount.com`;
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const TOKEN_SECONDS = 3600;

/** A private key (PEM) for a service account. */
export const makeFcmKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;

/** What to give to `POST /channels/providers` for a fake FCM. */
export const fcmProvider = (url: string, privateKey: string, name = 'FCM'): object => ({
  ...{ name, channel: 'push', type: 'fcm' },
  config: { projectId: PROJECT, baseUrl: url, tokenUrl: `${url}/token` },
  credentials: { type: 'service_account', project_id: PROJECT, client_email: CLIENT, private_key: privateKey },
});

/** Firebase Cloud Messaging (HTTP v1) with the token endpoint of Google's accounts. Tokens `gone-…` are of no app. */
export async function startFcm(options: FakeOptions & Partial<FcmKey> = {}): Promise<FakeFcm> {
  const privateKey = options.privateKey ?? makeFcmKey();
  const publicKey = createPublicKey(privateKey);
  const removed = new Set<string>();
  const path = `/v1/projects/${PROJECT}/messages:send`;
  // Known by itself, so that it holds after a restart.
  const accessToken = (hour: number): string =>
    `ya29.${createHash('sha256').update(`${privateKey} ${hour}`).digest('base64url')}`;
  const hourNow = (): number => Math.floor(Date.now() / 1000 / TOKEN_SECONDS);
  let [url, made] = ['', 0];

  function giveToken(body: Buffer): FakeAnswer<AcceptedFcmPush> {
    const form = new URLSearchParams(body.toString());
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const isSigned = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    );
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || !isSigned)
      return { status: 400, body: { error: 'invalid_grant' } };
    const { iss, aud, scope, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
    const isRight = iss === CLIENT && aud === `${url}/token` && scope === SCOPE && Number(exp) * 1000 > Date.now();
    if (!isRight) return { status: 400, body: { error: 'invalid_grant' } };
    return {
      status: 200,
      body: { access_token: accessToken(hourNow()), expires_in: TOKEN_SECONDS, token_type: 'Bearer' },
    };
  }

  function send({ headers, body }: FakeRequest): FakeAnswer<AcceptedFcmPush> {
    const given = (headers.authorization ?? '').replace('Bearer ', '');
    if (![0, 1].some((ago) => given === accessToken(hourNow() - ago))) return problem(401, 'UNAUTHENTICATED');
    const { message } = JSON.parse(body.toString()) as { message?: AcceptedFcmPush['message'] & { token?: string } };
    const token = message?.token;
    if (!message || typeof token !== 'string') return problem(400, 'INVALID_ARGUMENT');
    // All values of data are texts.
    if (Object.values(message.data ?? {}).some((value: unknown) => typeof value !== 'string'))
      return problem(400, 'INVALID_ARGUMENT');
    if (removed.has(token) || token.startsWith('gone-')) return problem(404, 'NOT_FOUND', 'UNREGISTERED');
    const name = `projects/${PROJECT}/messages/${Date.now()}-${process.pid}-${(made += 1)}`;
    return { status: 200, body: { name }, accepts: { at: Date.now(), name, token, message } };
  }

  const fake = await startFake<AcceptedFcmPush>(
    options,
    (asked) => asked === path,
    (request) => {
      if (request.method !== 'POST') return problem(404, 'NOT_FOUND');
      if (request.path === '/token') return giveToken(request.body);
      return request.path === path ? send(request) : problem(404, 'NOT_FOUND');
    },
  );
  ({ url } = fake);
  return {
    ...fake,
    provider: (name) => fcmProvider(url, privateKey, name),
    remove: (token) => void removed.add(token),
  };
}

const problem = (status: number, name: string, errorCode?: string): FakeAnswer<AcceptedFcmPush> => ({
  status,
  body: {
    error: {
      ...{ code: status, message: name, status: name },
      ...(errorCode
        ? { details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }] }
        : {}),
    },
  },
});
