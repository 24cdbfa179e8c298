import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export type Settings = Record<string, string>;

/** A container in docker-compose.yml: the part that the tests use. */
export interface ComposeService {
  image: string;
  build?: string;
  user?: string;
  entrypoint?: string[];
  command?: string[];
  environment?: Settings;
  env_file?: { path: string; required: boolean }[];
  secrets?: string[];
  volumes?: string[];
  ports?: string[];
  networks: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean; interval?: string };
  restart: string;
  stop_grace_period?: string;
  deploy?: { replicas?: number; resources?: { limits?: { memory?: string } } };
}

export interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, object>;
  networks: Record<string, object>;
  secrets: Record<string, { file: string }>;
}

/** docker-compose.yml as parsed YAML, with its anchors resolved. */
export function readComposeFile(): Compose {
  return parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;
}

/** docker-compose.yml as Compose interprets it if no variable is set: with defaults, and with `$` for `$$`. */
export function readCompose(): Compose {
  return JSON.parse(JSON.stringify(readComposeFile()), (_, value: unknown) =>
    typeof value === 'string' ? interpolated(value) : value,
  ) as Compose;
}

function interpolated(text: string): string {
  return text.replace(
    /\$(?:(\$)|\{(\w+)(?::?-([^}]*))?\})/g,
    (_, dollar?: string, name?: string, fallback?: string) => {
      if (dollar) return dollar;
      if (fallback === undefined) throw new Error(`docker-compose.yml has no default for ${name}`);
      return fallback;
    },
  );
}
