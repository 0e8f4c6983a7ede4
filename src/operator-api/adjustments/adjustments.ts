import type { Actor } from '../../domain/access/role.ts';
import { ADJUSTMENT_REASONS, ADJUSTMENT_STATUSES } from '../../domain/adjustments/adjustment.ts';
import { idOfWork } from '../../domain/identifiers.ts';
import { listAdjustmentsOf } from '../../operations/adjustments/list-adjustments.ts';
import * as operations from '../../operations/adjustments/manage-adjustment.ts';
import * as previews from '../../operations/adjustments/preview-adjustment.ts';
import type { Work } from '../../operations/answer-once.ts';
import { UnverifiedRecordError } from '../../operations/audit/unverified-record.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { type Adjustment, findAdjustment, findReversal } from '../../store/adjustments/adjustment.ts';
import type { OperatorApiTools } from '../app.ts';
import { pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, oneOf, partnerAnd, reason } from '../schema-parts.ts';
import { readSettlementFilter, settlementFilter } from '../settlements/settlement-filter.ts';
import { sorting } from '../sorting.ts';
import {
  AdjustmentDetail,
  AdjustmentPreviewBody,
  adjustmentToWire,
  DraftBody,
  ListedAdjustmentBody,
  listedAdjustmentToWire,
  previewToWire,
} from './adjustment-schemas.ts';
import { readStated } from './stated-change.ts';

const PATH = '/operator/v1/partners/:partner_id/adjustments/:adjustment_id';
const params = partnerAnd('adjustment_id', 'The id of the adjustment.');
const DEADLINE_MS = 20_000;

/** The totals of the open settlement are added up once for all who look. */
function previewTools(tools: OperatorApiTools): previews.PreviewTools {
  return { pricesOf: tools.settlementTools.pricesOf, openTotals: tools.shared.settlements.openTotals };
}

/**
 * What a decision is about, and a step that is committed, is shown although a rule differs from the audit: without an effect, and with the
 * difference as the problem.
 */
async function previewReadable(
  tools: OperatorApiTools,
  adjustment: Adjustment,
  isDone: boolean,
): Promise<previews.AdjustmentPreview> {
  try {
    return await previews.previewAdjustment(tools.database, adjustment, { ...previewTools(tools), isDone });
  } catch (error) {
    if (!(error instanceof UnverifiedRecordError)) throw error;
    const { message } = error;
    const problems = [{ field: 'rule_version', code: 'record_modified', message } as const];
    return { effect: null, currency: null, problems, needsBeyondWorthReason: false, settlement: null };
  }
}

/** @param isDone A step is committed: its answer says so, whatever is still being added up. */
async function describe(tools: OperatorApiTools, adjustment: Adjustment, isDone = true) {
  const { partnerId, adjustmentId } = adjustment;
  const preview = await previewReadable(tools, adjustment, isDone);
  const reversal = await findReversal(tools.database.pool, partnerId, adjustmentId);
  return {
    adjustment: adjustmentToWire(adjustment),
    reversal: reversal ? { adjustment_id: reversal.adjustmentId, status: reversal.status } : null,
    ...previewToWire(preview),
  };
}

const order = sorting(['drafted_at', 'points_delta'], '-drafted_at');

export const listAdjustments = operatorRoute({
  operation: 'listAdjustments',
  method: 'GET',
  path: '/operator/v1/adjustments',
  tag: 'Adjustments',
  summary: 'List adjustments',
  description:
    'With `settlement_id` the list has the adjustments of contributions whose line is on the settlement, whichever settlement has the line of the adjustment. With a filter a page looks at 2,000 adjustments at most: it may be short, or empty, while `has_more` says that the list goes on.',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      ...settlementFilter,
      status: Type.Optional(oneOf(ADJUSTMENT_STATUSES, 'Only those that have come so far.')),
      reason_code: Type.Optional(oneOf(ADJUSTMENT_REASONS, 'Only those with this reason.')),
    },
    closed,
  ),
  answer: pageOf('AdjustmentPage', 'adjustments', ListedAdjustmentBody, 'The adjustments of the page.'),
  async handle({ tools: { database }, query }) {
    const { status, reason_code: reasonCode } = query;
    const { partnerId, settlementId } = readSettlementFilter(query);
    const { page, end } = sortedPage('listAdjustments', order, query, [partnerId, status, settlementId, reasonCode]);
    const found = await listAdjustmentsOf(database, { partnerId, settlementId, status, reasonCode }, page);
    return { adjustments: found.page.map(listedAdjustmentToWire), ...end(found.last, found.hasMore) };
  },
});

export const getAdjustment = operatorRoute({
  operation: 'getAdjustment',
  method: 'GET',
  path: PATH,
  tag: 'Adjustments',
  summary: 'Show an adjustment, with points and money before and after it',
  leastRole: 'viewer',
  deadlineMs: DEADLINE_MS,
  params,
  answer: AdjustmentDetail,
  async handle({ tools, params: { partner_id: partnerId, adjustment_id: adjustmentId } }) {
    return describe(tools, await operations.getAdjustment(tools.database.pool, { partnerId, adjustmentId }), false);
  },
});

const { points_delta, amount_delta, reversal_of } = DraftBody.properties;

export const previewAdjustment = operatorRoute({
  operation: 'previewAdjustment',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/contributions/:transaction_id/adjustment-preview',
  tag: 'Adjustments',
  summary: 'Show what an adjustment of a contribution would change, before it is drafted',
  description: 'Nothing is stored. Adjustments that are posted meanwhile may change it.',
  leastRole: 'viewer',
  deadlineMs: DEADLINE_MS,
  params: partnerAnd('transaction_id', 'The id of the contribution.'),
  query: Type.Object(
    {
      reason_code: oneOf(ADJUSTMENT_REASONS, 'The reason of the adjustment, by its code.'),
      points_delta,
      amount_delta,
      reversal_of,
    },
    closed,
  ),
  answer: AdjustmentPreviewBody,
  async handle({ tools, params: { partner_id: partnerId, transaction_id: transactionId }, query }) {
    const stated = await readStated(tools.database.pool, { ...query, partner_id: partnerId, transaction_id: transactionId });
    const change = { ...stated, partnerId, reasonCode: query.reason_code };
    return previewToWire(await previews.previewDraft(tools.database, change, previewTools(tools)));
  },
});

export const draftAdjustment = operatorRoute({
  operation: 'draftAdjustment',
  method: 'POST',
  path: '/operator/v1/adjustments',
  tag: 'Adjustments',
  summary: 'Draft an adjustment',
  description: 'Nothing changes for the partner until another operator approves it and it is posted.',
  leastRole: operations.draftAdjustment.leastRole,
  isFinal: true,
  deadlineMs: DEADLINE_MS,
  body: DraftBody,
  answer: AdjustmentDetail,
  async handle({ tools, actor, body, work }) {
    const { database, settlementTools } = tools;
    const adjustmentId = idOfWork('adj', work.workId);
    const left = work.isTakenOver ? await findAdjustment(database.pool, body.partner_id, adjustmentId) : undefined;
    if (left) return describe(tools, left);
    const stated = await readStated(database.pool, body);
    const { partner_id: partnerId } = body;
    const { reason_code: reasonCode, reason_en: reasonEn, reason_ar: reasonAr, beyond_worth_reason: beyondWorthReason } = body;
    const wanted = {
      ...stated,
      partnerId,
      adjustmentId,
      reasonCode,
      reasonEn,
      reasonAr,
      ...(beyondWorthReason && { beyondWorthReason }),
    };
    return describe(tools, await operations.draftAdjustment(database, actor, wanted, settlementTools));
  },
});

/** What this work had done of an adjustment when its process died. */
async function leftBy(
  { database }: OperatorApiTools,
  { work, actor }: { readonly work: Work; readonly actor: Actor },
  id: operations.AdjustmentId,
  by: 'approvedBy' | 'postedBy' | 'rejectedBy',
): Promise<Adjustment | undefined> {
  const left = work.isTakenOver ? await operations.getAdjustment(database.pool, id) : undefined;
  return left?.[by] === actor.operatorId ? left : undefined;
}

/** A step of an adjustment, with what it is from then on. */
function stepRoute(
  step: 'approve' | 'post',
  { summary, description }: { readonly summary: string; readonly description: string },
  operation: typeof operations.approveAdjustment,
) {
  return operatorRoute({
    operation: `${step}Adjustment`,
    method: 'POST',
    path: `${PATH}/${step}`,
    tag: 'Adjustments',
    summary,
    description,
    leastRole: operation.leastRole,
    needsRecentSignIn: true,
    isFinal: true,
    deadlineMs: DEADLINE_MS,
    params,
    answer: AdjustmentDetail,
    async handle({ tools, actor, work, params: { partner_id: partnerId, adjustment_id: adjustmentId } }) {
      const id = { partnerId, adjustmentId };
      const left = await leftBy(tools, { work, actor }, id, step === 'approve' ? 'approvedBy' : 'postedBy');
      return describe(tools, left ?? (await operation(tools.database, actor, id, tools.settlementTools)));
    },
  });
}

export const approveAdjustment = stepRoute(
  'approve',
  {
    summary: 'Approve an adjustment that another operator drafted',
    description: 'Four eyes: whoever drafted it cannot approve it.',
  },
  operations.approveAdjustment,
);

export const postAdjustment = stepRoute(
  'post',
  {
    summary: 'Post an approved adjustment, permanently',
    description: 'The partner gets an event, and the settlement of the current period gets its line.',
  },
  operations.postAdjustment,
);

export const rejectAdjustment = operatorRoute({
  operation: 'rejectAdjustment',
  method: 'POST',
  path: `${PATH}/reject`,
  tag: 'Adjustments',
  summary: 'Reject an adjustment that is not posted, permanently',
  leastRole: operations.rejectAdjustment.leastRole,
  isFinal: true,
  deadlineMs: DEADLINE_MS,
  params,
  body: Type.Object({ reason }, closed),
  answer: AdjustmentDetail,
  async handle({ tools, actor, work, params: { partner_id: partnerId, adjustment_id: adjustmentId }, body }) {
    const id = { partnerId, adjustmentId };
    const left = await leftBy(tools, { work, actor }, id, 'rejectedBy');
    return describe(tools, left ?? (await operations.rejectAdjustment(tools.database, actor, id, body.reason)));
  },
});
