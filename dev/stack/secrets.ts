import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The secrets of an installation, by setting name. */
export interface Secrets {
  JWT_SECRET: string;
  LINK_SECRET: string;
  NATS_PASSWORD: string;
  /** The password of the NATS user `listener`. */
  NATS_LISTENER_PASSWORD: string;
}

/**
 * Loads the secrets from `<dataDir>/secrets.json`, readable only by the owner; generates and stores missing ones.
 * Throws if the file exists and is not JSON: new secrets would end all sessions and break the links in sent emails.
 */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const file = join(dataDir, 'secrets.json');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const kept = parse(text, file);
  const make = () => randomBytes(32).toString('base64url');
  const secrets = {
    JWT_SECRET: make(),
    LINK_SECRET: make(),
    NATS_PASSWORD: make(),
    NATS_LISTENER_PASSWORD: make(),
    ...kept,
  };
  if (Object.keys(secrets).length > Object.keys(kept).length) {
    await writeFile(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
  await chmod(file, 0o600);
  return secrets;
}

function parse(text: string, file: string): Partial<Secrets> {
  try {
    return JSON.parse(text) as Partial<Secrets>;
  } catch (error) {
    throw new Error(
      `${file} is damaged: repair or delete it (deleting ends all sessions and breaks links in sent mail).`,
      {
        cause: error,
      },
    );
  }
}
