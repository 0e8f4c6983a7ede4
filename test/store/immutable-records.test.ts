/** What the database refuses to change or remove, whatever the code does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { OWNER } from '../support/actor.ts';
import { newConfirmation } from '../support/client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, partner } = await service.newPartner();
const { pool } = service.database;

describe('immutability, by the database and not only by the code', () => {
  async function assertRefused(text: string, pattern: RegExp): Promise<void> {
    await assert.rejects(pool.query(text), (error: pg.DatabaseError) => error.code === '23001' && pattern.test(error.message));
  }

  test('a link is never changed and never removed', async () => {
    const fields = newConfirmation();
    const { calculation_id } = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
    await client.confirm({ ...fields, calculation_id });
    await assertRefused("update emissions_link set distance_km = '1'", /update is not allowed on emissions_link/);
    await assertRefused('delete from emissions_link', /delete is not allowed on emissions_link/);
  });

  test('an estimate is never changed and never removed', async () => {
    await client.estimate();
    await assertRefused('update estimate set raw_emissions_gco2e = 1', /update is not allowed on estimate/);
    await assertRefused('delete from estimate', /delete is not allowed on estimate/);
  });

  test('a confirmed contribution is never changed and never removed', async () => {
    await client.confirm();
    await assertRefused("update contribution set points = 1 where status = 'confirmed'", /does not go from confirmed/);
    await assertRefused(
      "update contribution set status = 'failed', failed_at = now(), confirmed_at = null, failure_reason = 'x'",
      /does not go from confirmed to failed/,
    );
    await assertRefused('delete from contribution', /delete is not allowed on contribution/);
  });

  test('a version of a rule that has started, or starts within a minute, is never changed and never removed', async () => {
    const { partnerId } = (await service.newPartner()).partner;
    for (const starts of ['-1 day', '59 seconds', '2 minutes'])
      await pool.query(
        `insert into rule_version (kind, version, partner_id, starts_at, created_at)
          values ('tree_cost', 'starts ' || $1, $2, now() + $1::interval, now())`,
        [starts, partnerId],
      );
    const change = (set: string, starts: string) => `update rule_version set ${set} where version = 'starts ${starts}'`;
    for (const starts of ['-1 day', '59 seconds'])
      await assertRefused(change('withdrawn_at = now()', starts), /only by being withdrawn/);
    await assertRefused(change("starts_at = now() + interval '3 days'", '2 minutes'), /only by being withdrawn/);
    await assertRefused(change("withdrawn_at = now(), currency = 'SAR'", '2 minutes'), /only by being withdrawn/);
    await assertRefused('delete from rule_version', /kept for good/);
    await pool.query(change('withdrawn_at = now()', '2 minutes'));
    await assertRefused(change('withdrawn_at = null', '2 minutes'), /only by being withdrawn/);
  });

  test('currency and time zone of a partner are fixed once something rests on them', async () => {
    const made = await service.newPartner();
    const change = (set: string) => `update partner set ${set} where partner_id = '${made.partner.partnerId}'`;
    await pool.query(change("time_zone = 'Africa/Cairo'"));
    await attestRecord(service.database, OWNER, { kind: 'partner', id: made.partner.partnerId, reason: 'moved by a test' });
    assert.equal((await made.client.confirm()).status, 201);
    await assertRefused(change("time_zone = 'Asia/Dubai'"), /fixed once something rests on them/);
    await pool.query(change("currency = 'EGP'"));
    await assertRefused(change("currency = 'SAR'"), /fixed once something rests on them/);
    await assertRefused(change('currency = null'), /fixed once something rests on them/);
  });

  test('a partner is never removed', async () => {
    await assertRefused('delete from partner', /delete is not allowed on partner/);
  });

  test('what refuses to be deleted refuses to be emptied', async () => {
    const { rows } = await pool.query<{ name: string }>(
      `select distinct tgrelid::regclass::text as name from pg_trigger
        where not tgisinternal and tgtype & 8 = 8 order by name`,
    );
    const names = rows.map(({ name }) => name);
    for (const name of ['contribution', 'api_key', 'operator_credential', 'webhook_endpoint', 'audit_entry'])
      assert.ok(names.includes(name), `${name} refuses no delete`);
    for (const name of names) await assertRefused(`truncate ${name} cascade`, /truncate is not allowed/);
  });
});

describe('transitions, guarded by the database (decisions, section 4)', () => {
  const insert = (status: string, more = '') =>
    pool.query(
      `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points,
        status, first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar,
        association_outcome, created_at, confirmed_at, failed_at, failure_reason)
      values ($1, $2, $2, sha256('x'), $2, $2, 5, '${status}', 'pending', 'r', 'p', 't', 'en', 'ar', 'not_requested', now(),
        ${status === 'confirmed' ? 'now()' : 'null'}, ${status === 'failed' ? "now(), 'reason'" : 'null, null'}) ${more}`,
      [partner.partnerId, `${status}-${Math.random()}`],
    );

  const bornFailed = (drafted: string | null, approved: string | null, firstStatus = 'failed') =>
    pool.query(
      `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points,
        status, first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar,
        association_outcome, created_at, failed_at, failure_reason, failure_drafted_by, failure_approved_by)
      values ($1, $2, $2, sha256('x'), $2, $2, 5, 'failed', $5, 'r', 'p', 't', 'en', 'ar', 'not_requested', now(), now(), 'r', $3, $4)`,
      [partner.partnerId, `born-failed-${Math.random()}`, drafted, approved, firstStatus],
    );

  test('nothing is inserted as failed, unless two different operators drafted and approved it', async () => {
    await assert.rejects(insert('failed'), /by two operators only/);
    await assert.rejects(bornFailed('opr_a', 'opr_a'), /by two operators only/);
    await assert.rejects(bornFailed('opr_a', null), /by two operators only/);
    await assert.rejects(bornFailed(null, null), /by two operators only/);
    await assert.rejects(bornFailed('opr_a', 'opr_b', 'pending'), /by two operators only/);
    await assert.rejects(bornFailed('opr_a', 'owner'), /contribution_failed_by_two/);
    await assert.rejects(bornFailed('schedule', 'opr_a'), /contribution_failed_by_two/);
    await bornFailed('opr_a', 'opr_b');
  });

  test('two operators are recorded of nothing but what was inserted as failed', async () => {
    await insert('pending');
    const fail = "status = 'failed', failed_at = now(), failure_reason = 'x'";
    await assert.rejects(
      pool.query(
        `update contribution set ${fail}, failure_drafted_by = 'opr_a', failure_approved_by = 'opr_b' where status = 'pending'`,
      ),
      /only the outcome/,
    );
    await assert.rejects(
      pool.query(`update contribution set ${fail}, first_status = 'failed' where status = 'pending'`),
      /only the outcome/,
    );
    await pool.query(`update contribution set ${fail} where status = 'pending'`);
  });

  test('pending becomes confirmed or failed, and nothing else changes with it', async () => {
    await insert('pending');
    await assert.rejects(
      pool.query("update contribution set status = 'confirmed', confirmed_at = now(), points = 6 where status = 'pending'"),
      /only the outcome/,
    );
    await assert.rejects(
      pool.query("update contribution set summary_en = 'x' where status = 'pending'"),
      /does not go from pending to pending/,
    );
    await pool.query(
      "update contribution set status = 'failed', failed_at = now(), failure_reason = 'x' where status = 'pending'",
    );
    await assert.rejects(
      pool.query(
        "update contribution set status = 'confirmed', failed_at = null, failure_reason = null, confirmed_at = now() where status = 'failed'",
      ),
      /does not go from failed to confirmed/,
    );
  });

  test('a status without its time is refused', async () => {
    await insert('pending');
    await assert.rejects(
      pool.query("update contribution set status = 'confirmed' where status = 'pending'"),
      /contribution_status/,
    );
    await pool.query("update contribution set status = 'confirmed', confirmed_at = now() where status = 'pending'");
  });
});
