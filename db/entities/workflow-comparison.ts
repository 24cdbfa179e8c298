import { defineEntity, p } from '@mikro-orm/core';
import { engineTable, timestamp } from './base.ts';

/** The last comparison of what is open in Postgres with the open workflows: one row. */
const WorkflowComparisonSchema = defineEntity({
  name: 'WorkflowComparison',
  tableName: 'workflow_comparison',
  ...engineTable,
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    /** Rows without a workflow, whose workflow was started. */
    started: p.integer().default(0),
    /** Workflows without a row, which were ended. */
    ended: p.integer().default(0),
    /** Workflows that did not know what their row says, and were woken. */
    woken: p.integer().default(0),
    /** Rows and workflows that could not be made to agree. */
    failed: p.integer().default(0),
    finishedAt: timestamp().nullable(),
    /** The next one should have finished by then. */
    dueAt: timestamp(),
  },
});
export class WorkflowComparison extends WorkflowComparisonSchema.class {}
WorkflowComparisonSchema.setClass(WorkflowComparison);

export const workflowComparisonEntities = [WorkflowComparison];
