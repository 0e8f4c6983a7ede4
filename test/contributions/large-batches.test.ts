/** Large batches are inserted as if all keys were new; where one is stored, nothing else about the answers and the records is different. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import type { ConfirmationOutcome, ConfirmationRequest } from '../../src/operations/contributions/decide-confirmations.ts';
import { createOperations } from '../../src/operations/create-operations.ts';
import type { EstimateRequest } from '../../src/operations/emissions/create-delivery-emissions-estimate.ts';
import { openDatabase } from '../../src/store/database.ts';
import { auditKeys } from '../support/actor.ts';
import { uniqueId } from '../support/client.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { insertLink } from '../support/records.ts';

const LARGE = 20;
const PARTNER = { partnerId: 'ptn_of_batches', isSuspended: false };

const { databaseUrl, pool } = await testDatabase();
const database = openDatabase({ databaseUrl, auditKeys });
after(() => database.close());

function requestOf(fields: Partial<ConfirmationRequest> = {}): ConfirmationRequest {
  return {
    ...PARTNER,
    currency: null,
    timeZone: 'Asia/Riyadh',
    idempotencyKey: uniqueId('key'),
    fingerprint: Buffer.alloc(32),
    partnerEventId: uniqueId('event'),
    partnerOrderRef: uniqueId('order'),
    points: 250n,
    opaqueCustomerRef: null,
    calculationId: undefined,
    correlationId: uniqueId('corr'),
    arrivedAtMs: performance.now(),
    ...fields,
  };
}

function estimateRequestOf(fields: Partial<EstimateRequest> = {}): EstimateRequest {
  return {
    ...PARTNER,
    idempotencyKey: uniqueId('key'),
    fingerprint: Buffer.alloc(32),
    partnerOrderRef: uniqueId('order'),
    distanceKm: '12.345',
    distanceMetres: 12_345,
    vehicleCategory: 'car_gasoline',
    ...fields,
  };
}

/** Operations of their own, which have seen no stored key yet. */
function open() {
  return createOperations(database, { environment: 'sandbox', rulesOf: () => DEFAULT_RULES });
}

function listNew<Request>(count: number, make: () => Request): Request[] {
  return Array.from({ length: count }, make);
}

/** @returns The names of the inserts that were sent meanwhile, in their order. */
async function recordInserts(work: () => Promise<void>): Promise<string[]> {
  const sent: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]) {
    const name = (words[0] as { name?: string } | undefined)?.name ?? '';
    if (name.startsWith('insert_')) sent.push(name);
    return (query as (...all: unknown[]) => unknown).apply(this, words);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return sent;
}

async function countOf(table: string): Promise<number> {
  return (await pool.query(`select count(*)::int4 as count from ${table}`)).rows[0].count;
}

function isNew({ isReplay }: ConfirmationOutcome): boolean {
  return !isReplay;
}

test('a batch of new confirmations is inserted at once, with their events; a small one looks for its keys', async () => {
  const { confirmContribution } = open();
  const before = await countOf('contribution');
  const sent = await recordInserts(async () => {
    assert.ok((await Promise.all(listNew(LARGE, requestOf).map(confirmContribution))).every(isNew));
    assert.ok(isNew(await confirmContribution(requestOf())));
  });
  assert.deepEqual(sent, ['insert_new_contributions', 'insert_contributions']);
  assert.equal(await countOf('contribution'), before + LARGE + 1);
  assert.equal(await countOf('event_outbox'), await countOf('contribution'));
});

test('what is stored already is a replay or a conflict, and every other confirmation of the batch is recorded once', async () => {
  const { confirmContribution } = open();
  const [keyed, ordered, known] = [requestOf(), requestOf(), requestOf()];
  const [stored] = await Promise.all([keyed, ordered, known].map(confirmContribution));
  const before = await countOf('contribution');
  const twice = requestOf();
  const batch = [
    ...listNew(LARGE, requestOf),
    keyed,
    requestOf({ partnerOrderRef: ordered.partnerOrderRef }),
    requestOf({ partnerEventId: known.partnerEventId }),
    { ...keyed, fingerprint: Buffer.alloc(32, 1) },
    twice,
    twice,
  ];
  let outcomes: PromiseSettledResult<ConfirmationOutcome>[] = [];
  const sent = await recordInserts(async () => {
    outcomes = await Promise.allSettled(batch.map(confirmContribution));
  });
  assert.deepEqual(sent.slice(0, 2), ['insert_new_contributions', 'insert_contributions']);
  const [fresh, [replay, order, event, key, ...both]] = [outcomes.slice(0, LARGE), outcomes.slice(LARGE)];
  assert.ok(fresh.every((outcome) => outcome.status === 'fulfilled' && isNew(outcome.value)));
  assert.deepEqual(replay?.status === 'fulfilled' && [replay.value.isReplay, replay.value.record.contribution.transactionId], [
    true,
    stored?.record.contribution.transactionId,
  ]);
  const codes = [order, event, key].map((outcome) => (outcome?.status === 'rejected' ? outcome.reason.code : 'recorded'));
  assert.deepEqual(codes, ['partner_order_conflict', 'partner_event_conflict', 'idempotency_conflict']);
  assert.deepEqual(both.map((outcome) => outcome.status === 'fulfilled' && outcome.value.isReplay).sort(), [false, true]);
  assert.equal(await countOf('contribution'), before + LARGE + 1);
  assert.equal(await countOf('event_outbox'), await countOf('contribution'));
});

test('after a stored key the next batches look for theirs, until 64 in a row had none', async () => {
  const { confirmContribution } = open();
  const confirmAll = async (requests: readonly ConfirmationRequest[]) =>
    void (await Promise.all(requests.map(confirmContribution)));
  const stored = requestOf();
  await confirmContribution(stored);
  await confirmAll([stored, ...listNew(LARGE, requestOf)]);
  const sent = await recordInserts(async () => {
    for (let batch = 1; batch <= 10; batch++) await confirmAll(listNew(LARGE, requestOf));
    await confirmAll([stored, ...listNew(LARGE, requestOf)]);
    for (let batch = 1; batch <= 65; batch++) await confirmAll(listNew(LARGE, requestOf));
  });
  assert.deepEqual(sent, [...listNew(75, () => 'insert_contributions'), 'insert_new_contributions']);
});

test('an estimate that another transaction links meanwhile stops none of a large batch, and is linked once', async () => {
  const { confirmContribution, createDeliveryEmissionsEstimate } = open();
  const { partnerOrderRef, ...rest } = requestOf();
  const { record } = await createDeliveryEmissionsEstimate(estimateRequestOf({ partnerOrderRef }));
  const { calculationId } = record.estimate;
  const other = await confirmContribution(requestOf());
  const session = await pool.connect();
  await session.query('begin');
  const { transactionId } = other.record.contribution;
  await insertLink(session, PARTNER.partnerId, { transactionId, calculationId });
  const linking = confirmContribution({ ...rest, partnerOrderRef, calculationId });
  const others = listNew(LARGE, requestOf).map(confirmContribution);
  assert.ok((await Promise.all(others)).every(isNew));
  await session.query('commit');
  session.release();
  assert.equal((await linking).record.rejectionCode, 'association_conflict');
  const { rows } = await pool.query('select 1 from emissions_link where calculation_id = $1', [calculationId]);
  assert.equal(rows.length, 1);
});

test('estimates: a batch with a stored key answers with what is stored, and calculates the others', async () => {
  const { createDeliveryEmissionsEstimate } = open();
  const stored = estimateRequestOf();
  const { record } = await createDeliveryEmissionsEstimate(stored);
  const sent = await recordInserts(async () => {
    const batch = [...listNew(LARGE, estimateRequestOf), stored];
    const outcomes = await Promise.all(batch.map(createDeliveryEmissionsEstimate));
    assert.deepEqual(
      outcomes.map(({ isReplay }) => isReplay),
      [...listNew(LARGE, () => false), true],
    );
    assert.equal(outcomes.at(-1)?.record.estimate.calculationId, record.estimate.calculationId);
    await Promise.all(listNew(LARGE, estimateRequestOf).map(open().createDeliveryEmissionsEstimate));
  });
  assert.deepEqual(sent, ['insert_new_estimates', 'insert_estimates', 'insert_new_estimates']);
});
