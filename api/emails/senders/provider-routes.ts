import { Type } from 'typebox';
import { readProviders } from '../../../config/smtp-url.ts';
import { engineEm } from '../../../db/orm.ts';
import { readHealth } from '../../../domain/emails/providers/read-health.ts';
import { nullable, oneOf, strict, Timestamp } from '../../route/schemas.ts';
import { route, type RouteSpec } from '../../route/route.ts';

const Provider = strict(
  {
    provider: Type.String({ description: 'host:port', examples: ['smtp.example.com:587'] }),
    order: Type.Integer({ description: 'Position in the failover order, from 1' }),
    status: oneOf(['UP', 'DEGRADED', 'DOWN'], {
      description:
        'DOWN: no process uses it until its pause ends (`restsUntil`), except for a trial message. DEGRADED: paused for some processes, failed since the last success, or no sender process is running',
    }),
    connections: Type.Integer({ description: 'Maximum connections per sender process' }),
    ratePerMinute: nullable(Type.Integer({ description: 'Limit for all sender processes together' })),
    processes: Type.Integer({ description: 'Sender processes that reported within the last minute' }),
    failures: Type.Integer({ description: 'Consecutive failures' }),
    restsUntil: nullable(Timestamp),
    lastError: nullable(Type.String()),
    lastErrorAt: nullable(Timestamp),
    lastSentAt: nullable(Timestamp),
    sent: Type.Integer({ description: 'Emails sent by these processes since they started' }),
    seenAt: nullable(Timestamp),
  },
  { title: 'Provider' },
);

export const providerRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/providers',
    operationId: 'listProviders',
    summary: 'List the mail providers and their health',
    description:
      'The mail servers of `SMTP_URL`, in their failover order. DOWN: none is tried through it until its pause ends.',
    access: 'emails:read',
    responses: { 200: { schema: strict({ data: Type.Array(Provider) }, { title: 'ProviderList' }) } },
    handler: async ({ deps }) => ({
      body: { data: await readHealth(engineEm(deps.orm), readProviders(deps.env.SMTP_URL), deps.env.SEND_CONNECTIONS) },
    }),
  }),
];
