/**
 * What a site's service worker does with pushes: shows them, follows clicks, reports both, and renews the subscription
 * when the browser says so (Push API, `pushsubscriptionchange`). Loaded by `importScripts`, so a site may have more in
 * its worker: pushes and notifications of others are left alone.
 */
import { applicationServerKey, post, register } from '../site.ts';

declare const self: ServiceWorkerGlobalScope;

/** A push as the service encrypts it. */
interface Push {
  title: string;
  body: string;
  url?: string;
  icon?: string;
  image?: string;
  actions?: { action: string; title: string; url?: string }[];
  /** The message: a repetition replaces what is shown, silently. */
  tag: string;
  token: string;
}

/** What a notification of ours keeps. */
interface Shown {
  perennial: { token: string; url?: string | undefined; actions: Record<string, string> };
}

const report = (token: string, type: 'shown' | 'clicked' | 'closed'): Promise<unknown> =>
  post('events', { token, type }).catch(() => {});

function pushOf(event: PushEvent): Push | null {
  try {
    const push = event.data!.json() as Push;
    return typeof push.token === 'string' && typeof push.tag === 'string' ? push : null;
  } catch {
    return null;
  }
}

async function show({ title, body, url, icon, image, actions = [], tag, token }: Push): Promise<void> {
  const links = actions.flatMap((one) => (one.url === undefined ? [] : [[one.action, one.url] as const]));
  const data: Shown = { perennial: { token, url, actions: Object.fromEntries(links) } };
  await self.registration.showNotification(title, {
    body,
    tag,
    data,
    ...(icon === undefined ? {} : { icon }),
    // Not in the types, because not every browser shows them.
    ...({ image, actions: actions.map((one) => ({ action: one.action, title: one.title })) } as object),
  });
  await report(token, 'shown');
}

const shownOf = ({ notification }: NotificationEvent): Shown['perennial'] | undefined =>
  (notification.data as Partial<Shown> | null)?.perennial;

self.addEventListener('push', (event) => {
  const push = pushOf(event);
  if (push) event.waitUntil(show(push));
});

self.addEventListener('notificationclick', (event) => {
  const shown = shownOf(event);
  if (!shown) return;
  event.notification.close();
  const url = shown.actions[event.action] ?? shown.url;
  event.waitUntil(
    Promise.all([url === undefined ? null : self.clients.openWindow(url), report(shown.token, 'clicked')]),
  );
});

self.addEventListener('notificationclose', (event) => {
  const shown = shownOf(event);
  if (shown) event.waitUntil(report(shown.token, 'closed'));
});

/** Some browsers tell the new subscription, others want it to be made; some tell the former one. */
type ChangeEvent = ExtendableEvent & {
  newSubscription?: PushSubscription | null;
  oldSubscription?: PushSubscription | null;
};

async function renew({ newSubscription, oldSubscription }: ChangeEvent): Promise<void> {
  const options = { userVisibleOnly: true, applicationServerKey: applicationServerKey() };
  const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(options));
  await register(subscription, oldSubscription ? { replaces: oldSubscription.endpoint } : {});
}

self.addEventListener('pushsubscriptionchange', (event) => {
  (event as ChangeEvent).waitUntil(renew(event));
});
