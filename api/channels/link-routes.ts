import { Type } from 'typebox';
import { AppError } from '../../lib/checks/errors.ts';
import { linkReader } from '../../domain/tracking/read-links.ts';
import { recipientErrorPage } from '../emails/pages/pages.ts';
import { withoutPunctuation } from '../route/without-punctuation.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { hitPublisher } from '../tracking/hit-publisher.ts';
import { clickNotStored, messageHit, noStore } from '../tracking/hits.ts';

export const linkRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '//r/{code}',
    operationId: 'followShortLink',
    summary: 'Record a click on a link of a text message or push, and redirect to it',
    access: 'public',
    description:
      'Redirects only to the URL that is stored for the code. That a link to the preference or unsubscribe page was followed is not recorded.',
    params: Type.Object({ code: Type.String({ description: '10 letters and digits' }) }),
    openQuery: true,
    responses: { 302: { description: 'Redirect to the link' } },
    errors: ['not_found', 'unavailable'],
    errorPage: recipientErrorPage,
    handler: async ({ ctx, deps, params: { code } }) => {
      const link = await linkReader(deps.orm).find(withoutPunctuation(code));
      if (!link) throw new AppError('not_found', 'There is no such link', { headers: noStore });
      const visit = { address: ctx.ip, method: ctx.method, headers: ctx.headers };
      const hit = messageHit(link, visit, deps.env.PUBLIC_URL);
      if (hit && !(await hitPublisher(deps.nats, deps.log).publish(hit))) throw clickNotStored();
      return { headers: { ...noStore, Location: link.url } };
    },
  }),
];
