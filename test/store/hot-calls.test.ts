/**
 * What partners' requests and verifications send to the database is known to the test of plans: a new statement goes into
 * `support/postgres/hot-calls.ts` or `verify-calls.ts` there.
 */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import pg from 'pg';
import { newToken } from '../../bench/rows/identifiers.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import { verifyAdjustments } from '../../src/operations/adjustments/verify-adjustments.ts';
import { eachAuditedSubject } from '../../src/operations/audit/compare-with-audit.ts';
import { type ClosedSettlement, verifyStatementFile } from '../../src/operations/settlements/verify-statement-file.ts';
import { verifyEverything } from '../../src/operations/verification/verify-everything.ts';
import { openDatabase, type Queryable } from '../../src/store/database.ts';
import { findSettlement } from '../../src/store/settlements/settlement.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { type HotCall, type HotCallOptions, hotCalls } from '../support/postgres/hot-calls.ts';
import { verifyCalls } from '../support/postgres/verify-calls.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;

/** For no request: when a service starts, when it looks at its database, and when it reads the rules again. */
const OF_NO_REQUEST = [
  'insert_event_counter',
  'insert_job',
  'check_writable',
  'list_audit_entries_with_prefix',
  'list_audit_entries_subject_id_recorded_at',
  'shorten_hand_over_leases',
  'list_far_endpoints',
];

/** The names of what the store's functions would send. */
async function listKnown(callsOf: (terms: HotCallOptions) => readonly HotCall[]): Promise<Set<string>> {
  const names = new Set<string>();
  const row = {
    lastNo: 0n,
    lastSequence: 1n,
    day: '2026-01-01',
    points: '0',
    snapshot: '1:1:',
    now: new Date(),
    installationId: 'ins_1',
    environment: 'sandbox',
  };
  const catcher = {
    async query({ name }: { name?: string }) {
      if (name !== undefined) names.add(name);
      return { rows: [{ ...row, partnerIds: [] }] };
    },
  } as unknown as Queryable;
  const terms = {
    partnerId: 'ptn_1',
    keyId: 'key',
    endpointId: 'whe_1',
    token: newToken(),
    rows: 200_000,
    fewer: 40_000,
    isDistributed: false,
  };
  // What the answer would be is of no account here.
  for (const { send } of callsOf(terms)) await send(catcher).catch(() => {});
  return names;
}

/** Adds the names of the statements that it sends from now on. */
function recordNames(client: Pick<pg.Client, 'query'>, sent: Set<string>): void {
  const { query } = client;
  client.query = function (this: pg.Client, ...words: unknown[]) {
    const name = (words[0] as { name?: string } | undefined)?.name;
    if (name !== undefined) sent.add(name);
    return (query as (...all: unknown[]) => unknown).apply(this, words);
  } as typeof query;
}

test('every statement that requests of partners send is among those whose plan is compared with that after analyze', async () => {
  const { client } = await service.newPartner();
  const sent = new Set<string>();
  const { query } = pg.Client.prototype;
  recordNames(pg.Client.prototype, sent);
  try {
    const fields = newConfirmation();
    const { contribution } = (await client.confirm(fields)).body;
    await client.confirm(fields, { 'idempotency-key': 'another-key-of-it' });
    const estimated = newConfirmation();
    const { calculation_id } = (await client.estimate({ partner_order_ref: estimated.partner_order_ref })).body.estimate;
    await client.confirm({ ...estimated, calculation_id });
    const later = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
    assert.equal((await client.associate(contribution.transaction_id, later.calculation_id)).status, 201);
    await client.findByEvent(fields.partner_event_id);
    await client.get(contribution.transaction_id);
    await client.getEstimate(calculation_id);
    await waitFor('event', async () => (await client.listEvents()).body.events.length > 0);
    await client.getEvent(`evt_${contribution.transaction_id.slice(4)}`);
  } finally {
    pg.Client.prototype.query = query;
  }
  assert.ok(sent.has('insert_contributions') && sent.has('look_up_contributions_by_event_of_one'), 'nothing was seen');
  assert.deepEqual([...sent.difference(await listKnown(hotCalls))].filter((name) => !OF_NO_REQUEST.includes(name)).sort(), []);
});

test('every statement that verifications of records of every kind send is among those whose plan is compared with that after analyze', async () => {
  const { client, partner } = await service.newPartner();
  const { partnerId } = partner;
  const ask = async (path: string, body: object = {}) => {
    const options = { method: 'POST', headers: { 'idempotency-key': uniqueId('key') }, body };
    const answer = await client.call(`/v1/sandbox/${path}`, options);
    assert.equal(answer.status, 201);
    return answer.body;
  };
  const { transaction_id } = (await client.confirm()).body.contribution;
  const { settlement_id } = (await ask('settlements/close')).settlement;
  await ask('adjustments', { transaction_id, points_delta: -1, reason_code: 'operator_error' });
  const { partner_event_id, partner_order_ref, points } = newConfirmation();
  await ask('failures', { partner_event_id, partner_order_ref, points });
  await ask('impact-batches', { settlement_ids: [settlement_id], quantity: 3, status: 'delivered' });
  await client.confirm();
  const { text } = await client.call(`/v1/settlements/${settlement_id}/statement.csv`);
  const edited = text.replaceAll(transaction_id, newId('txn'));
  const settlement = (await findSettlement(database.pool, partnerId, settlement_id)) as ClosedSettlement;
  const sent = new Set<string>();
  const own = openDatabase({ databaseUrl: service.databaseUrl, auditKeys: database.auditKeys });
  own.pool.on('connect', (connection) => recordNames(connection, sent));
  const parts = await Array.fromAsync(verifyEverything(own, openSealKeys(own.auditKeys)));
  assert.deepEqual(
    parts.flatMap(({ problems }) => problems),
    [],
  );
  await verifyAdjustments(own, partnerId, new Set(await Array.fromAsync(eachAuditedSubject(own.pool, 'adj_'))));
  await verifyStatementFile(own.pool, settlement, () => Readable.from([Buffer.from(edited)]));
  await own.close();
  assert.ok(sent.has('list_unreachable_contributions') && sent.has('list_impact_evidence'), 'nothing was seen');
  assert.deepEqual([...sent.difference(await listKnown(verifyCalls))].sort(), []);
});
