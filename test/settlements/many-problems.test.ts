/** A restored or edited database may differ in every row: the verifications name them all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { commandLine } from '../support/command-line.ts';
import { testService } from '../support/service.ts';
import { openFirst } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A call takes fewer arguments than this. */
const COUNT = 130_000;
const AT_ONCE = 10_000;

const service = await testService();
const { database } = service;
const { partner, client } = await service.newPartner();
const { run } = commandLine({
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: temporaryFolder('many-problems'),
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
});

test(`${COUNT} contributions that no closing would find`, async () => {
  await openFirst(database, partner);
  await client.confirm();
  const copy = `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref,
      points, status, first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar,
      association_outcome, created_at, confirmed_at)
    select partner_id, 'txn_copy-' || n, 'key-' || n, fingerprint, 'event-' || n, 'order-' || n, points, status, first_status,
      contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar, association_outcome, created_at,
      confirmed_at
    from contribution cross join generate_series($2::int, $3::int) n where partner_id = $1 and transaction_id not like 'txn_copy-%'`;
  for (let first = 1; first <= COUNT; first += AT_ONCE)
    await database.pool.query(copy, [partner.partnerId, first, first + AT_ONCE - 1]);

  const ofPartner = await run(['settlement', 'verify', '--partner', partner.partnerId, '--json']);
  assert.equal(ofPartner.code, 1, ofPartner.stderr);
  assert.equal(JSON.parse(ofPartner.stdout).problems.length, COUNT);
  const ofAll = await run(['verify']);
  assert.equal(ofAll.code, 1, ofAll.stderr);
  assert.match(ofAll.stdout, new RegExp(`^settlement .* ${COUNT} differ$`, 'm'));
  // A person reads the first ones, and how many more there are.
  assert.equal(ofAll.stdout.match(/^partner ptn_/gm)?.length, 1_000);
  assert.match(ofAll.stdout, new RegExp(`^… and ${COUNT - 1_000} more: --json lists each\\.$`, 'm'));
});
