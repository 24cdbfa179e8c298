import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { makeDevice, type Device } from '../../../dev/fakes/device.ts';
import type { Answer, Service } from '../service.ts';

export interface Site {
  id: number;
  siteKey: string;
  publicKey: string;
  origins: string[];
}

/** A browser at a push service that may be called; nothing listens there. */
export const newBrowser = (host = 'https://fcm.googleapis.com'): Device =>
  makeDevice(`${host}/fcm/send/${randomBytes(12).toString('hex')}`);

/** Calls for tests of pushes. */
export function pushing(service: Service) {
  const asPage = (method: string, path: string, body?: object, origin?: string, headers: Record<string, string> = {}) =>
    service.api(method, path, body, { token: null, headers: { ...(origin ? { origin } : {}), ...headers } });
  return {
    /** Calls without a token, as a page of `origin` does. */
    asPage,
    makeSite: async (more: object = {}, options: object = {}): Promise<Site> => {
      const site = {
        name: 'Website',
        origins: ['https://www.example.com'],
        subject: 'mailto:web@example.com',
        ...more,
      };
      const answer = await service.api('POST', '/channels/push/sites', site, options);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body;
    },
    subscribe: (site: Site, device: Device, more: object = {}, origin = site.origins[0]): Promise<Answer> =>
      asPage(
        'POST',
        '/channels/push/subscriptions',
        { siteKey: site.siteKey, subscription: device.subscription, ...more },
        origin,
      ),
  };
}
