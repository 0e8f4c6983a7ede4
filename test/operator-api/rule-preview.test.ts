/** Over which time a rule is previewed. Its contributions are rows of the past, which no event and no audit knows: a database of its own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { idAt } from '../../src/domain/identifiers.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
const viewer = await signedInOperator(service, 'viewer');
const preview = async (query: Record<string, string>) =>
  (await viewer.get(`/operator/v1/rule-preview?${new URLSearchParams(query)}`)).body;

describe('a preview of a rule', () => {
  test('is over the calendar month of the partner that ended last, unless another is asked for', async () => {
    const { partner, client } = await service.newPartner();
    await client.confirm({ points: 7_000 });
    const { rows } = await database.pool.query(
      "select date_trunc('month', now() at time zone $1) at time zone $1 as ends, (date_trunc('month', now() at time zone $1) - interval '1 month') at time zone $1 as begins",
      [partner.timeZone],
    );
    const [{ begins, ends }] = rows;
    const moments: [at: number, points: number][] = [
      [begins.getTime() - 1, 1],
      [begins.getTime(), 20],
      [ends.getTime() - 1, 300],
      [ends.getTime(), 4_000],
    ];
    for (const [at, points] of moments)
      await database.pool.query(
        `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points, status, first_status,
            contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar, association_outcome, created_at, confirmed_at)
          values ($1, $2, $2, decode(repeat('00', 32), 'hex'), $2, $2, $3, 'confirmed', 'confirmed', 'default-1', 'default-1', 'default-1', '', '', 'not_requested', $4, $4)`,
        [partner.partnerId, idAt('txn', at), points, new Date(at)],
      );
    const wanted = { kind: 'contribution_rule', partner_id: partner.partnerId };
    const body = await preview({ ...wanted, over: 'last_month' });
    assert.deepEqual(
      [body.contribution_count, body.points, body.from, body.to],
      ['2', '320', begins.toISOString(), ends.toISOString()],
    );
    const usual = await preview(wanted);
    assert.equal(usual.points, '320');
    const ofAll = await preview({ kind: 'contribution_rule', over: 'last_month' });
    assert.deepEqual([ofAll.partner_count, ofAll.from, ofAll.to], [1, begins.toISOString(), ends.toISOString()]);
  });

  test('over all partners is from the earliest beginning of their months to the latest end', async () => {
    const { partner } = await service.newPartner();
    await database.pool.query("update partner set time_zone = 'America/New_York' where partner_id = $1", [partner.partnerId]);
    const { rows } = await database.pool.query(
      `select min((date_trunc('month', now() at time zone zone) - interval '1 month') at time zone zone) as begins,
        max(date_trunc('month', now() at time zone zone) at time zone zone) as ends
      from (select distinct time_zone as zone from partner) z`,
    );
    const { from, to } = await preview({ kind: 'contribution_rule', over: 'last_month' });
    assert.deepEqual([from, to], [rows[0].begins.toISOString(), rows[0].ends.toISOString()]);
  });
});
