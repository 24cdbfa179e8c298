import { Type } from 'typebox';
import { SIMULATION_STATUSES } from '../../db/entities/campaigns.ts';
import { Id, nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';

const optional = Type.Optional;
const Count = Type.Integer({ minimum: 0 });
const Reasons = (description: string) => Type.Array(strict({ reason: Type.String(), count: Count }), { description });
const Rate = (description: string) => optional(Type.Number({ minimum: 0, maximum: 1, description }));

export const SimulationRequest = strict({
  contactIds: optional(
    Type.Array(Id, { maxItems: 10_000, description: 'For more contacts, use a list', examples: [[1, 2]] }),
  ),
  segmentId: optional(Id),
  listId: optional(Id),
  at: optional(
    Type.String({
      format: 'date-time',
      examples: ['2030-01-31T09:30:00.000Z'],
      description: 'When the contacts enter; default now. They are as they are now, whatever this time is',
    }),
  ),
  version: optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), Type.Literal('draft')], {
      description: 'A published version, or `draft` (default): the latest edit',
    }),
  ),
  assume: optional(
    strict(
      {
        openRate: Rate('The fraction of emails that are opened, at once; default 0'),
        clickRate: Rate('The fraction of emails that are clicked, at once; a click is an open too; default 0'),
        seed: optional(
          Type.Integer({
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'The same seed gives the same opens and clicks; default 1',
          }),
        ),
      },
      { description: 'Without it, no email is opened' },
    ),
  ),
  paths: optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'Of how many contacts, in the order of their ids, the steps are shown; default 100',
    }),
  ),
});

export const Simulation = strict(
  {
    contacts: Type.Integer({ minimum: 0, description: 'entered + refused' }),
    entered: Type.Integer({ minimum: 0, description: 'completed + stopped + running' }),
    refused: Reasons(
      'Why contacts would not enter: `contact_archived`, `contact_erased`, `contact_deleted`, `already_entered`, `still_running`, `min_interval`',
    ),
    ended: strict({
      completed: Count,
      stopped: Type.Integer({ minimum: 0, description: 'Stopped, or failed' }),
      running: Type.Integer({ minimum: 0, description: 'Not ended after 400 days or 1,000 steps' }),
    }),
    volumes: Type.Array(
      strict({
        date: Type.String({ format: 'date', examples: ['2030-01-31'] }),
        stepId: Type.String(),
        type: Type.String(),
        count: Count,
      }),
      { description: 'How often each step would be executed on a day (UTC)' },
    ),
    suppressed: Reasons('Emails that would be suppressed, by the gate, as in `GET /emails/{id}/explain`'),
    paths: Type.Array(
      strict({
        contactId: Id,
        steps: Type.Array(
          strict({
            stepId: Type.String(),
            type: Type.String(),
            at: Timestamp,
            result: Type.String({ description: 'As in `steps` of an execution' }),
            reason: nullable(Type.String()),
          }),
        ),
        end: strict({
          status: oneOf(['COMPLETED', 'STOPPED', 'FAILED', 'RUNNING']),
          reason: nullable(
            Type.String({ description: 'The exit reason; if RUNNING, at which step the simulation ended' }),
          ),
          at: nullable(Timestamp),
        }),
      }),
      { description: 'Fewer contacts than asked for if they have more than 20,000 steps together' },
    ),
  },
  { title: 'Simulation' },
);

export const SimulationJob = strict(
  {
    id: Id,
    campaignId: Id,
    status: oneOf(SIMULATION_STATUSES),
    contacts: Type.Integer({ minimum: 0, description: 'How many there were at the request' }),
    processed: Count,
    result: nullable(Simulation),
    error: nullable(Type.String()),
    workflowId: Type.String(),
    createdAt: Timestamp,
    startedAt: nullable(Timestamp),
    finishedAt: nullable(Timestamp),
  },
  { title: 'SimulationJob' },
);
