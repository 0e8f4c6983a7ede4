import { readNamesOfPartners } from '../../operations/access/find-partners.ts';
import { getImpactBatch } from '../../operations/impact/impact-batch-record.ts';
import { createImpactBatch, poolSettlements } from '../../operations/impact/pool-contributions.ts';
import { listSettlementsOfBatch, listUnpooledOfAll } from '../../operations/impact/read-pooled-worth.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { Database } from '../../store/database.ts';
import { listImpactBatches } from '../../store/impact/impact-batch.ts';
import { limitOf, listNamed, pageMembers, pageMembersOfQuery, pageOf, placeIn } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, idParams, integerText, line, shape, text } from '../schema-parts.ts';
import { describeBatch } from './batch-detail.ts';
import { BatchBody, BatchDetail, batchToWire, PoolableBody, poolableToWire } from './impact-schemas.ts';
import { readTrees } from './read-trees.ts';

export const listBatches = operatorRoute({
  operation: 'listImpactBatches',
  method: 'GET',
  path: '/operator/v1/impact-batches',
  tag: 'Impact',
  summary: 'List impact batches, the latest first',
  leastRole: 'viewer',
  query: Type.Object(pageMembersOfQuery, closed),
  answer: pageOf('ImpactBatchPage', 'impact_batches', BatchBody, 'The batches of the page.'),
  async handle({ tools: { database }, query }) {
    const list = listNamed('listImpactBatches');
    const place = placeIn(list, query);
    const limit = limitOf(query);
    const found = await listImpactBatches(database.pool, { ...(place !== '' && { beforeId: place }), limit: limit + 1 });
    const page = found.slice(0, limit);
    return {
      impact_batches: page.map(batchToWire),
      ...pageMembers(list, page.at(-1)?.impactBatchId ?? place, found.length > limit),
    };
  },
});

const PATH = '/operator/v1/impact-batches/:impact_batch_id';
const params = idParams('impact_batch_id', 'The id of the batch.');
const DEADLINE_MS = 20_000;

export const getBatch = operatorRoute({
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
    describeBatch(database.pool, await getImpactBatch(database.pool, id)),
});

export const listPooled = operatorRoute({
  operation: 'listImpactBatchSettlements',
  method: 'GET',
  path: `${PATH}/settlements`,
  tag: 'Impact',
  summary: 'List the settlements of an impact batch',
  leastRole: 'viewer',
  params,
  query: Type.Object(pageMembersOfQuery, closed),
  answer: pageOf('PooledSettlementPage', 'settlements', PoolableBody, 'The settlements of the page.'),
  async handle({ tools: { database }, params: { impact_batch_id: id }, query }) {
    const list = listNamed('listImpactBatchSettlements', [id]);
    const place = placeIn(list, query);
    const [partnerId = '', settlementId = ''] = place.split('/');
    const limit = limitOf(query);
    await getImpactBatch(database.pool, id);
    const after = place === '' ? undefined : { partnerId, settlementId };
    const found = await listSettlementsOfBatch(database.pool, id, { after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = page.at(-1)?.settlement;
    const names = await readNamesOfPartners(
      database.pool,
      page.map(({ settlement }) => settlement.partnerId),
    );
    return {
      settlements: page.map((each) => poolableToWire(each, names)),
      ...pageMembers(list, last ? `${last.partnerId}/${last.settlementId}` : place, found.length > limit),
    };
  },
});

export const listUnpooled = operatorRoute({
  operation: 'listUnpooledSettlements',
  method: 'GET',
  path: '/operator/v1/unpooled-settlements',
  tag: 'Impact',
  summary: 'List closed settlements with contributions that are in no batch, the latest first',
  description:
    'A page looks at 2,000 settlements at most: it may be short, or empty, while `has_more` says that the list goes on.',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      partner_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this partner.' })),
      period: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this period, such as `2026-11`.' }),
      ),
    },
    closed,
  ),
  answer: pageOf('UnpooledSettlementPage', 'settlements', PoolableBody, 'The settlements of the page.'),
  async handle({ tools: { database }, query }) {
    const { partner_id: partnerId, period } = query;
    const list = listNamed('listUnpooledSettlements', [partnerId, period]);
    const place = placeIn(list, query);
    const [closedAt, settlementId = ''] = place.split('/');
    const before = closedAt ? { closedAt: new Date(closedAt), settlementId } : undefined;
    const filter = { partnerId, period, before, limit: limitOf(query) };
    const { settlements, last, hasMore } = await listUnpooledOfAll(database.pool, filter);
    const names = await readNamesOfPartners(
      database.pool,
      settlements.map(({ settlement }) => settlement.partnerId),
    );
    return {
      settlements: settlements.map((each) => poolableToWire(each, names)),
      ...pageMembers(list, last ? `${last.closedAt.toISOString()}/${last.settlementId}` : place, hasMore),
    };
  },
});

export const create = operatorRoute({
  operation: 'createImpactBatch',
  method: 'POST',
  path: '/operator/v1/impact-batches',
  tag: 'Impact',
  summary: 'Create an impact batch for a number of trees, without settlements yet',
  leastRole: createImpactBatch.leastRole,
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
    return work.answer(tools.database, (database) => createImpactBatch(database, actor, wanted), batchToWire);
  },
});

const POOLED_AT_ONCE_MAX = 200;

export const pool = operatorRoute({
  operation: 'poolSettlements',
  method: 'POST',
  path: `${PATH}/settlements`,
  tag: 'Impact',
  summary: 'Add closed settlements of a partner to a batch that is not allocated yet, finally',
  description: 'All of them or none. The partner gets an event.',
  leastRole: poolSettlements.leastRole,
  needsRecentSignIn: true,
  isFinal: true,
  params,
  body: Type.Object(
    {
      partner_id: Type.String({ minLength: 1, maxLength: 64, description: 'The partner.' }),
      settlement_ids: Type.Array(
        Type.String({ minLength: 1, maxLength: 64, description: 'A closed settlement of the partner.' }),
        {
          ...{ minItems: 1, maxItems: POOLED_AT_ONCE_MAX, description: `The settlements; ${POOLED_AT_ONCE_MAX} at most.` },
        },
      ),
    },
    closed,
  ),
  answer: shape('BatchShare', {
    partner_id: text('The id of the partner.'),
    settlement_count: Type.Integer({ minimum: 0, description: 'How many of its settlements the batch has now.' }),
    contribution_count: integerText('How many contributions they have.'),
  }),
  handle: ({ tools, actor, work, params: { impact_batch_id: id }, body }) => {
    const pooling = { impactBatchId: id, partnerId: body.partner_id, settlementIds: body.settlement_ids };
    const add = (database: Database) => poolSettlements(database, actor, pooling);
    return work.answer(tools.database, add, ({ partnerId, settlementCount, contributionCount }) => ({
      ...{ partner_id: partnerId, settlement_count: settlementCount, contribution_count: contributionCount },
    }));
  },
});
