/**
 * The script with which a page of a site offers pushes. It asks nothing by itself: the page calls `subscribe` when a
 * visitor wants them, which every browser demands to be in a click. The worker is a file of the site, by default
 * `/perennial-worker.js`; `data-worker` of the element that loads the script names another.
 */
import { applicationServerKey, forget, read, register, site } from './site.ts';

type Status = 'unsupported' | 'denied' | 'unsubscribed' | 'subscribed';

declare global {
  interface Window {
    perennialPush?: {
      /** Asks the browser, and tells the service; `contactToken` says whose browser it is. Resolves to the status. */
      subscribe: (options?: { contactToken?: string }) => Promise<Status>;
      status: () => Promise<Status>;
      unsubscribe: () => Promise<Status>;
    };
  }
}

const worker = (document.currentScript as HTMLScriptElement | null)?.dataset['worker'] ?? '/perennial-worker.js';
const isSupported = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

interface TrustedUrls {
  createScriptURL: (url: string) => string;
}
interface TrustedTypes {
  createPolicy: (name: string, rules: TrustedUrls) => TrustedUrls;
}

/** Pages whose policy demands Trusted Types let a policy of this name be made once. */
let policy: TrustedUrls | undefined;
function trusted(url: string): string {
  const types = (window as { trustedTypes?: TrustedTypes }).trustedTypes;
  policy ??= types?.createPolicy('perennial-push', { createScriptURL: (same) => same });
  return policy ? policy.createScriptURL(url) : url;
}

/**
 * Resolves when the worker that was registered is active. `serviceWorker.ready` would wait for one of this page, which
 * may be another one, or none.
 */
function activated({ active, installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const coming = installing ?? waiting;
  if (active || !coming) return Promise.resolve();
  return new Promise((resolve, reject) => {
    coming.addEventListener('statechange', () => {
      if (coming.state === 'activated') resolve();
      if (coming.state === 'redundant') reject(new Error('the worker could not be installed'));
    });
  });
}

const isOurs = ({ options }: PushSubscription): boolean =>
  String(new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))) === String(applicationServerKey());

async function current(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(worker);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

async function status(): Promise<Status> {
  if (!isSupported) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const subscription = await current();
  return subscription && isOurs(subscription) && (await read()) ? 'subscribed' : 'unsubscribed';
}

async function subscribe({ contactToken }: { contactToken?: string } = {}): Promise<Status> {
  if (!isSupported) return 'unsupported';
  // First: a browser asks only while it handles the click.
  if ((await Notification.requestPermission()) !== 'granted') return status();
  const registration = await navigator.serviceWorker.register(trusted(worker));
  await activated(registration);
  const { pushManager } = registration;
  let subscription = await pushManager.getSubscription();
  // Of another site's key, for example of one that was deleted: a browser keeps one subscription for each worker.
  if (subscription && !isOurs(subscription)) {
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: applicationServerKey(),
  });
  await register(subscription, contactToken ? { contactToken } : {});
  return 'subscribed';
}

async function unsubscribe(): Promise<Status> {
  if (!isSupported) return 'unsupported';
  const [subscription, kept] = [await current(), await read()];
  // Whatever the service answers, the push service refuses what is sent from now on.
  if (subscription) await subscription.unsubscribe();
  if (kept)
    await fetch(`${site.api}/channels/push/subscriptions/${kept.id}?token=${encodeURIComponent(kept.token)}`, {
      method: 'DELETE',
      credentials: 'omit',
      keepalive: true,
    }).catch(() => {});
  await forget();
  return status();
}

// A page may load the script twice.
window.perennialPush ??= { subscribe, status, unsubscribe };
