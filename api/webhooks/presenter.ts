import type { WebhookReplay } from '../../db/entities/webhooks.ts';
import type { DeliveryView } from '../../domain/webhooks/deliveries/list-deliveries.ts';
import type { Proof } from '../../domain/webhooks/deliveries/proof.ts';
import type { Attempt } from '../../domain/webhooks/deliveries/settle-deliveries.ts';
import type { EndpointView } from '../../domain/webhooks/endpoints/endpoints.ts';

const timeOf = (at: Date | null | undefined): string | null => at?.toISOString() ?? null;

/** An endpoint as in the API: of its secrets only that they exist. */
export function presentWebhook({ endpoint, lastSuccessAt }: EndpointView) {
  return {
    id: endpoint.id,
    name: endpoint.name,
    url: endpoint.url,
    types: endpoint.types,
    filter: endpoint.filter ?? null,
    format: endpoint.format,
    signature: endpoint.signature,
    ordering: endpoint.ordering,
    include: endpoint.include,
    headers: Object.fromEntries(Object.keys(endpoint.headers ?? {}).map((name) => [name, true])),
    maxInFlight: endpoint.maxInFlight,
    timeoutMs: endpoint.timeoutMs,
    active: endpoint.active,
    disabledReason: endpoint.disabledReason ?? null,
    disabledAt: timeOf(endpoint.disabledAt),
    lastSuccessAt: timeOf(lastSuccessAt),
    secret: endpoint.signature === 'v1' ? true : null,
    publicKey: endpoint.publicKey ?? null,
    tenantId: endpoint.tenantId,
    version: endpoint.version,
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}

export const presentDelivery = ({ nextAttemptAt, createdAt, ...delivery }: DeliveryView) => ({
  ...delivery,
  nextAttemptAt: timeOf(nextAttemptAt),
  createdAt: createdAt.toISOString(),
});

export const presentAttempt = ({ at, ms, ...attempt }: Attempt) => ({
  ...attempt,
  at: at.toISOString(),
  durationMs: ms,
});

export const presentProof = ({ from, to, ...proof }: Proof) => ({
  from: from.toISOString(),
  to: to.toISOString(),
  ...proof,
});

export const presentReplay = (replay: WebhookReplay) => ({
  id: replay.id,
  webhookId: replay.endpointId,
  from: replay.fromAt.toISOString(),
  to: replay.toAt.toISOString(),
  types: replay.types ?? null,
  only: replay.only,
  status: replay.status,
  examined: replay.examined,
  replayed: replay.replayed,
  workflowId: replay.workflowId,
  createdAt: timeOf(replay.createdAt),
  finishedAt: timeOf(replay.finishedAt),
});
