import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { CallError, createClient, poll, type Client } from './client.ts';
import { OUTBOUND_ALLOW } from './texts.ts';

/** Where the service is, and who its Admin is, as far as the settings say. */
export interface Place {
  apiUrl: string;
  adminUsername: string;
  adminPassword: string | undefined;
  say: (line: string) => void;
}

const isUp = ({ apiUrl }: Place) =>
  fetch(`${apiUrl}/api/v1/health`).then(
    (response) => response.ok,
    () => false,
  );

/**
 * Starts the service if none is running; it keeps running afterwards, until Ctrl-C. Returns the password that its Admin
 * got, if there was no user before.
 */
export async function ensureService(place: Place): Promise<{ own: boolean; password: string | undefined }> {
  const { adminUsername, adminPassword, say } = place;
  if (await isUp(place)) return { own: false, password: undefined };
  const allowed = process.env['OUTBOUND_ALLOW'] || OUTBOUND_ALLOW;
  say(`No service is running: starting one, with OUTBOUND_ALLOW=${allowed}.`);
  const password = `Demo-${crypto.randomUUID()}`;
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'start.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, OUTBOUND_ALLOW: allowed, ...(adminPassword ? {} : { ADMIN_PASSWORD: password }) },
  });
  let isStarting = true;
  child.once('exit', (code) => {
    if (isStarting && code !== 0 && !adminPassword)
      say(`Admin login, if it was made: ${adminUsername} / ${password}  (shown only now)`);
    process.exit(code ?? 1);
  });
  await poll(
    'the service is up',
    async () => ((await isUp(place)) ? true : null),
    () => 'starting',
    10 * 60_000,
  );
  isStarting = false;
  return { own: true, password: adminPassword ? undefined : password };
}

/** A client of the Admin; null if none can log in with this password. */
async function logInAsAdmin({ apiUrl, adminUsername }: Place, password: string): Promise<Client | null> {
  try {
    const session = await createClient(apiUrl).call('POST', '/auth/login', { username: adminUsername, password });
    return createClient(apiUrl, session.accessToken);
  } catch (error) {
    if (error instanceof CallError && error.status === 401) return null;
    throw error;
  }
}

/** The Admin that the settings name, or that a start by the demo has made; null if neither is known. */
export async function findAdmin(place: Place, made: string | undefined): Promise<Client | null> {
  const { adminUsername, adminPassword, say } = place;
  if (adminPassword) {
    const admin = await logInAsAdmin(place, adminPassword);
    if (!admin) say(`${adminUsername} cannot log in with the ADMIN_PASSWORD that is set.`);
    return admin;
  }
  const admin = made ? await logInAsAdmin(place, made) : null;
  if (admin) say(`Admin login: ${adminUsername} / ${made}  (shown only now)`);
  return admin;
}

/** A client of a new user. */
export async function logIn({ apiUrl }: Place): Promise<Client> {
  const anonymous = createClient(apiUrl);
  const username = `demo-${Date.now().toString(36)}`;
  const password = `Demo-${crypto.randomUUID()}`;
  await anonymous.call('POST', '/auth/register', {
    username,
    email: `${username}@example.com`,
    password,
    firstName: 'Demo',
    lastName: 'Demo',
  });
  const session = await anonymous.call('POST', '/auth/login', { username, password });
  return createClient(apiUrl, session.accessToken);
}
