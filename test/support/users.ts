import type { Answer, Service } from './service.ts';

export const PASSWORD = 'Battery-Staple-9';
let number = 0;

/** A valid registration with unique values. */
export function registration(overrides: Record<string, unknown> = {}) {
  number += 1;
  return {
    username: `user${number}`,
    email: `user${number}@example.com`,
    password: PASSWORD,
    firstName: 'Ada',
    lastName: 'Byron',
    ...overrides,
  };
}

export interface Member {
  user: Answer['body'];
  username: string;
  token: string;
  refreshToken: string;
}

/** Registers a user and logs in; `api` belongs to a service or a variant. */
export async function newMember(api: Service['api'], overrides: Record<string, unknown> = {}): Promise<Member> {
  const input = registration(overrides);
  const registered = await api('POST', '/auth/register', input, { token: null });
  if (registered.status !== 201) throw new Error(`not registered: ${JSON.stringify(registered.body)}`);
  return { user: registered.body, username: input.username, ...(await logIn(api, input.username, input.password)) };
}

/** Logs in; returns the tokens of the new session. */
export async function logIn(
  api: Service['api'],
  username: string,
  password = PASSWORD,
): Promise<{ token: string; refreshToken: string }> {
  const answer = await api('POST', '/auth/login', { username, password }, { token: null });
  if (answer.status !== 200) throw new Error(`not logged in: ${JSON.stringify(answer.body)}`);
  return { token: answer.body.accessToken, refreshToken: answer.body.refreshToken };
}
