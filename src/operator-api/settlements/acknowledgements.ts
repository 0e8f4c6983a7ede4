import { getSettlement } from '../../operations/settlements/get-settlement.ts';
import {
  type DisputeReply,
  listDisputeReplies,
  REPLY_CHARACTERS_MAX,
  replyToDispute,
} from '../../operations/settlements/reply-to-dispute.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { Database } from '../../store/database.ts';
import { listAcknowledgements as listAnswers } from '../../store/settlements/settlement-acknowledgement.ts';
import { operatorRoute } from '../route.ts';
import { closed, line, listOf, oneOf, partnerAnd, shape, text, time } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import { AcknowledgementBody } from './settlement-schemas.ts';

const params = partnerAnd('settlement_id', 'The id of the settlement.');
const PATH = '/operator/v1/partners/:partner_id/settlements/:settlement_id';

const Reply = shape('DisputeReply', {
  replied_at: time('When it was recorded.'),
  operator_id: text('The operator who recorded it.'),
  text: text('What the partner was told.'),
});

const replyToWire = ({ repliedAt, operatorId, text }: DisputeReply) => ({
  replied_at: repliedAt,
  operator_id: operatorId,
  text,
});

const byTime = sorting(['acknowledged_at'], 'acknowledged_at');

export const listAcknowledgements = operatorRoute({
  operation: 'listAcknowledgements',
  method: 'GET',
  path: `${PATH}/acknowledgements`,
  tag: 'Settlements',
  summary: "List the partner's answers to a settlement",
  description: 'At most two: a dispute, and the acceptance that ended it. Neither opens the settlement again.',
  leastRole: 'viewer',
  params,
  query: Type.Object({ ...byTime.member, status: Type.Optional(oneOf(['accepted', 'disputed'], 'Only these answers.')) }, closed),
  answer: shape('Acknowledgements', {
    acknowledgements: listOf(AcknowledgementBody, 'The answers, the earliest first.'),
    replies: listOf(Reply, 'What operators recorded that the partner was told about its dispute, the earliest first.'),
  }),
  async handle({ tools: { database }, params: { partner_id: partnerId, settlement_id: settlementId }, query }) {
    await getSettlement(database.pool, partnerId, settlementId);
    const [found, replies] = await Promise.all([
      listAnswers(database.pool, { partnerId, settlementId }),
      listDisputeReplies(database.pool, { partnerId, settlementId }),
    ]);
    const sign = byTime.orderOf(query).isDescending ? -1 : 1;
    return {
      acknowledgements: found
        .filter(({ status }) => query.status === undefined || status === query.status)
        .toSorted((one, other) => sign * (one.acknowledgedAt.getTime() - other.acknowledgedAt.getTime()))
        .map(({ status, acknowledgedAt, reference, note }) => ({ status, acknowledged_at: acknowledgedAt, reference, note })),
      replies: replies.map(replyToWire),
    };
  },
});

export const recordDisputeReply = operatorRoute({
  operation: 'recordDisputeReply',
  method: 'POST',
  path: `${PATH}/replies`,
  tag: 'Settlements',
  summary: 'Record what the partner was told about its dispute',
  description: 'The service sends it to nobody. The dispute stays open until the partner accepts the settlement.',
  leastRole: replyToDispute.leastRole,
  isFinal: true,
  params,
  body: Type.Object(
    { text: line('The words, of 1 to 5,000 characters; lines may be broken. The audit keeps them.', REPLY_CHARACTERS_MAX) },
    closed,
  ),
  answer: Reply,
  async handle({ tools, actor, work, params: { partner_id: partnerId, settlement_id: settlementId }, body }) {
    const record = (database: Database) => replyToDispute(database, actor, { partnerId, settlementId, text: body.text });
    return work.answer(tools.database, record, replyToWire);
  },
});
