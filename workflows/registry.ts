/**
 * Every workflow: what it is started with, under which id, on which queue, and what a start does where a workflow of that id
 * runs or ran already. Commands, the relay, the starts and the tests read it here. It imports nothing, so that all may import it.
 */

/** The task queues. */
export const QUEUES = {
  /** Journeys, thousands of them at a time. */
  journeys: 'perennial',
  /** What enters, stops and resumes journeys, imports, segment builds, erasures: none of it may wait behind journeys. */
  jobs: 'perennial-jobs',
  /** Email campaigns: each has an activity for as long as it is sent, asleep most of the time. */
  mailings: 'perennial-mailings',
} as const;

/** A journey of one contact through one version of a campaign, at the step `ahead`. */
export interface ExecutionInput {
  tenantId: string;
  campaignId: number;
  campaignVersion: number;
  contactId: number;
  entryNo: number;
  executionId: number;
  /** 1, and one more with each retry of a failed execution. */
  runSeq: number;
  ahead: { stepId: string; type: string };
}

export interface EnrolmentInput {
  tenantId: string;
  enrolmentId: number;
  /** The contact id to continue after. */
  after?: number;
}

/** Starts come through JSON (the outbox, Temporal). All inputs are ids: no personal data is in a history. */
export interface WorkflowInputs {
  campaignExecution: ExecutionInput;
  campaignEnrolment: EnrolmentInput;
  /** `cause` tells one stop of a tenant from another. */
  campaignStop: { tenantId: string; campaignIds: number[]; cause: string };
  /** `version` is the campaign's: it differs from one resume to the next. */
  campaignResume: { tenantId: string; campaignId: number; version: number };
  contactImport: { tenantId: string; importId: number };
  importUndo: { tenantId: string; importId: number };
  contactErasure: { tenantId: string; erasureId: number };
  emailCampaign: { tenantId: string; campaignId: number };
  segmentBuild: { tenantId: string; segmentId: number; build: number };
}

export type WorkflowType = keyof WorkflowInputs;

/**
 * `once`: a workflow that runs or ran under the id is a success and is not started again. `again`: one that ran is started
 * anew. `wake`: one that runs gets the signal `wake`, any other is started anew.
 */
export type StartPolicy = 'once' | 'again' | 'wake';

interface Workflow<Input> {
  id: (input: Input) => string;
  queue: (typeof QUEUES)[keyof typeof QUEUES];
  policy: (input: Input) => StartPolicy;
  /** What Temporal's UI shows beside the workflow. */
  summary?: (input: Input) => string;
  /** The search attributes of a start, by their names in `search-attributes.ts`. */
  attributes?: (input: Input) => Partial<Record<SearchAttribute, string | number>>;
}

export type SearchAttribute = 'tenantId' | 'campaignId' | 'contactId' | 'campaignVersion' | 'stepId' | 'stepType';

type Registry = { [Type in WorkflowType]: Workflow<WorkflowInputs[Type]> };

const once = (): StartPolicy => 'once';

export const workflows = {
  campaignExecution: {
    id: ({
      tenantId,
      campaignId,
      contactId,
      entryNo,
    }: Pick<ExecutionInput, 'tenantId' | 'campaignId' | 'contactId' | 'entryNo'>) =>
      `campaign-execution/${tenantId}/${campaignId}/${contactId}/${entryNo}`,
    queue: QUEUES.journeys,
    policy: ({ runSeq }) => (runSeq > 1 ? 'again' : 'once'),
    summary: ({ campaignId, contactId, entryNo }) =>
      `campaign ${campaignId}, contact ${contactId}${entryNo > 1 ? `, entry ${entryNo}` : ''}`,
    attributes: ({ tenantId, campaignId, contactId, campaignVersion, ahead }) => ({
      tenantId,
      campaignId,
      contactId,
      campaignVersion,
      stepId: ahead.stepId,
      stepType: ahead.type,
    }),
  },
  campaignEnrolment: {
    id: ({ tenantId, enrolmentId }) => `campaign-enrolment/${tenantId}/${enrolmentId}`,
    queue: QUEUES.jobs,
    policy: once,
  },
  campaignStop: { id: ({ tenantId, cause }) => `campaign-stop/${tenantId}/${cause}`, queue: QUEUES.jobs, policy: once },
  campaignResume: {
    id: ({ tenantId, campaignId, version }) => `campaign-resume/${tenantId}/${campaignId}/${version}`,
    queue: QUEUES.jobs,
    policy: once,
  },
  contactImport: {
    id: ({ tenantId, importId }) => `contact-import/${tenantId}/${importId}`,
    queue: QUEUES.jobs,
    policy: once,
  },
  importUndo: {
    id: ({ tenantId, importId }) => `import-undo/${tenantId}/${importId}`,
    queue: QUEUES.jobs,
    policy: once,
  },
  contactErasure: {
    id: ({ tenantId, erasureId }) => `contact-erasure/${tenantId}/${erasureId}`,
    queue: QUEUES.jobs,
    policy: once,
  },
  emailCampaign: {
    id: ({ tenantId, campaignId }) => `email-campaign/${tenantId}/${campaignId}`,
    queue: QUEUES.mailings,
    policy: () => 'wake',
    summary: ({ campaignId }) => `email campaign ${campaignId}`,
    attributes: ({ tenantId, campaignId }) => ({ tenantId, campaignId }),
  },
  segmentBuild: {
    id: ({ tenantId, segmentId, build }) => `segment-build/${tenantId}/${segmentId}/${build}`,
    queue: QUEUES.jobs,
    policy: once,
  },
} satisfies Registry;

/** How a workflow of this type is started. */
export const workflowOf = <Type extends WorkflowType>(type: Type): Registry[Type] => (workflows as Registry)[type];

/** The id under which a workflow runs. */
export const workflowId = <Type extends WorkflowType>(type: Type, input: WorkflowInputs[Type]): string =>
  workflowOf(type).id(input);

/** A workflow to start. */
export type WorkflowStart = {
  [Type in WorkflowType]: { type: Type; id: string; input: WorkflowInputs[Type] };
}[WorkflowType];
