import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a Dockerfile makes, in folders instead of layers. */
export interface Image {
  /** Stands for `/`. Of the base image it holds Node alone. */
  root: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  command: string[];
  healthcheck: string[];
}

interface Instruction {
  keyword: string;
  rest: string;
}

/** The instructions of a Dockerfile, each on one line, without comments. */
function instructions(text: string): Instruction[] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [, keyword = '', rest = ''] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
    return { keyword, rest };
  });
}

/** Whether .dockerignore lets a file reach the build: the last line that matches it, or a folder of it, decides. */
export function dockerignore(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, negated = '', glob = ''] = /^(!?)(.+)$/.exec(line) ?? [];
      const pattern = glob
        .replace(/[.+^$()|{}]/g, '\\$&')
        .replace(/\*\*\/?|\*|\?/g, (wild) => (wild[1] ? '.*' : `[^/]${wild === '*' ? '*' : ''}`));
      return { takes: negated === '!', matches: new RegExp(`^${pattern}(/|$)`) };
    });
  return (path) => rules.findLast(({ matches }) => matches.test(path))?.takes ?? true;
}

/** The files of the repository that COPY sees. */
function contextFiles(): string[] {
  const isSent = dockerignore(readFileSync('.dockerignore', 'utf8'));
  // All exceptions are at the top: in a folder that is left out nothing comes back.
  const top = readdirSync('.').filter(isSent);
  return top.flatMap((name) => {
    if (!statSync(name).isDirectory()) return name;
    return readdirSync(name, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative('.', join(entry.parentPath, entry.name)))
      .filter(isSent);
  });
}

/** Builds the last stage of the Dockerfile below `folder` by its instructions; throws at one that it does not know. */
export async function buildImage(folder: string): Promise<Image> {
  const stages = new Map<string, Image>();
  const files = contextFiles();
  let image: Image | undefined;
  for (const { keyword, rest } of instructions(readFileSync('Dockerfile', 'utf8'))) {
    if (keyword === 'FROM') {
      const [, from = '', name = 'last'] = /^(\S+)(?: AS (\w+))?$/.exec(rest) ?? [];
      image = await startStage(join(folder, name), from, stages);
      stages.set(name, image);
      continue;
    }
    if (!image) throw new Error(`${keyword} before FROM`);
    await carryOut(image, keyword, rest, stages, files);
  }
  return image!;
}

async function startStage(root: string, from: string, stages: Map<string, Image>): Promise<Image> {
  const base = stages.get(from);
  mkdirSync(root, { recursive: true });
  if (base) {
    await copyTree(base.root, root);
    return { ...base, env: { ...base.env }, root };
  }
  if (!from.startsWith('node:')) throw new Error(`what is in ${from}?`);
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
  return { root, workdir: '/', env: {}, user: 'root', command: [], healthcheck: [] };
}

async function carryOut(
  image: Image,
  keyword: string,
  rest: string,
  stages: Map<string, Image>,
  files: string[],
): Promise<void> {
  const folder = join(image.root, image.workdir);
  if (keyword === 'WORKDIR') {
    image.workdir = resolve(image.workdir, rest);
    mkdirSync(join(image.root, image.workdir), { recursive: true });
  } else if (keyword === 'ENV') {
    for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) image.env[name] = value;
  } else if (keyword === 'USER') {
    image.user = rest;
  } else if (keyword === 'CMD') {
    image.command = JSON.parse(rest) as string[];
  } else if (keyword === 'HEALTHCHECK') {
    image.healthcheck = JSON.parse(/ CMD (\[.*\])$/.exec(rest)?.[1] ?? '') as string[];
  } else if (keyword === 'RUN') {
    // What a build gets from registries is in npm's cache on a machine that has run `npm ci`.
    const env = { ...process.env, ...imageEnv(image), npm_config_prefer_offline: 'true' };
    await run('/bin/sh', ['-c', rest], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  } else if (keyword === 'COPY') {
    const [, stage, paths = ''] = /^(?:--from=(\w+) )?(.+)$/.exec(rest) ?? [];
    const [target = '', ...sources] = paths.split(' ').reverse();
    if (stage) await copyTree(join(stages.get(stage)!.root, sources[0]!), join(folder, target));
    else copyContext(files, sources, join(folder, target));
  } else if (keyword !== 'EXPOSE') {
    throw new Error(`what does ${keyword} do?`);
  }
}

/** COPY of files by their name, or of the whole context. */
function copyContext(files: string[], sources: string[], target: string): void {
  const wanted = sources.includes('.') ? files : sources;
  for (const file of wanted) {
    if (!files.includes(file)) throw new Error(`.dockerignore keeps ${file} out`);
    const to = join(target, sources.includes('.') ? file : basename(file));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(file, to);
  }
}

/** The content of a folder. Links to its files do, where the system's cp makes them: nobody writes to them. */
async function copyTree(from: string, to: string): Promise<void> {
  await run('cp', [process.platform === 'linux' ? '-al' : '-a', `${from}/.`, to]);
}

/** The environment of a process of the image. */
export function imageEnv({ root, env }: Image): Record<string, string> {
  return { PATH: `${join(root, 'usr/local/bin')}:${process.env['PATH']}`, ...env };
}
