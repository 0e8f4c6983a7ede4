import { listFailures as listDrafts } from '../../operations/contributions/list-failures.ts';
import * as operations from '../../operations/contributions/record-failure.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { FAILURE_STATUSES } from '../../store/contributions/failure-draft.ts';
import type { Database } from '../../store/database.ts';
import { failureToWire } from '../../wire/failure-to-wire.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import {
  closed,
  integerText,
  nullableText,
  nullableTime,
  oneOf,
  partnerAnd,
  reason,
  shape,
  text,
  time,
} from '../schema-parts.ts';
import { sorting } from '../sorting.ts';

const Failure = shape('Failure', {
  partner_id: text('The id of the partner.'),
  failure_id: text('The id of the draft.'),
  partner_event_id: text('The event that was never stored.'),
  partner_order_ref: text("The partner's reference of the order."),
  points: integerText('The points that the partner took.'),
  reason: text('Why the event can never be confirmed.'),
  status: oneOf(FAILURE_STATUSES, 'How far it has come.'),
  drafted_by: text('Who drafted it.'),
  drafted_at: time('When it was drafted.'),
  decided_by: nullableText('Who approved or rejected it; `null` before.'),
  decided_at: nullableTime('When it was approved or rejected; `null` before.'),
  transaction_id: nullableText('The contribution that was recorded as failed; `null` unless it was approved.'),
});

const order = sorting(['drafted_at', 'points'], '-drafted_at');

export const listFailures = operatorRoute({
  operation: 'listFailures',
  method: 'GET',
  path: '/operator/v1/failures',
  tag: 'Failures',
  summary: 'List drafts of failures',
  description: LOOKS_AT,
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      partner_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this partner.' })),
      status: Type.Optional(oneOf(FAILURE_STATUSES, 'Only those that have come so far.')),
    },
    closed,
  ),
  answer: pageOf('FailurePage', 'failures', Failure, 'The drafts of the page.'),
  async handle({ tools: { database }, query }) {
    const { partner_id: partnerId, status } = query;
    const { page, end } = sortedPage('listFailures', order, query, [partnerId, status]);
    const found = await listDrafts(database.pool, { partnerId, status }, page);
    return { failures: found.page.map(failureToWire), ...end(found.last, found.hasMore) };
  },
});

export const draftFailure = operatorRoute({
  operation: 'draftFailure',
  method: 'POST',
  path: '/operator/v1/failures',
  tag: 'Failures',
  summary: 'Draft the failure of an event that was never stored',
  description: 'Another operator approves it. Then the event is recorded as failed, and the partner may restore the points.',
  leastRole: operations.draftFailure.leastRole,
  isFinal: true,
  body: Type.Object(
    {
      partner_id: Type.String({ minLength: 1, maxLength: 64, description: 'The partner.' }),
      partner_event_id: Type.String({ minLength: 1, maxLength: 128, description: 'The event that was never stored.' }),
      partner_order_ref: Type.String({ minLength: 1, maxLength: 128, description: "The partner's reference of the order." }),
      points: Type.String({ minLength: 1, maxLength: 19, description: 'The points that the partner took, in digits.' }),
      reason,
    },
    closed,
  ),
  answer: Failure,
  async handle({ tools, actor, work, body }) {
    const { partner_id: partnerId, partner_event_id: partnerEventId, partner_order_ref: partnerOrderRef } = body;
    const event = { partnerId, partnerEventId, partnerOrderRef, points: readPoints(body.points), reason: body.reason };
    return work.answer(tools.database, (database) => operations.draftFailure(database, actor, event), failureToWire);
  },
});

/** What is no number of points becomes 0, which is none either: the operation names it beside what else is wrong. */
function readPoints(digits: string): bigint {
  return /^[1-9]\d*$/.test(digits) ? BigInt(digits) : 0n;
}

const params = partnerAnd('failure_id', 'The id of the draft.');
const PATH = '/operator/v1/partners/:partner_id/failures/:failure_id';

export const approveFailure = operatorRoute({
  operation: 'approveFailure',
  method: 'POST',
  path: `${PATH}/approve`,
  tag: 'Failures',
  summary: 'Approve a failure that another operator drafted, permanently',
  description: 'Four eyes: whoever drafted it cannot approve it. The partner may then restore the points.',
  leastRole: operations.approveFailure.leastRole,
  needsRecentSignIn: true,
  isFinal: true,
  params,
  answer: Failure,
  handle: ({ tools, actor, work, params: { partner_id: partnerId, failure_id: failureId } }) => {
    const approved = (database: Database) => operations.approveFailure(database, actor, { partnerId, failureId });
    return work.answer(tools.database, approved, (done) => failureToWire(done.draft));
  },
});

export const rejectFailure = operatorRoute({
  operation: 'rejectFailure',
  method: 'POST',
  path: `${PATH}/reject`,
  tag: 'Failures',
  summary: 'Reject a draft of a failure, permanently',
  leastRole: operations.rejectFailure.leastRole,
  isFinal: true,
  params,
  answer: Failure,
  handle: ({ tools, actor, work, params: { partner_id: partnerId, failure_id: failureId } }) =>
    work.answer(tools.database, (database) => operations.rejectFailure(database, actor, { partnerId, failureId }), failureToWire),
});
