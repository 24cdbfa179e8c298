import { Type } from 'typebox';
import { readProviders } from '../../../config/smtp-url.ts';
import { engineEm } from '../../../db/orm.ts';
import { readHealth } from '../../../domain/emails/providers/read-health.ts';
import { nullable, oneOf, strict, Timestamp } from '../../route/schemas.ts';
import { route, type RouteSpec } from '../../route/route.ts';

const Provider = strict(
  {
    provider: Type.String({ description: 'host:port', examples: ['smtp.example.com:587'] }),
    order: Type.Integer({ description: 'Its place in the failover order, from 1' }),
    status: oneOf(['UP', 'DEGRADED', 'DOWN'], {
      description:
        'DOWN: no process sends by it, until it has rested. DEGRADED: it rests for some, has failed since it last worked, or there is no sender process',
    }),
    connections: Type.Integer({ description: 'Of one sender process, at most' }),
    ratePerMinute: nullable(Type.Integer({ description: 'Of all sender processes together' })),
    processes: Type.Integer({ description: 'Sender processes that were seen within the last minute' }),
    failures: Type.Integer({ description: 'In a row' }),
    restsUntil: nullable(Timestamp),
    lastError: nullable(Type.String()),
    lastErrorAt: nullable(Timestamp),
    lastSentAt: nullable(Timestamp),
    sent: Type.Integer({ description: 'By these processes since each began' }),
    seenAt: nullable(Timestamp),
  },
  { title: 'Provider' },
);

export const providerRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/providers',
    operationId: 'listProviders',
    summary: 'The mail providers and how they do',
    access: 'emails:read',
    responses: { 200: { schema: strict({ data: Type.Array(Provider) }, { title: 'ProviderList' }) } },
    handler: async ({ deps }) => ({
      body: { data: await readHealth(engineEm(deps.orm), readProviders(deps.env.SMTP_URL), deps.env.SEND_CONNECTIONS) },
    }),
  }),
];
