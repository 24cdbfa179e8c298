/** The site of the script; the service puts it around the script. */
declare const PERENNIAL_SITE: {
  /** The base URL of the API, without a slash at the end. */
  api: string;
  siteKey: string;
  /** The key of the site's subscriptions (VAPID), in base64url. */
  publicKey: string;
};

export const site = PERENNIAL_SITE;

/** What the service answered for the subscription of this browser. */
export interface Kept {
  id: number;
  token: string;
  endpoint: string;
}

/** The key as `pushManager.subscribe` wants it in every browser. */
export function applicationServerKey(): Uint8Array<ArrayBuffer> {
  const text = atob(site.publicKey.replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = new Uint8Array(new ArrayBuffer(text.length));
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Calls the service. Text needs no preflight; `keepalive` outlives the page or the worker. */
export const post = (path: string, body: object): Promise<Response> =>
  fetch(`${site.api}/channels/push/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: JSON.stringify(body),
    credentials: 'omit',
    keepalive: true,
  });

/** Tells the service of a subscription, and keeps what it answers. Rejects if the service does not take it. */
export async function register(subscription: PushSubscription, more: object = {}): Promise<void> {
  const former = await read();
  const { endpoint } = subscription;
  const told = {
    siteKey: site.siteKey,
    subscription: subscription.toJSON(),
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    locale: navigator.language,
  };
  const replaces = former && former.endpoint !== endpoint ? { replaces: former.token } : {};
  let response = await post('subscriptions', { ...told, ...replaces, ...more });
  // A token of long ago may not be known any more; the new subscription still counts.
  if (response.status === 400 && former) response = await post('subscriptions', { ...told, ...more });
  const answer = (await response.json()) as Kept & { detail?: string };
  if (!response.ok) throw new Error(answer.detail);
  await write({ id: answer.id, token: answer.token, endpoint });
}

/** Pages and workers of an origin share this store. */
function store<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('perennial-push', 1);
    const fail = (): void => reject(opening.error ?? new Error('no storage'));
    opening.onerror = fail;
    opening.onupgradeneeded = () => void opening.result.createObjectStore('subscriptions');
    opening.onsuccess = () => {
      const database = opening.result;
      const asked = use(database.transaction('subscriptions', mode).objectStore('subscriptions'));
      asked.onerror = fail;
      asked.onsuccess = () => {
        resolve(asked.result);
        database.close();
      };
    };
  });
}

/** A browser may have no storage: then a renewal is told without the former subscription. */
export const read = (): Promise<Kept | undefined> =>
  store('readonly', (subscriptions) => subscriptions.get(site.siteKey) as IDBRequest<Kept | undefined>).catch(
    () => undefined,
  );
const write = (kept: Kept): Promise<unknown> =>
  store('readwrite', (subscriptions) => subscriptions.put(kept, site.siteKey)).catch(() => {});
export const forget = (): Promise<unknown> =>
  store('readwrite', (subscriptions) => subscriptions.delete(site.siteKey)).catch(() => {});
