import { cutLine, type CutLine } from './database/cut-line.ts';

/** The setting that names a part of the system by a line that is cut, and the line. Both ends of it are on this machine. */
export async function latePart(env: Record<string, string>, name: string): Promise<[Record<string, string>, CutLine]> {
  const isPlain = !env[name]!.includes('://');
  const url = new URL(isPlain ? `tcp://${env[name]}` : env[name]!);
  const line = await cutLine(url.hostname, Number(url.port));
  await line.cut();
  url.port = String(line.port);
  return [{ [name]: isPlain ? url.host : url.href }, line];
}
