import { Client, Connection, WorkflowExecutionAlreadyStartedError, type ConnectionLike } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, type TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import proto from '@temporalio/proto';

/** gRPC's code. */
const NOT_FOUND = 5;

/** Journeys, thousands of them at a time. */
export const TASK_QUEUE = 'perennial';
/** What enters, stops and resumes journeys, and imports: none of it may stand behind them. */
export const JOB_QUEUE = 'perennial-jobs';
/** Email campaigns: each has an activity for as long as it is sent, most of the time asleep. */
export const MAILING_QUEUE = 'perennial-mailings';

export const searchAttributes = {
  campaignId: defineSearchAttributeKey('CampaignId', SearchAttributeType.INT),
  contactId: defineSearchAttributeKey('ContactId', SearchAttributeType.INT),
  campaignVersion: defineSearchAttributeKey('CampaignVersion', SearchAttributeType.INT),
  tenantId: defineSearchAttributeKey('TenantId', SearchAttributeType.KEYWORD),
  stepId: defineSearchAttributeKey('StepId', SearchAttributeType.KEYWORD),
  stepType: defineSearchAttributeKey('StepType', SearchAttributeType.KEYWORD),
};

export async function connectTemporal(address: string, namespace: string): Promise<Client> {
  const connection = await Connection.connect({ address, connectTimeout: '10s' });
  return new Client({ connection, namespace });
}

/** Whether Temporal has the client's namespace; true where it does not tell. */
export async function hasNamespace({ workflowService, options: { namespace } }: Client): Promise<boolean> {
  try {
    await workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code !== NOT_FOUND;
  }
}

/** A client over a connection that is there already (a worker's own). */
export function temporalClient(connection: ConnectionLike, namespace: string): Client {
  return new Client({ connection, namespace });
}

export interface WorkflowStart {
  /** The name of the workflow function. */
  type: string;
  id: string;
  input: Record<string, unknown>;
  /** Where its worker listens; by default journeys on their queue, all else on the other. */
  taskQueue?: string;
  searchAttributes?: TypedSearchAttributes;
  /** What the Temporal UI shows beside the execution. */
  summary?: string;
  /** It may have run under this id before: start it anew. One that runs is still a success. */
  again?: boolean;
}

/** Signals a workflow, starting it where it does not run (any more): what it is told is never lost between the two. */
export async function wakeWorkflow(client: Client, start: Omit<WorkflowStart, 'again'>, signal: string): Promise<void> {
  await client.workflow.signalWithStart(start.type, {
    ...startOptions(start), workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE, signal, signalArgs: [],
  });
}

const startOptions = (start: WorkflowStart) => ({
  workflowId: start.id,
  taskQueue: start.taskQueue ?? (start.type === 'campaignExecution' ? TASK_QUEUE : JOB_QUEUE),
  args: [start.input],
  ...(start.searchAttributes ? { typedSearchAttributes: start.searchAttributes } : {}),
  ...(start.summary ? { staticSummary: start.summary } : {}),
});

/**
 * Starts a workflow under a deterministic id. One that runs or ran under it is a success: answers its run id or,
 * where it is over, null.
 */
export async function startWorkflow(client: Client, start: WorkflowStart): Promise<string | null> {
  try {
    const handle = await client.workflow.start(start.type, {
      ...startOptions(start),
      workflowIdReusePolicy: start.again ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    });
    return handle.firstExecutionRunId;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}

const { IndexedValueType } = proto.temporal.api.enums.v1;

/** Registers the search attributes that are missing in the namespace. */
export async function ensureSearchAttributes(client: Client): Promise<void> {
  const connection = client.connection as Connection;
  const namespace = client.options.namespace;
  const present = (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes ?? {};
  const wanted = Object.values(searchAttributes).filter((key) => !(key.name in present));
  if (wanted.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(
      wanted.map((key) => [key.name, key.type === SearchAttributeType.INT ? IndexedValueType.INDEXED_VALUE_TYPE_INT : IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD]),
    ),
  });
}
