import {
  Client,
  Connection,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type ConnectionLike,
} from '@temporalio/client';
import {
  SearchAttributeType,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/common';
import proto from '@temporalio/proto';
import { workflowOf, type WorkflowInputs, type WorkflowStart, type WorkflowType } from '../registry/workflows.ts';
import { searchAttributes, shownOf } from '../registry/search-attributes.ts';

/** The gRPC status code NOT_FOUND. */
const NOT_FOUND = 5;

export async function connectTemporal(address: string, namespace: string): Promise<Client> {
  const connection = await Connection.connect({ address, connectTimeout: '10s' });
  return new Client({ connection, namespace });
}

/** Whether the client's namespace exists in Temporal; also true after any error other than NOT_FOUND. */
export async function hasNamespace({ workflowService, options: { namespace } }: Client): Promise<boolean> {
  try {
    await workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code !== NOT_FOUND;
  }
}

/** Thrown by the use of a Temporal that was never there since the process has started. */
export class TemporalAway extends Error {
  override readonly name = 'TemporalAway';
  override readonly message = 'Temporal was never there';
}

/**
 * The gRPC status codes of a server that is away, overloaded, or just coming: DEADLINE_EXCEEDED, NOT_FOUND (of the
 * namespace), RESOURCE_EXHAUSTED, ABORTED, INTERNAL and UNAVAILABLE.
 */
const COMING: ReadonlySet<unknown> = new Set([4, NOT_FOUND, 8, 10, 13, 14]);

/** Whether an error of a request, or of the start of a worker, means that Temporal is away or not quite there. */
export function isTemporalAway(error: unknown): boolean {
  if (error instanceof TemporalAway) return true;
  const { code, name, cause } = error as { code?: unknown; name?: unknown; cause?: unknown };
  // Workers put the status of their server into the text of a TransportError only.
  if (COMING.has(code) || name === 'TransportError') return true;
  return cause !== undefined && cause !== null && isTemporalAway(cause);
}

/** A client on an existing connection (a worker's own). */
export function temporalClient(connection: ConnectionLike, namespace: string): Client {
  return new Client({ connection, namespace });
}

/** How a workflow is started, from the registry: its policy, and the options for the client. */
function startOf<Type extends WorkflowType>({
  type,
  id,
  input,
}: {
  type: Type;
  id: string;
  input: WorkflowInputs[Type];
}) {
  const { queue, policy } = workflowOf(type);
  const options = { workflowId: id, taskQueue: queue, args: [input], ...shownOf(type, input) };
  return { policy: policy(input), options };
}

/**
 * Starts a workflow with its policy in the registry. It is no error if one with this id is running or has ended.
 * Returns the run's id, or null if that workflow has ended and was not started again. `missing`: its row is open, so one
 * that has ended is started again, whatever its policy, and one that runs goes on.
 */
export async function startWorkflow(
  client: Client,
  start: WorkflowStart,
  { missing = false }: { missing?: boolean } = {},
): Promise<string | null> {
  const { policy, options } = startOf(start);
  if (policy === 'wake') {
    // Signal-with-start is atomic: after a separate check, the workflow could end before the signal.
    const handle = await client.workflow.signalWithStart(start.type, {
      ...options,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      signal: 'wake',
      signalArgs: [],
    });
    return handle.signaledRunId;
  }
  try {
    const handle = await client.workflow.start(start.type, {
      ...options,
      workflowIdReusePolicy:
        policy === 'again' || missing ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
      // The run before a retry may not have ended yet, after a kill; it would end without doing the retry's work.
      workflowIdConflictPolicy:
        policy === 'again' && !missing
          ? WorkflowIdConflictPolicy.TERMINATE_EXISTING
          : WorkflowIdConflictPolicy.USE_EXISTING,
    });
    return handle.firstExecutionRunId;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}

/** A workflow as Temporal knows it by its id; unlike what it lists, this is up to date. */
export interface KnownWorkflow {
  isOpen: boolean;
  runId: string | null;
  /** It has something to do, or to try again: it will look at its row by itself. */
  isAtWork: boolean;
  /** All that it has to do are activities that have failed many times. */
  isFailing: boolean;
  /** How many events its history has. */
  events: number;
}

const UNKNOWN_WORKFLOW: KnownWorkflow = { isOpen: false, runId: null, isAtWork: false, isFailing: false, events: 0 };

const MANY_ATTEMPTS = 10;

export async function describeWorkflow(client: Client, id: string): Promise<KnownWorkflow> {
  try {
    const { status, runId, historyLength, raw } = await client.workflow.getHandle(id).describe();
    const activities = raw.pendingActivities ?? [];
    const hasOther = raw.pendingWorkflowTask != null || (raw.pendingChildren ?? []).length > 0;
    return {
      isOpen: status.name === 'RUNNING',
      runId,
      isAtWork: hasOther || activities.length > 0,
      isFailing:
        !hasOther && activities.length > 0 && activities.every(({ attempt }) => (attempt ?? 1) > MANY_ATTEMPTS),
      events: historyLength,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return UNKNOWN_WORKFLOW;
    throw error;
  }
}

/** The time of the last event of a workflow's history; null if Temporal does not know the workflow. */
export async function lastEventTime(client: Client, workflowId: string): Promise<Date | null> {
  const { workflowService, options } = client;
  const request = { namespace: options.namespace, execution: { workflowId }, maximumPageSize: 1 };
  try {
    const { history } = await workflowService.getWorkflowExecutionHistoryReverse(request);
    const time = history?.events?.[0]?.eventTime;
    return new Date(Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6);
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return null;
    throw error;
  }
}

const LISTED_AT_ONCE = 1000;

/** The open workflows of these types as Temporal lists them, page by page: those of the last seconds may be missing. */
export async function* listOpenWorkflows(
  client: Client,
  types: readonly WorkflowType[],
): AsyncGenerator<{ id: string; type: string }[]> {
  const query = `ExecutionStatus = 'Running' AND WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;
  const { namespace } = client.options;
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace,
      query,
      pageSize: LISTED_AT_ONCE,
      nextPageToken,
    });
    yield (page.executions ?? []).map(({ execution, type }) => ({ id: execution!.workflowId!, type: type!.name! }));
    nextPageToken = page.nextPageToken ?? new Uint8Array();
  } while (nextPageToken.length > 0);
}

/** Starts a workflow, if it was not, and waits until it has ended, in whatever way. */
export async function runWorkflow(client: Client, start: WorkflowStart): Promise<void> {
  await startWorkflow(client, start);
  await client.workflow
    .getHandle(start.id)
    .result()
    .catch((error: unknown) => {
      if (!(error instanceof WorkflowFailedError)) throw error;
    });
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
      wanted.map((key) => [
        key.name,
        key.type === SearchAttributeType.INT
          ? IndexedValueType.INDEXED_VALUE_TYPE_INT
          : IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
      ]),
    ),
  });
}
