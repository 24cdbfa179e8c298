import { Client, Connection, WorkflowExecutionAlreadyStartedError, type ConnectionLike } from '@temporalio/client';
import { SearchAttributeType, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import proto from '@temporalio/proto';
import { workflowOf, type WorkflowInputs, type WorkflowStart, type WorkflowType } from '../workflows/registry.ts';
import { searchAttributes, shownOf } from '../workflows/search-attributes.ts';

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
 * Returns the run's id, or null if that workflow has ended and was not started again.
 */
export async function startWorkflow(client: Client, start: WorkflowStart): Promise<string | null> {
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
        policy === 'again' ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
      // The run before a retry may not have ended yet, after a kill; it would end without doing the retry's work.
      workflowIdConflictPolicy:
        policy === 'again' ? WorkflowIdConflictPolicy.TERMINATE_EXISTING : WorkflowIdConflictPolicy.USE_EXISTING,
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
      wanted.map((key) => [
        key.name,
        key.type === SearchAttributeType.INT
          ? IndexedValueType.INDEXED_VALUE_TYPE_INT
          : IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
      ]),
    ),
  });
}
