import { setTimeout as delay } from 'node:timers/promises';
import { DateTime } from 'luxon';
import { receiveText, reportText, startGateway, type AcceptedText, type Gateway } from '../fakes/gateway.ts';
import { startWebhookEndpoint, type AcceptedWebhook, type FakeWebhookEndpoint } from '../fakes/webhook-endpoint.ts';
import { CallError, type Client } from './client.ts';
import { pick } from './random.ts';
import { check, type Check } from './report.ts';

/** What the service must be allowed to reach, for the gateway and the receiver of webhooks that run here. */
export const OUTBOUND_ALLOW = '127.0.0.1/32';

const NO_OUTBOUND = `The text, the STOP and the webhook are left out: this service may not call 127.0.0.1, where the demo receives them.
Start it with OUTBOUND_ALLOW=${OUTBOUND_ALLOW} npm start (empty by default: what users enter must not lead to this machine),
and the demo with ADMIN_PASSWORD=…, because only an Admin may create a webhook.`;
const NO_ADMIN = `The webhook is left out: only an Admin may create one.
Run the demo with ADMIN_PASSWORD=… (and ADMIN_USERNAME=…, if that is not admin).`;

const PATIENCE_MS = 10 * 60_000;
/** Numbers that are reserved for fiction, in areas that no other contact of the demo is in. */
const AREAS = ['206', '212', '303', '312', '404', '503', '512', '602', '617', '702'];
/** Somewhere it is day: marketing texts go from 8:00 to 21:00 in the recipient's time zone. */
const TIMEZONES = ['Pacific/Honolulu', 'America/New_York', 'Europe/Berlin', 'Asia/Tokyo'];
/** What the webhook is told of, in the order in which it happens here. */
const TOLD = [
  'CHANNEL_SUBSCRIBED',
  'MESSAGE_SENT',
  'MESSAGE_DELIVERED',
  'MESSAGE_CLICKED',
  'MESSAGE_RECEIVED',
  'CHANNEL_UNSUBSCRIBED',
  // The answer to the STOP, which is to the number, whoever has it.
  'MESSAGE_SENT',
];
const BROWSER = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0';

export interface TextsDemo {
  checks: Check[];
  links: Record<string, string>;
  /** What could not be shown, and what to do about it. */
  leftOut: string[];
}

interface Setting {
  api: Client;
  /** Of an Admin, if one is known. */
  admin: Client | null;
  apiUrl: string;
  /** Names this run. */
  run: string;
  say: (line: string) => void;
}

interface Gate {
  gate: string;
  passed: boolean;
  reason: string | null;
}

/**
 * Sends a text through a gateway on this machine, has its recipient follow the link and answer STOP, shows why the next
 * text does not go, and has a webhook told of all that.
 */
export async function showTexts(setting: Setting): Promise<TextsDemo> {
  const { api, admin, run } = setting;
  const [gateway, endpoint] = [await startGateway(), await startWebhookEndpoint()];
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const provider = await unless('outbound_refused', () =>
      api.call('POST', '/channels/providers', gateway.provider(`Demo gateway ${run}`)),
    );
    if (!provider) return { checks: [], links: {}, leftOut: [NO_OUTBOUND] };
    undo.push(() => api.call('PUT', `/channels/providers/${provider.id}`, { active: false }));
    const teller = admin ?? api;
    const webhook = await unless(403, () =>
      teller.call('POST', '/webhooks', {
        ...{ name: `Demo ${run}`, url: `${endpoint.url}/events`, types: [...new Set(TOLD)], ordering: 'contact' },
      }),
    );
    if (webhook) {
      endpoint.trust(webhook.secret);
      undo.push(() => teller.call('PUT', `/webhooks/${webhook.id}`, { active: false }));
    }
    const texts = await showStop(setting, gateway, provider.id);
    if (!webhook) return { ...texts, leftOut: [NO_ADMIN] };
    const told = await showProof(setting, endpoint, webhook.id, texts);
    return {
      checks: [...texts.checks, ...told.checks],
      links: { ...texts.links, ...told.links },
      leftOut: [],
    };
  } finally {
    // What ends here must not be called any more.
    for (const one of undo) await one();
    await gateway.close();
    await endpoint.close();
  }
}

async function showStop({ api, apiUrl, run, say }: Setting, gateway: Gateway, providerId: number) {
  const { contactId, number, timezone } = await makeRecipient(api, run);
  const template = await api.call('POST', '/channels/templates', {
    ...{ name: `Demo ${run}`, channel: 'sms' },
    body: 'Hello {{firstName}}, our sale has begun: https://www.example.com/sale',
  });
  const send = (): Promise<{ messageId: number; status: string; reason: string | null }> =>
    api.call('POST', '/channels/sms/send', { recipientId: contactId, templateId: template.id, providerId });
  const arrived = (count: number) =>
    soon(`text ${count} to the recipient`, () => textsTo(gateway, number)[count - 1] ?? null);

  const { messageId } = await send();
  const text = await arrived(1);
  say(`  ${number}, where it is ${DateTime.now().setZone(timezone).toFormat('HH:mm')}, gets: “${text.text}”`);
  await reportText(gateway, text, 'delivered');
  await follow(text);
  const message = await soon('the text is delivered and its link followed', async () => {
    const found = await api.call('GET', `/channels/messages/${messageId}`);
    return found.status === 'DELIVERED' && found.clicks > 0 ? found : null;
  });

  const received = await receiveText(gateway, inboundUrl(text, providerId), { from: number, text: 'STOP' });
  if (!received.ok) throw new Error(`the service did not take the STOP: ${received.status}`);
  const answer = await arrived(2);
  say(`  They answer STOP, and get: “${answer.text}”`);
  const answerId = await soon('the answer is in the list of messages', async () => {
    const { data } = await api.call('GET', '/channels/messages?channel=sms&limit=200');
    return (
      (data as { id: number; to: string; contactId: number | null }[]).find(
        (one) => one.to === number && one.contactId === null,
      )?.id ?? null
    );
  });
  const asked = await api.call('POST', '/channels/check', { contactId, channel: 'sms', templateId: template.id });
  const next = await send();
  const explained = await api.call('GET', `/channels/messages/${next.messageId}/explain`);
  const gates = explained.gates as Gate[];
  say(`  The next text is ${next.status}, because of the gate`);
  for (const { gate, passed, reason } of gates)
    say(`    ${passed ? '✓' : '✗'} ${gate.padEnd(12)}${passed ? '' : ` ${reason}`}`.trimEnd());
  const stops = gates.filter(({ passed }) => !passed);
  const foreseen = (asked.gates as Gate[]).filter(({ passed }) => !passed);
  const isSame = stops.length === 1 && foreseen.length === 1 && stops[0]!.gate === foreseen[0]!.gate;
  return {
    contactId,
    answerId,
    checks: [
      check('texts that came: one, and one answer to STOP', textsTo(gateway, number).length, 2),
      check('clicks on the link of the text', message.clicks, 1),
      check(
        'texts after the STOP that were suppressed',
        next.status === 'SUPPRESSED' && next.reason === 'no_consent' ? 1 : 0,
        1,
      ),
      check('of which the check said so before', isSame && asked.allowed === false ? 1 : 0, 1),
    ],
    links: {
      'The text': `${apiUrl}/api/v1/channels/messages/${messageId}`,
      'Why the next one did not go': `${apiUrl}/api/v1/channels/messages/${next.messageId}/explain`,
    },
  };
}

/** Waits until the webhook was told of everything, and compares the service's proof with what came. */
async function showProof(
  { api, apiUrl, say }: Setting,
  endpoint: FakeWebhookEndpoint,
  webhookId: number,
  { contactId, answerId }: { contactId: number; answerId: number },
) {
  const ofContact = ({ data }: AcceptedWebhook): boolean =>
    (data['contactId'] ?? data['recipientId']) === contactId || data['messageId'] === answerId;
  const told = await soon('the webhook was told of everything', () => {
    const found = [...new Map(endpoint.accepted.filter(ofContact).map((one) => [one.id, one])).values()];
    return found.length >= TOLD.length ? found : null;
  });
  const proof = await soon('all that was told is settled', async () => {
    const found = await api.call('GET', `/webhooks/${webhookId}/proof`);
    return found.pending === 0 && found.matched >= TOLD.length ? found : null;
  });
  const types = told.toSorted((a, b) => a.sequence - b.sequence).map(({ type }) => type);
  say(`  A webhook was told, each signed by its secret: ${types.join(', ')}`);
  const { matched, delivered, pending, failed, held, firstSequence, lastSequence } = proof;
  say(
    `  Its proof: ${matched} matched, ${delivered} delivered, ${pending} pending, ${failed} failed, ${held} held; numbers ${firstSequence} to ${lastSequence}`,
  );
  // Others may have it told of more meanwhile.
  const numbers = new Set(endpoint.accepted.map(({ sequence }) => sequence).filter((one) => one <= lastSequence));
  return {
    checks: [
      check('events of the recipient that the webhook was told of', told.length, TOLD.length),
      check('signatures that were wrong', endpoint.asked() - endpoint.accepted.length, 0),
      check('events that the webhook accepted, by the proof', delivered, numbers.size),
    ],
    links: { 'Proof of the webhook': `${apiUrl}/api/v1/webhooks/${webhookId}/proof` },
  };
}

/** A contact with a number that nothing is known of yet, who then agrees to texts. */
async function makeRecipient(api: Client, run: string) {
  const timezone = TIMEZONES.map((zone) => ({ zone, toNoon: Math.abs(DateTime.now().setZone(zone).hour - 14) })).sort(
    (a, b) => a.toNoon - b.toNoon,
  )[0]!.zone;
  const newNumber = () =>
    `+1${pick(Math.random, AREAS)}55501${String(Math.floor(Math.random() * 100)).padStart(2, '0')}`;
  let number = newNumber();
  const contact = await api.call('POST', '/contacts', {
    ...{ firstName: 'Ada', lastName: `Demo ${run}`, email: `texts-${Date.now().toString(36)}@example.com` },
    ...{ phone: number, timezone },
  });
  const contactId = contact.id as number;
  while ((await api.call('GET', `/channels/preferences?contactId=${contactId}`)).channels.sms.consent !== 'none') {
    number = newNumber();
    await api.call('PUT', `/contacts/${contactId}`, { phone: number });
  }
  await api.call('PUT', '/channels/preferences', {
    contactId,
    channels: { sms: { consent: 'subscribed', evidence: { source: 'demo', text: 'Yes, text me about sales.' } } },
  });
  return { contactId, number, timezone };
}

const textsTo = ({ accepted }: Gateway, number: string): AcceptedText[] => accepted.filter(({ to }) => to === number);

/** Where the provider hands over texts: the address for reports begins with the URL by which the service knows itself. */
function inboundUrl({ callbackUrl }: AcceptedText, providerId: number): string {
  const path = '/api/v1/channels/webhooks/';
  const at = callbackUrl?.indexOf(path) ?? -1;
  if (at === -1) throw new Error(`the text came without an address for reports: ${callbackUrl}`);
  return `${callbackUrl!.slice(0, at)}${path}${providerId}`;
}

async function follow({ text }: AcceptedText): Promise<void> {
  const [link] = /https?:\/\/\S+/.exec(text) ?? [];
  if (!link) throw new Error(`the text has no link: ${text}`);
  const response = await fetch(link, { redirect: 'manual', headers: { 'user-agent': BROWSER } });
  await response.arrayBuffer();
  if (response.status !== 302) throw new Error(`the link of the text was answered ${response.status}`);
}

/** The answer; null if the service refused with this status or this code. */
async function unless<T>(refusal: number | string, call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    const isRefused =
      error instanceof CallError &&
      (typeof refusal === 'number' ? error.status === refusal : error.message.includes(`"${refusal}"`));
    if (isRefused) return null;
    throw error;
  }
}

async function soon<T>(what: string, ask: () => Promise<T | null> | T | null): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(250)) {
    const answer = await ask();
    if (answer !== null) return answer;
  }
  throw new Error(`nothing has moved for ${PATIENCE_MS / 60_000} minutes; waiting until ${what}`);
}
