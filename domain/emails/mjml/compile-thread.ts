import { parentPort } from 'node:worker_threads';
import mjml2html from 'mjml-browser';
import type { Compiled } from './thread.ts';

/** Nothing is read but the text itself: no included files, no configuration. */
async function compile(source: string): Promise<Compiled> {
  try {
    const { html, errors } = await mjml2html(source, { validationLevel: 'soft', ignoreIncludes: true, keepComments: true });
    return { html, mistakes: errors.map(({ line, message }) => ({ line, message: message.trim() })) };
  } catch (error) {
    if (error instanceof RangeError) return 'limit';
    return { html: '', mistakes: [{ line: 1, message: error instanceof Error ? error.message : String(error) }] };
  }
}

parentPort!.on('message', (source: string) => void compile(source).then((compiled) => parentPort!.postMessage(compiled)));
parentPort!.postMessage('ready');
