import { ENVIRONMENTAL_STATUSES } from '../../domain/impact/environmental-status.ts';
import { readNamesOfPartners } from '../../operations/access/read-names-of-partners.ts';
import { readFilteredPage, wantedBy } from '../../operations/filtered-page.ts';
import * as records from '../../operations/impact/impact-batch-record.ts';
import * as operations from '../../operations/impact/pool-contributions.ts';
import { listSettlementsOfBatch, listUnpooledOfAll, type WorthOfSettlement } from '../../operations/impact/read-pooled-worth.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { listBatchesInOrder } from '../../store/impact/impact-batch.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, idParams, integerText, line, oneOf, shape, text } from '../schema-parts.ts';
import { ofPeriod } from '../settlements/settlement-filter.ts';
import { sorting } from '../sorting.ts';
import { describeBatch } from './batch-detail.ts';
import {
  BatchBody,
  BatchDetail,
  batchToWire,
  expectedChangeNo,
  PoolableBody,
  poolableToWire,
  readExpected,
} from './impact-schemas.ts';
import { readTrees } from './read-trees.ts';

const order = sorting(['created_at', 'quantity'], '-created_at');

export const listImpactBatches = operatorRoute({
  operation: 'listImpactBatches',
  method: 'GET',
  path: '/operator/v1/impact-batches',
  tag: 'Impact',
  summary: 'List impact batches',
  description: LOOKS_AT,
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      status: Type.Optional(oneOf(ENVIRONMENTAL_STATUSES, 'Only those that have come so far.')),
      project_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this project.' })),
    },
    closed,
  ),
  answer: pageOf('ImpactBatchPage', 'impact_batches', BatchBody, 'The batches of the page.'),
  async handle({ tools: { database }, query }) {
    const { status, project_id: projectId } = query;
    const { page, end } = sortedPage('listImpactBatches', order, query, [status, projectId]);
    const found = await readFilteredPage({
      page,
      read: (part) => listBatchesInOrder(database.pool, part),
      isWanted: wantedBy({ status, projectId }),
    });
    return { impact_batches: found.page.map(batchToWire), ...end(found.last, found.hasMore) };
  },
});

const ofPartner = Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this partner.' }));
const PATH = '/operator/v1/impact-batches/:impact_batch_id';
const params = idParams('impact_batch_id', 'The id of the batch.');
const DEADLINE_MS = 20_000;

export const getImpactBatch = operatorRoute({
  operation: 'getImpactBatch',
  method: 'GET',
  path: PATH,
  tag: 'Impact',
  summary: 'Show an impact batch with its worth, its evidence and its history',
  leastRole: 'viewer',
  deadlineMs: DEADLINE_MS,
  params,
  answer: BatchDetail,
  handle: async ({ tools: { database }, params: { impact_batch_id: id } }) =>
    describeBatch(database.pool, await records.getImpactBatch(database.pool, id)),
});

const byPartner = sorting(['partner_id'], 'partner_id');

export const listImpactBatchSettlements = operatorRoute({
  operation: 'listImpactBatchSettlements',
  method: 'GET',
  path: `${PATH}/settlements`,
  tag: 'Impact',
  summary: 'List the settlements of an impact batch',
  leastRole: 'viewer',
  params,
  query: Type.Object({ ...pageMembersOfQuery, ...byPartner.member, partner_id: ofPartner }, closed),
  answer: pageOf('PooledSettlementPage', 'settlements', PoolableBody, 'The settlements of the page.'),
  async handle({ tools: { database }, params: { impact_batch_id: id }, query }) {
    const { partner_id: partnerId } = query;
    const { page, end } = sortedPage('listImpactBatchSettlements', byPartner, query, [id, partnerId]);
    await records.getImpactBatch(database.pool, id);
    const found = await listSettlementsOfBatch(database.pool, { impactBatchId: id, partnerId }, page);
    return { settlements: await settlementsToWire(database.pool, found.page), ...end(found.last, found.hasMore) };
  },
});

async function settlementsToWire(db: Queryable, page: readonly WorthOfSettlement[]) {
  const names = await readNamesOfPartners(
    db,
    page.map(({ settlement }) => settlement.partnerId),
  );
  return page.map((each) => poolableToWire(each, names));
}

const byClose = sorting(['closed_at'], '-closed_at');

export const listUnpooledSettlements = operatorRoute({
  operation: 'listUnpooledSettlements',
  method: 'GET',
  path: '/operator/v1/unpooled-settlements',
  tag: 'Impact',
  summary: 'List closed settlements with contributions that are in no batch',
  description:
    'A page looks at 2,000 settlements at most: it may be short, or empty, while `has_more` says that the list goes on.',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...byClose.member,
      partner_id: ofPartner,
      period: ofPeriod,
    },
    closed,
  ),
  answer: pageOf('UnpooledSettlementPage', 'settlements', PoolableBody, 'The settlements of the page.'),
  async handle({ tools: { database }, query }) {
    const { partner_id: partnerId, period } = query;
    const { page, end } = sortedPage('listUnpooledSettlements', byClose, query, [partnerId, period]);
    const found = await listUnpooledOfAll(database.pool, { partnerId, period }, page);
    return { settlements: await settlementsToWire(database.pool, found.page), ...end(found.last, found.hasMore) };
  },
});

export const createImpactBatch = operatorRoute({
  operation: 'createImpactBatch',
  method: 'POST',
  path: '/operator/v1/impact-batches',
  tag: 'Impact',
  summary: 'Create an impact batch for a number of trees, without settlements yet',
  leastRole: operations.createImpactBatch.leastRole,
  // As for the settlements that are added next: who gives up at the password leaves no empty batch.
  needsRecentSignIn: true,
  isFinal: true,
  body: Type.Object(
    {
      name: line('The name, for operators.', 200),
      quantity: Type.String({ minLength: 1, maxLength: 20, description: 'Whole trees to plant, in digits.' }),
    },
    closed,
  ),
  answer: BatchBody,
  handle: ({ tools, actor, work, body: { name, quantity } }) => {
    const wanted = { name, quantity: readTrees(quantity) };
    return work.answer(tools.database, (database) => operations.createImpactBatch(database, actor, wanted), batchToWire);
  },
});

const POOLED_AT_ONCE_MAX = 200;

export const poolSettlements = operatorRoute({
  operation: 'poolSettlements',
  method: 'POST',
  path: `${PATH}/settlements`,
  tag: 'Impact',
  summary: 'Add closed settlements of a partner to a batch that is not allocated yet, permanently',
  description: 'All of them or none. The partner gets an event.',
  leastRole: operations.poolSettlements.leastRole,
  needsRecentSignIn: true,
  isFinal: true,
  params,
  body: Type.Object(
    {
      partner_id: Type.String({ minLength: 1, maxLength: 64, description: 'The partner.' }),
      settlement_ids: Type.Array(
        Type.String({ minLength: 1, maxLength: 64, description: 'A closed settlement of the partner.' }),
        {
          minItems: 1,
          maxItems: POOLED_AT_ONCE_MAX,
          description: `The settlements; ${POOLED_AT_ONCE_MAX} at most.`,
        },
      ),
      expected_change_no: expectedChangeNo,
    },
    closed,
  ),
  answer: shape('BatchShare', {
    partner_id: text('The id of the partner.'),
    settlement_count: Type.Integer({ minimum: 0, description: 'How many of its settlements the batch has now.' }),
    contribution_count: integerText('How many contributions they have.'),
  }),
  handle: ({ tools, actor, work, params: { impact_batch_id: id }, body }) => {
    const expected = readExpected(body.expected_change_no);
    const partner = { partnerId: body.partner_id, settlementIds: body.settlement_ids };
    const pooling = { impactBatchId: id, ...partner, expectedChangeNo: expected };
    const add = (database: Database) => operations.poolSettlements(database, actor, pooling);
    return work.answer(tools.database, add, ({ partnerId, settlementCount, contributionCount }) => ({
      partner_id: partnerId,
      settlement_count: settlementCount,
      contribution_count: contributionCount,
    }));
  },
});
