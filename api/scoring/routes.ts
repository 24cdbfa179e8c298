import { ScoreThreshold, ScoringRule } from '../../db/entities/scoring.ts';
import { listRules, listThresholds } from '../../domain/scoring/rules/list-scoring.ts';
import { readCompanyScore, readContactScore, readLeaderboard } from '../../domain/scoring/scores/read-scores.ts';
import {
  checkedParts,
  createRule,
  deleteRule,
  findRule,
  ruleViolations,
  updateRule,
} from '../../domain/scoring/rules/rules.ts';
import { levelViolations, readSettings, updateSettings } from '../../domain/scoring/rules/settings.ts';
import {
  createThreshold,
  deleteThreshold,
  readThreshold,
  triggeredCounts,
  updateThreshold,
} from '../../domain/scoring/thresholds/thresholds.ts';
import { actionViolations } from '../../domain/scoring/thresholds/threshold-action.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { presentContactScore, presentRule, presentSettings, presentThreshold } from './presenter.ts';
import { replayRoutes } from './replay-routes.ts';
import * as schema from './schema.ts';
import { visitRoutes } from './visit-routes.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';

/** Counters move by themselves, so what was read can be put back although they have moved. */
const withoutCounters = ({ triggered: _triggered, triggeredCount: _count, ...fixed }: Record<string, unknown>) => fixed;

const contactScore = (path: `/${string}`, operationId: string) =>
  route({
    method: 'GET',
    path,
    operationId,
    summary: 'Get the score of a contact',
    description:
      'Everything is as of now: points of rules with `decay` have lost worth since they were awarded. `totalScore` is the sum of the `score` of all `rules`, each rounded. `history` lists the changes by awards, the latest first; what has lost worth since is no change in it, so its `total`, the total right after the change, may be more than `totalScore`. A contact that was never scored has 0 and is cold.',
    access: 'scoring:read',
    params: IdParams,
    query: schema.ScoreQuery,
    responses: { 200: { schema: schema.ContactScore } },
    handler: async ({ em, params, query }) => ({
      body: presentContactScore(await readContactScore(em, params.id, query)),
    }),
  });

export const scoringRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/scoring/rules',
    operationId: 'listScoringRules',
    summary: 'List scoring rules',
    description:
      'Every account begins with rules for opens, clicks, form submissions and website visits. Deleted rules are left out.',
    access: 'scoring:read',
    query: schema.RuleQuery,
    responses: { 200: { schema: listOf(schema.Rule) } },
    handler: async ({ em, query }) => ({ body: await listRules(em, query, (found) => found.map(presentRule)) }),
  }),
  route({
    method: 'POST',
    path: '/scoring/rules',
    operationId: 'createScoringRule',
    summary: 'Create a scoring rule',
    description:
      'The rule awards `points` × `weight`, rounded, for each event of its type that meets all `conditions`, from now on: once per event, however often that is delivered. Automated opens and clicks do not count. A replay applies it to earlier events.',
    access: 'scoring:write',
    body: schema.RuleCreate,
    responses: { 201: { schema: schema.Rule } },
    check: ({ body, given }) => ruleViolations({ ...body, conditions: given.conditions }),
    handler: async ({ em, caller, body }) => {
      const rule = await createRule(em, caller, body);
      return created(`/scoring/rules/${rule.id}`, presentRule(rule));
    },
  }),
  route({
    method: 'GET',
    path: '/scoring/rules/{id}',
    operationId: 'getScoringRule',
    summary: 'Get a scoring rule',
    description: 'Deleted rules are not found; scores still name them.',
    access: 'scoring:read',
    params: IdParams,
    responses: { 200: { schema: schema.Rule } },
    handler: async ({ em, params }) => ({ body: presentRule(await findRule(em, params.id)) }),
  }),
  route({
    method: 'PUT',
    path: '/scoring/rules/{id}',
    operationId: 'updateScoringRule',
    summary: 'Change a scoring rule',
    description:
      'Applies to events from now on. Points that the rule has awarded stay, and lose worth as the rule said when they were awarded; a replay gives earlier events what the rule gives now. An inactive rule awards nothing, and its points stay.',
    access: 'scoring:write',
    params: IdParams,
    body: schema.RuleUpdate,
    responses: { 200: { schema: schema.Rule } },
    check: async ({ tx, params, body, given, readOnly }) => {
      const current = await tx.findOne(ScoringRule, { id: params.id ?? 0, deletedAt: null });
      if (!current) return [];
      return [
        ...changedReadOnly(readOnly, presentRule(current)),
        ...ruleViolations({
          ...checkedParts(current),
          ...body,
          ...(body.conditions ? { conditions: given.conditions } : {}),
        }),
      ];
    },
    handler: async ({ em, caller, params, body, readOnly, ifMatch }) => ({
      body: presentRule(
        await updateRule(em, caller, params.id, body, (current) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, presentRule(current));
        }),
      ),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/scoring/rules/{id}',
    operationId: 'deleteScoringRule',
    summary: 'Delete a scoring rule',
    description:
      'Points that the rule has awarded stay in scores and in their history, and lose worth as before. To take them away, change the rule to 0 points and replay it before.',
    access: 'scoring:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteRule(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  ...replayRoutes,
  contactScore('/scoring/contacts/{id}', 'getContactScore'),
  contactScore('/scoring/contacts/{id}/score', 'getContactScoreAlias'),
  route({
    method: 'GET',
    path: '/scoring/companies/{id}',
    operationId: 'getCompanyScore',
    summary: 'Get the score of a company',
    description:
      '`totalScore` is the own score of the company, from rules with the target `company`; `contactsTotal` is the sum of the scores of the contacts that belong to it now. Both are as of now; a `total` in `history` is as of its change, as for contacts.',
    access: 'scoring:read',
    params: IdParams,
    query: schema.ScoreQuery,
    responses: { 200: { schema: schema.CompanyScore } },
    handler: async ({ em, params, query }) => ({ body: await readCompanyScore(em, params.id, query) }),
  }),
  route({
    method: 'GET',
    path: '/scoring/leaderboard',
    operationId: 'getLeaderboard',
    summary: 'List the highest scores',
    description:
      'By the totals of now, the highest first; those who have the same total share a rank. Companies are ranked by their own score, from rules with the target `company`.',
    access: 'scoring:read',
    query: schema.LeaderboardQuery,
    responses: { 200: { schema: schema.Leaderboard } },
    handler: async ({ em, query }) => {
      const companies = query.type === 'companies';
      const found = await readLeaderboard(em, companies ? 'company' : 'contact', query.limit!);
      return {
        body: {
          data: found.map(({ id, ...row }) => ({ ...row, ...(companies ? { companyId: id } : { contactId: id }) })),
        },
      };
    },
  }),
  ...visitRoutes,
  route({
    method: 'GET',
    path: '/scoring/thresholds',
    operationId: 'listScoreThresholds',
    summary: 'List score thresholds',
    description: 'All thresholds of the account, with the number of contacts for whom each has fired.',
    access: 'scoring:read',
    query: schema.ThresholdQuery,
    responses: { 200: { schema: listOf(schema.Threshold) } },
    handler: async ({ em, query }) => ({
      body: await listThresholds(em, query, async (found, tx) => {
        const counts = await triggeredCounts(
          tx,
          found.map((threshold) => threshold.id),
        );
        return found.map((threshold) => presentThreshold({ threshold, triggeredCount: counts.get(threshold.id) ?? 0 }));
      }),
    }),
  }),
  route({
    method: 'POST',
    path: '/scoring/thresholds',
    operationId: 'createScoreThreshold',
    summary: 'Create a score threshold',
    description:
      'A threshold fires for a contact when an event leaves its total at `score` or above, and then never again for this contact, also when the total falls below and rises again. It is judged once per event, on the total after all rules of the event; points in between do not count. Totals that are there already do not fire it: it fires when the score of a contact changes next and is still enough. A threshold whose action starts a campaign waits while that is not active, and fires at the next change of the score after it is. Points from campaigns, replays and merges, and negative points that lose worth, can make it fire too.',
    access: 'scoring:write',
    body: schema.ThresholdCreate,
    responses: { 201: { schema: schema.Threshold } },
    check: ({ deps, tx, caller, body }) => actionViolations(tx, caller.tenantId, body.action, deps.outbound.checkUrl),
    handler: async ({ deps, em, caller, body }) => {
      const { action = { type: 'NONE' } } = body;
      const threshold = await createThreshold(em, caller, { ...body, action }, deps.outbound.checkUrl);
      return created(`/scoring/thresholds/${threshold.id}`, presentThreshold({ threshold, triggeredCount: 0 }));
    },
  }),
  route({
    method: 'GET',
    path: '/scoring/thresholds/{id}',
    operationId: 'getScoreThreshold',
    summary: 'Get a score threshold',
    description:
      '`triggered` and `triggeredCount` tell for how many contacts it has fired, also those who were deleted since, but not those who were erased.',
    access: 'scoring:read',
    params: IdParams,
    responses: { 200: { schema: schema.Threshold } },
    handler: async ({ em, params }) => ({
      body: presentThreshold(await readThreshold(em, params.id)),
      derived: true,
    }),
  }),
  route({
    method: 'PUT',
    path: '/scoring/thresholds/{id}',
    operationId: 'updateScoreThreshold',
    summary: 'Change a score threshold',
    description:
      'For contacts for whom it has fired it does not fire again, whatever is changed. A lower `score` fires when the score of a contact changes next and is still enough. `triggered` and `triggeredCount` are accepted with any value, and ignored, because they change by themselves.',
    access: 'scoring:write',
    params: IdParams,
    body: schema.ThresholdUpdate,
    responses: { 200: { schema: schema.Threshold } },
    check: async ({ deps, tx, caller, params, body, readOnly }) => {
      const current = await tx.findOne(ScoreThreshold, { id: params.id ?? 0 });
      if (!current) return [];
      return [
        ...changedReadOnly(withoutCounters(readOnly), current),
        ...(await actionViolations(tx, caller.tenantId, body.action, deps.outbound.checkUrl)),
      ];
    },
    handler: async ({ deps, em, caller, params, body, readOnly, ifMatch }) => {
      const check = (current: ScoreThreshold): void => {
        assertIfMatch(ifMatch, current.version);
        assertUnchanged(withoutCounters(readOnly), current);
      };
      const changed = await updateThreshold(em, caller, params.id, body, check, deps.outbound.checkUrl);
      return { body: presentThreshold(changed) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/scoring/thresholds/{id}',
    operationId: 'deleteScoreThreshold',
    summary: 'Delete a score threshold',
    description: 'What it has caused stays. A call of its webhook that has not ended is given up.',
    access: 'scoring:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteThreshold(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/scoring/settings',
    operationId: 'getScoringSettings',
    summary: 'Get the scores at which warm and hot begin',
    description: 'A total below `warm` is cold, one from `hot` on is hot. New accounts have 30 and 70.',
    access: 'settings:read',
    responses: { 200: { schema: schema.Settings } },
    handler: async ({ em }) => ({ body: presentSettings(await readSettings(em)) }),
  }),
  route({
    method: 'PUT',
    path: '/scoring/settings',
    operationId: 'updateScoringSettings',
    summary: 'Change the scores at which warm and hot begin',
    description:
      '`warm` must be below `hot`. The qualification of all contacts and companies follows at once, without events; segments that depend on it are built again.',
    access: 'settings:write',
    body: schema.SettingsUpdate,
    responses: { 200: { schema: schema.Settings } },
    errors: ['limit_reached'],
    check: async ({ tx, body, readOnly }) => {
      const current = await readSettings(tx);
      return [
        ...changedReadOnly(readOnly, presentSettings(current)),
        ...levelViolations({ warm: current.warm, hot: current.hot, ...body }),
      ];
    },
    handler: async ({ em, caller, body, readOnly, ifMatch }) => ({
      body: presentSettings(
        await updateSettings(em, caller, body, (current) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, presentSettings(current));
        }),
      ),
    }),
  }),
];
