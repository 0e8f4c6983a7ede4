/** What partners' requests send to the database is known to the test of plans: a new statement goes into `support/postgres/hot-calls.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { newToken } from '../../bench/rows/identifiers.ts';
import type { Queryable } from '../../src/store/database.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation } from '../support/client.ts';
import { hotCalls } from '../support/postgres/hot-calls.ts';
import { testService } from '../support/service.ts';

const service = await testService({ roles: ['api', 'webhooks', 'schedule'] });

/** For no request: when a service starts, and when it reads the rules again. */
const ASIDE = ['insert_job', 'list_audit_entries_of_subjects'];

/** The names of what the store's functions would send. */
async function listKnown(): Promise<Set<string>> {
  const names = new Set<string>();
  const row = {
    lastNo: 0n,
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
  for (const { send } of hotCalls(terms)) await send(catcher).catch(() => {});
  return names;
}

test('every statement that requests of partners send is held against its plan after analyze', async () => {
  const { client } = await service.newPartner();
  const { query } = pg.Client.prototype;
  const sent = new Set<string>();
  pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]) {
    const name = (words[0] as { name?: string } | undefined)?.name;
    if (name !== undefined) sent.add(name);
    return (query as (...all: unknown[]) => unknown).apply(this, words);
  } as typeof query;
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
  assert.ok(sent.has('insert_contributions') && sent.has('find_contributions_by_event_of_one'), 'nothing was seen');
  assert.deepEqual([...sent.difference(await listKnown())].filter((name) => !ASIDE.includes(name)).sort(), []);
});
