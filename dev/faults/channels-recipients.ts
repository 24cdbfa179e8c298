import { readEnv } from '../../config/env.ts';
import { makeSiteKeys } from '../../domain/channels/push/site-keys.ts';
import { subscriptionDigest } from '../../domain/channels/push/subscription-digest.ts';
import type { Client } from '../demo/client.ts';
import { makeDevice, type Device } from '../fakes/device.ts';
import { withClient } from '../stack/postgres.ts';
import type { Parts } from './parts.ts';

/** Who gets pushes. */
export interface Recipients {
  contactIds: number[];
  /** The name of a device, or a registration token, by the id of its subscription. */
  devices: Map<number, string>;
  /** Those that can read what came for a device. */
  keysOf: (name: string) => Device;
}

/** Making keys takes long, so devices share some. */
const KEYS = 20;
/** Each contact has a browser or an app; one of so many has both. */
const BOTH_OF = 10;

/**
 * Makes providers, a site, and contacts with devices: browsers `web-{n}` and apps `app-{n}`, written as an import would,
 * because so many calls would take longer than what is tested.
 */
export async function makeRecipients(parts: Parts, client: Client, count: number): Promise<Recipients> {
  await client.call('POST', '/channels/providers', parts.fakes.gateway.provider);
  await client.call('POST', '/channels/providers', parts.fakes.fcm.provider);
  const origin = `${parts.fakes.push.url}/push/`;
  const keys = Array.from({ length: KEYS }, () => makeDevice(`${origin}key`));
  const keysOf = (name: string): Device => keys[Number(name.split('-')[1]) % KEYS]!;
  const wanted = Array.from({ length: count }, (_, n) => n).flatMap((n) => [
    ...(n % 2 === 0 || n % BOTH_OF === 1 ? [{ n, type: 'webpush' as const, endpoint: `${origin}web-${n}` }] : []),
    ...(n % 2 === 1 ? [{ n, type: 'fcm' as const, endpoint: `app-${n}` }] : []),
  ]);
  const subscriptions = wanted.map(({ n, type, endpoint }) => {
    const own = type === 'webpush' ? keysOf(`web-${n}`).subscription.keys : null;
    const digest = subscriptionDigest(type, endpoint);
    return { n, type, endpoint, digest, p256dh: own?.p256dh, auth: own?.auth };
  });
  return withClient(parts.ownerUrl, async (owner) => {
    const { rows: contacts } = await owner.query<{ id: string; n: number }>(
      `insert into contacts (tenant_id, first_name, last_name, email, email_key)
       select 'default', 'F', 'L', 'p' || n || '@faults.example', 'p' || n || '@faults.example' from generate_series(0, $1::int - 1) n
       returning id, substr(split_part(email, '@', 1), 2)::int as n`,
      [count],
    );
    const { rows: sites } = await owner.query<{ id: string }>(`select nextval('push_sites_id_seq') as id`);
    const siteId = Number(sites[0]!.id);
    const site = makeSiteKeys(readEnv(parts.env), { tenantId: 'default', id: siteId });
    await owner.query(
      `insert into push_sites (id, tenant_id, name, origins, subject, site_key, public_key, private_key)
       values ($1, 'default', 'Faults', '{http://localhost}', 'mailto:push@faults.example', 'faults', $2, $3)`,
      [siteId, site.publicKey, site.privateKey],
    );
    const { rows: made } = await owner.query<{ id: string; endpoint: string }>(
      `insert into push_subscriptions (tenant_id, type, contact_id, site_id, endpoint, digest, p256dh, auth)
       select 'default', r.type, c.id, case when r.type = 'webpush' then $1::bigint end, r.endpoint, r.digest, r.p256dh, r.auth
       from jsonb_to_recordset($2::jsonb) as r(n int, type text, endpoint text, digest text, p256dh text, auth text)
       join contacts c on c.tenant_id = 'default' and c.email_key = 'p' || r.n || '@faults.example'
       returning id, endpoint`,
      [siteId, JSON.stringify(subscriptions)],
    );
    return {
      contactIds: contacts.sort((a, b) => a.n - b.n).map(({ id }) => Number(id)),
      devices: new Map(made.map(({ id, endpoint }) => [Number(id), endpoint.split('/').at(-1)!])),
      keysOf,
    };
  });
}
