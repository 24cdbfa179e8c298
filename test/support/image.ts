import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The result of a Dockerfile, in folders instead of layers. */
export interface Image {
  /** Stands for `/`. Of the base image it only contains Node. */
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

/** Whether .dockerignore includes a file in the build: the last line that matches it, or a parent folder, decides. */
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

/** The files of the repository in the build context. */
function contextFiles(): string[] {
  const isSent = dockerignore(readFileSync('.dockerignore', 'utf8'));
  // All exceptions are at the top level: an excluded folder is excluded completely.
  const top = readdirSync('.').filter(isSent);
  return top.flatMap((name) => {
    if (!statSync(name).isDirectory()) return name;
    return readdirSync(name, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative('.', join(entry.parentPath, entry.name)))
      .filter(isSent);
  });
}

/** Builds the last stage of the Dockerfile in `folder` from its instructions; throws at an unknown one. */
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
    // A machine that has run `npm ci` has everything that the build gets from registries in npm's cache.
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

/** COPY of files by name, or of the whole context. */
function copyContext(files: string[], sources: string[], target: string): void {
  const wanted = sources.includes('.') ? files : sources;
  for (const file of wanted) {
    if (!files.includes(file)) throw new Error(`.dockerignore keeps ${file} out`);
    const to = join(target, sources.includes('.') ? file : basename(file));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(file, to);
  }
}

/** Copies the content of a folder, with hard links where the system's cp supports them: nobody writes to the files. */
async function copyTree(from: string, to: string): Promise<void> {
  await run('cp', [process.platform === 'linux' ? '-al' : '-a', `${from}/.`, to]);
}

/** The environment of a process in the image. */
export function imageEnv({ root, env }: Image): Record<string, string> {
  return { PATH: `${join(root, 'usr/local/bin')}:${process.env['PATH']}`, ...env };
}
