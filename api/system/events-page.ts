import type { asyncapi } from '../../transport/asyncapi.ts';
import { escapeHtml, htmlPage } from '../pages/html.ts';

interface Schema {
  type?: string | string[];
  const?: unknown;
  format?: string;
  anyOf?: Schema[];
  items?: Schema;
  title?: string;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Channel {
  title: string;
  address: string;
  summary: string;
  description?: string;
  'x-stream': string;
  messages: Record<string, { payload: Schema; examples?: { payload: unknown }[] }>;
}

const style = `
body{max-width:48rem}
code,pre{font:.9em/1.5 ui-monospace,monospace}
pre{overflow-x:auto;padding:.7rem .9rem;border:1px solid #76767666;border-radius:.3rem}
section{border-top:1px solid #76767666;margin-top:1.6rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0}
nav ul{columns:14rem;padding-left:1.2rem}`;

/** Escapes a text and renders its Markdown code spans. */
const inline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
const paragraphs = (text: string): string =>
  text
    .split('\n\n')
    .map((part) => `<p>${inline(part)}</p>`)
    .join('\n');

function typeOf({ type, anyOf, items, format, const: only }: Schema): string {
  if (only !== undefined) return JSON.stringify(only);
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  return format ?? [type ?? 'any'].flat().join(' or ');
}

function fields({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(typeOf(schema))}${required.includes(name) ? '' : ', optional'}</td><td>${inline(schema.description ?? schema.anyOf?.[0]?.description ?? '')}</td></tr>`,
  );
  return `<table><thead><tr><th>Field</th><th>Type</th><th></th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function messageHtml({ payload, examples = [] }: Channel['messages'][string]): string {
  const data = payload.properties?.['data'];
  return `${payload.title ? `<h3>${escapeHtml(payload.title)}</h3>\n` : ''}<p>${data ? 'The fields of <code>data</code>:' : 'The fields:'}</p>
${fields(data ?? payload)}
${examples.map((example) => `<details><summary>Example</summary><pre>${escapeHtml(JSON.stringify(example.payload, null, 2))}</pre></details>`).join('\n')}`;
}

function channelHtml([id, channel]: [string, Channel]): string {
  return `<section id="${escapeHtml(id)}"><h2>${escapeHtml(channel.title)}</h2>
<p>${inline(channel.summary)}</p>${channel.description ? paragraphs(channel.description) : ''}
<p>Subject <code>${escapeHtml(channel.address)}</code>, stream <code>${escapeHtml(channel['x-stream'])}</code></p>
${Object.values(channel.messages).map(messageHtml).join('\n')}</section>`;
}

const ageOf = (hours: number): string => (hours % 24 === 0 ? `${hours / 24} days` : `${hours} hours`);

/** The AsyncAPI document as an HTML page without scripts. */
export function eventsPage(document: ReturnType<typeof asyncapi>): string {
  const channels = Object.entries(document.channels) as [string, Channel][];
  const { nats } = document.servers;
  const streams = document['x-streams'].map(
    ({ name, subjects, retention, maxAgeSeconds }) =>
      `<tr><td><code>${name}</code></td><td><code>${escapeHtml((subjects ?? []).join(' '))}</code></td><td>${(retention as string) === 'workqueue' ? 'until consumed' : maxAgeSeconds ? ageOf(maxAgeSeconds / 3600) : 'forever'}</td></tr>`,
  );
  return htmlPage(
    document.info.title,
    `<style>${style}</style>
<p><a href="/docs">HTTP API</a> · <a href="/api/v1/asyncapi.json">AsyncAPI document</a></p>
<h1>${escapeHtml(document.info.title)}</h1>
${paragraphs(document.info.description)}
<p>Server: <code>nats://${escapeHtml(nats.host)}</code>. ${inline(nats.description)}</p>
<table><thead><tr><th>Stream</th><th>Subjects</th><th>Retention</th></tr></thead><tbody>${streams.join('\n')}</tbody></table>
<nav><ul>${channels.map(([id, { title }]) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></li>`).join('')}</ul></nav>
${channels.map(channelHtml).join('\n')}`,
  );
}
