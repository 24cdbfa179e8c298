/**
 * All workflows: their input, id, queue, and what a start does if a workflow with that id is running or has run. Used
 * by commands, the relay, the starts and the tests. It imports nothing, so that everything can import it.
 */

/** The task queues. */
export const QUEUES = {
  /** Campaign executions and webhooks of thresholds, thousands at a time. */
  journeys: 'perennial',
  /**
   * Enrolments, schedules, stops, resumes, migrations and simulations of campaigns, imports, segment builds, replays of
   * scoring rules and webhooks, erasures, reports: they must not wait behind campaign executions.
   */
  jobs: 'perennial-jobs',
  /** Email campaigns: each has an activity running while it is sent, which mostly sleeps. */
  mailings: 'perennial-mailings',
  /** Files of reports: each takes a thread and much memory, so a process makes two at once. */
  reports: 'perennial-reports',
} as const;

/** The execution of one contact in one version of a campaign, at the step `ahead`. */
export interface ExecutionInput {
  tenantId: string;
  campaignId: number;
  campaignVersion: number;
  contactId: number;
  entryNo: number;
  executionId: number;
  /** 1, incremented with each retry of a failed execution. */
  runSeq: number;
  ahead: { stepId: string; type: string; rests?: { stepId: string; type: string } };
  /** Only to be shown; absent in starts of earlier releases. */
  campaignName?: string;
  /** That of its row, which stays when a merge moves the row to another contact; absent in starts of earlier releases. */
  workflowId?: string;
}

export interface EnrolmentInput {
  tenantId: string;
  enrolmentId: number;
  /** What it enters contacts into, only to be shown; absent in starts of earlier releases. */
  campaignId?: number;
  campaignName?: string;
  campaignVersion?: number;
  /** The contact id to continue after. */
  after?: number;
}

export interface MigrationJob {
  tenantId: string;
  migrationId: number;
  campaignId?: number;
  /** The execution id to continue after. */
  after?: number;
}

export interface ReplayJob {
  tenantId: string;
  replayId: number;
  /** The contact or company id to continue after. */
  after?: number;
}

/**
 * Inputs pass through JSON (the outbox, Temporal). They contain only ids, so that there is no personal data in
 * histories.
 */
export interface WorkflowInputs {
  campaignExecution: ExecutionInput;
  campaignEnrolment: EnrolmentInput;
  /** One firing of a campaign's Temporal Schedule, whose nominal time Temporal appends to the workflow's id. */
  campaignOccurrence: { tenantId: string; campaignId: number; campaignName: string; campaignVersion: number };
  campaignSchedule: { tenantId: string; campaignId: number };
  /** `cause` distinguishes the stops of a tenant. */
  campaignStop: { tenantId: string; campaignIds: number[]; cause: string };
  /** `version` is the campaign's; it is different for each resume. */
  campaignResume: { tenantId: string; campaignId: number; version: number };
  campaignMigration: MigrationJob;
  campaignSimulation: { tenantId: string; simulationId: number };
  contactImport: { tenantId: string; importId: number };
  importUndo: { tenantId: string; importId: number };
  contactErasure: { tenantId: string; erasureId: number };
  emailCampaign: { tenantId: string; campaignId: number };
  report: { tenantId: string; reportId: number; runId: number };
  /** One firing of a report's Temporal Schedule, whose nominal time Temporal appends to the workflow's id. */
  reportOccurrence: { tenantId: string; reportId: number };
  reportSchedule: { tenantId: string; reportId: number };
  segmentBuild: { tenantId: string; segmentId: number; build: number };
  scoringReplay: ReplayJob;
  thresholdCall: { tenantId: string; thresholdId: number; contactId: number };
  webhookReplay: { tenantId: string; replayId: number };
}

export type WorkflowType = keyof WorkflowInputs;

/**
 * `once`: if a workflow with the id is running or has run, the start succeeds without doing anything. `again`: a
 * workflow that has run is started again. `wake`: a running workflow gets the signal `wake`, any other is started
 * again.
 */
type StartPolicy = 'once' | 'again' | 'wake';

/**
 * How many jobs of one kind a tenant may have. Those of all kinds that may be at work are fewer than a worker has places
 * for, so that one tenant can not fill them.
 */
export interface Turns {
  /** At work at once; the others wait, in their order. */
  running: number;
  /** Waiting, before a request for another one is refused; without it, none is refused. */
  waiting?: number;
  /** What they are called, in the plural. */
  called: string;
}

interface Workflow<Input> {
  id: (input: Input) => string;
  queue: (typeof QUEUES)[keyof typeof QUEUES];
  policy: (input: Input) => StartPolicy;
  /** Makes it a job: the jobs of a tenant take turns, so that they do not hold up those of others. */
  turns?: Turns;
  /** Shown next to the workflow in the Temporal UI. */
  summary?: (input: Input) => string;
  /** The search attributes of a start, by their names in `search-attributes.ts`. */
  attributes?: (input: Input) => Partial<Record<SearchAttribute, string | number>>;
  /** Further information shown with the workflow, by name. No personal data; undefined values are left out. */
  memo?: (input: Input) => Record<string, string | number | undefined>;
}

export type SearchAttribute = 'tenantId' | 'campaignId' | 'contactId' | 'campaignVersion' | 'stepId' | 'stepType';

type Registry = { [Type in WorkflowType]: Workflow<WorkflowInputs[Type]> };

const once = (): StartPolicy => 'once';

/**
 * Summaries are limited to 400 bytes; a name of 60 characters has at most 240. What is escaped for Markdown has one byte,
 * and then two.
 */
const SHOWN_NAME = 60;

/** `Welcome series v3`, or `campaign 5` without a name. */
function calledCampaign(input: { campaignId?: number; campaignName?: string; campaignVersion?: number }): string {
  const { campaignId, campaignName, campaignVersion } = input;
  if (campaignName === undefined) return `campaign ${campaignId}`;
  const characters = [...campaignName];
  const shown = characters.length > SHOWN_NAME ? `${characters.slice(0, SHOWN_NAME - 1).join('')}…` : campaignName;
  return `${shown} v${campaignVersion}`;
}

const campaignMemo = (input: { campaignName?: string; campaignVersion?: number }) => ({
  campaign: input.campaignName,
  version: input.campaignVersion,
});

const ofTenant = ({ tenantId }: { tenantId: string }) => ({ tenantId });

const ofCampaign = ({ tenantId, campaignId }: { tenantId: string; campaignId?: number }) => ({
  tenantId,
  ...(campaignId === undefined ? {} : { campaignId }),
});

export const workflows = {
  campaignExecution: {
    id: ({
      tenantId,
      campaignId,
      contactId,
      entryNo,
      workflowId: known,
    }: Pick<ExecutionInput, 'tenantId' | 'campaignId' | 'contactId' | 'entryNo' | 'workflowId'>) =>
      known ?? `campaign-execution/${tenantId}/${campaignId}/${contactId}/${entryNo}`,
    queue: QUEUES.journeys,
    policy: ({ runSeq }) => (runSeq > 1 ? 'again' : 'once'),
    summary: (input) =>
      `${calledCampaign(input)}, contact ${input.contactId}${input.entryNo > 1 ? `, entry ${input.entryNo}` : ''}`,
    attributes: ({ tenantId, campaignId, contactId, campaignVersion, ahead }) => ({
      tenantId,
      campaignId,
      contactId,
      campaignVersion,
      stepId: (ahead.rests ?? ahead).stepId,
      stepType: (ahead.rests ?? ahead).type,
    }),
    memo: campaignMemo,
  },
  campaignEnrolment: {
    id: ({ tenantId, enrolmentId }) => `campaign-enrolment/${tenantId}/${enrolmentId}`,
    queue: QUEUES.jobs,
    policy: once,
    turns: { running: 5, waiting: 1000, called: 'enrolments' },
    summary: (input) =>
      input.campaignId === undefined
        ? `enrolment ${input.enrolmentId}`
        : `${calledCampaign(input)}, enrolment ${input.enrolmentId}`,
    attributes: ofCampaign,
    memo: campaignMemo,
  },
  campaignOccurrence: {
    id: ({ tenantId, campaignId }) => `campaign-occurrence/${tenantId}/${campaignId}`,
    queue: QUEUES.jobs,
    policy: once,
    summary: calledCampaign,
    attributes: ofCampaign,
    memo: campaignMemo,
  },
  campaignSchedule: {
    id: ({ tenantId, campaignId }) => `campaign-schedule/${tenantId}/${campaignId}`,
    queue: QUEUES.jobs,
    policy: () => 'wake',
    attributes: ofCampaign,
  },
  campaignStop: {
    id: ({ tenantId, cause }) => `campaign-stop/${tenantId}/${cause}`,
    queue: QUEUES.jobs,
    policy: once,
    // The stop of a contact's executions can be in several campaigns; the attribute holds one id.
    attributes: ({ tenantId, campaignIds: [campaignId, ...others] }) =>
      ofCampaign({ tenantId, ...(campaignId === undefined || others.length > 0 ? {} : { campaignId }) }),
  },
  campaignResume: {
    id: ({ tenantId, campaignId, version }) => `campaign-resume/${tenantId}/${campaignId}/${version}`,
    queue: QUEUES.jobs,
    policy: once,
    attributes: ofCampaign,
  },
  campaignMigration: {
    id: ({ tenantId, migrationId }) => `campaign-migration/${tenantId}/${migrationId}`,
    queue: QUEUES.jobs,
    policy: once,
    turns: { running: 1, waiting: 100, called: 'migrations' },
    attributes: ofCampaign,
  },
  campaignSimulation: {
    id: ({ tenantId, simulationId }) => `campaign-simulation/${tenantId}/${simulationId}`,
    queue: QUEUES.jobs,
    policy: once,
    turns: { running: 1, waiting: 100, called: 'simulations' },
  },
  contactImport: {
    id: ({ tenantId, importId }) => `contact-import/${tenantId}/${importId}`,
    queue: QUEUES.jobs,
    policy: once,
    turns: { running: 2, waiting: 100, called: 'imports' },
  },
  importUndo: {
    id: ({ tenantId, importId }) => `import-undo/${tenantId}/${importId}`,
    queue: QUEUES.jobs,
    policy: once,
    turns: { running: 1, waiting: 100, called: 'undos of imports' },
  },
  scoringReplay: {
    id: ({ tenantId, replayId }) => `scoring-replay/${tenantId}/${replayId}`,
    queue: QUEUES.jobs,
    policy: once,
    turns: { running: 1, waiting: 100, called: 'replays of scoring rules' },
  },
  thresholdCall: {
    id: ({ tenantId, thresholdId, contactId }) => `threshold-call/${tenantId}/${thresholdId}/${contactId}`,
    queue: QUEUES.journeys,
    policy: once,
    summary: ({ thresholdId, contactId }) => `webhook of threshold ${thresholdId}, contact ${contactId}`,
    attributes: ({ tenantId, contactId }) => ({ tenantId, contactId }),
  },
  webhookReplay: {
    id: ({ tenantId, replayId }) => `webhook-replay/${tenantId}/${replayId}`,
    queue: QUEUES.jobs,
    policy: once,
    turns: { running: 1, waiting: 100, called: 'replays of webhooks' },
    summary: ({ replayId }) => `replay ${replayId} of a webhook`,
    attributes: ofTenant,
  },
  contactErasure: {
    id: ({ tenantId, erasureId }) => `contact-erasure/${tenantId}/${erasureId}`,
    queue: QUEUES.jobs,
    policy: once,
    // Whoever asks to be erased is never refused: an erasure waits its turn.
    turns: { running: 2, called: 'erasures' },
  },
  emailCampaign: {
    id: ({ tenantId, campaignId }) => `email-campaign/${tenantId}/${campaignId}`,
    queue: QUEUES.mailings,
    policy: () => 'wake',
    summary: ({ campaignId }) => `email campaign ${campaignId}`,
    attributes: ofCampaign,
  },
  report: {
    id: ({ tenantId, reportId, runId }) => `report/${tenantId}/${reportId}/${runId}`,
    queue: QUEUES.jobs,
    policy: once,
    turns: { running: 1, waiting: 100, called: 'reports' },
    summary: ({ reportId, runId }) => `report ${reportId}, run ${runId}`,
    attributes: ofTenant,
  },
  reportOccurrence: {
    id: ({ tenantId, reportId }) => `report-occurrence/${tenantId}/${reportId}`,
    queue: QUEUES.jobs,
    policy: once,
    summary: ({ reportId }) => `report ${reportId}`,
    attributes: ofTenant,
  },
  reportSchedule: {
    id: ({ tenantId, reportId }) => `report-schedule/${tenantId}/${reportId}`,
    queue: QUEUES.jobs,
    policy: () => 'wake',
    attributes: ofTenant,
  },
  segmentBuild: {
    id: ({ tenantId, segmentId, build }) => `segment-build/${tenantId}/${segmentId}/${build}`,
    queue: QUEUES.jobs,
    policy: once,
    turns: { running: 3, waiting: 1000, called: 'builds of segments' },
  },
} satisfies Registry;

/** The definition of a workflow type. */
export const workflowOf = <Type extends WorkflowType>(type: Type): Registry[Type] => (workflows as Registry)[type];

/** The id of a workflow. */
export const workflowId = <Type extends WorkflowType>(type: Type, input: WorkflowInputs[Type]): string =>
  workflowOf(type).id(input);

/** The kinds of jobs, with how many of them a tenant may have. */
export const JOBS: readonly { type: WorkflowType; turns: Turns }[] = (
  Object.entries(workflows as Registry) as [WorkflowType, { turns?: Turns }][]
).flatMap(([type, { turns }]) => (turns ? [{ type, turns }] : []));

/** The turns of a kind of job; undefined for other workflows. */
export const turnsOf = (type: WorkflowType): Turns | undefined => JOBS.find((job) => job.type === type)?.turns;

/** Wakes a running workflow by the signal `wake`; does nothing if there is none with this id. */
export interface WorkflowWake {
  type: 'wake';
  id: string;
  input: { tenantId: string };
}

/** A workflow to start. */
export type WorkflowStart = {
  [Type in WorkflowType]: { type: Type; id: string; input: WorkflowInputs[Type] };
}[WorkflowType];
