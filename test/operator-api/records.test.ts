/** What operators read and change besides: the numbers are those of the rows, every change is audited, and texts of others are data. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { endEstimateEarly } from '../../src/store/sandbox/early-estimate-end.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { openRecords, THRESHOLD, V1 } from '../support/operator-api/records-scene.ts';
import { untilAllSequenced } from '../support/records.ts';
import { insertPrice } from '../support/rules.ts';
import { newSettledPartner } from '../support/settlements.ts';

const { service, database, viewer, operator, admin, partner, idOf, entriesAbout } = await openRecords();

describe('partners and keys', () => {
  test('a new partner with a key that is shown once; the same key of the request shows it again', async () => {
    const created = await operator.postOnce(`${V1}/partners`, {
      name: 'A bakery',
      currency: 'SAR',
      time_zone: 'Asia/Riyadh',
    });
    const { partner_id } = created.body;
    assert.deepEqual(await entriesAbout(partner_id), [{ action: 'partner.create', operator_id: operator.operatorId }]);
    const request = uniqueId('key');
    const issue = () => operator.postOnce(`${V1}/partners/${partner_id}/keys`, { name: 'server', permission: 'manage' }, request);
    const [one, other] = [await issue(), await issue()];
    assert.match(one.body.api_key, /^pi_sandbox_/);
    assert.equal(other.body.api_key, one.body.api_key);
    const { rows } = await database.pool.query("select answer from keyed_answer where operation = 'issueApiKey'");
    assert.ok(!JSON.stringify(rows).includes(one.body.api_key));
    const { keys } = (await viewer.get(`${V1}/partners/${partner_id}/keys`)).body;
    assert.deepEqual(
      keys.map(({ key_id }: { key_id: string }) => key_id),
      [one.body.key.key_id],
    );
    assert.ok(!JSON.stringify(keys).includes(one.body.api_key));
    assert.ok((await operator.postOnce(`${V1}/keys/${one.body.key.key_id}/revoke`, undefined)).body.revoked_at);
  });

  test('a key ends in the future, as on the command line', async () => {
    const { partner_id } = (await operator.postOnce(`${V1}/partners`, { name: 'A baker' })).body;
    const path = `${V1}/partners/${partner_id}/keys`;
    const wanted = { name: 'server', permission: 'read_only' };
    const refused = await operator.postOnce(path, { ...wanted, expires_at: '2020-01-31T00:00:00Z' });
    assert.deepEqual([refused.status, refused.body.error.details?.[0]?.field], [400, 'expires_at']);
    assert.deepEqual((await viewer.get(path)).body.keys, []);
    const issued = await operator.postOnce(path, { ...wanted, expires_at: '9999-12-31T23:59:59.999Z' });
    assert.deepEqual([issued.status, issued.body.key.expires_at], [200, '9999-12-31T23:59:59.999Z']);
  });

  test('texts of others are data: script, terminal controls, right-to-left overrides', async () => {
    const names = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', 'مخبز الحي', "Robert'); drop table partner;--"];
    for (const name of names) {
      const { body, headers } = await operator.postOnce(`${V1}/partners`, { name });
      assert.equal(body.name, name);
      assert.match(headers['content-type'] ?? '', /^application\/json/);
      assert.equal((await viewer.get(`${V1}/partners/${body.partner_id}`)).body.name, name);
      const listed = (await viewer.get(`${V1}/partners?name=${encodeURIComponent(name)}`)).body.partners;
      assert.deepEqual(
        listed.map(({ partner_id }: { partner_id: string }) => partner_id),
        [body.partner_id],
      );
    }
    for (const name of ['\u001b[31mred', 'a\u202eb', 'x'.repeat(201), 'two\nlines'])
      assert.equal((await operator.postOnce(`${V1}/partners`, { name })).status, 400, JSON.stringify(name));
  });

  test('a name in Arabic is found however a person spells it', async () => {
    const { body } = await operator.postOnce(`${V1}/partners`, { name: 'مؤسّسة الأمل لهدى ٢٤' });
    const idsOf = (partners: { partner_id: string }[]) => partners.map(({ partner_id }) => partner_id);
    for (const typed of ['موسسه الامل', 'لهدي 24', 'مؤسـسة', 'الأمل']) {
      const text = encodeURIComponent(typed);
      assert.deepEqual(idsOf((await viewer.get(`${V1}/partners?name=${text}`)).body.partners), [body.partner_id], typed);
      assert.deepEqual(idsOf((await viewer.get(`${V1}/search?q=${text}`)).body.partners), [body.partner_id], typed);
    }
    for (const typed of ['موسسه الصمل', '25'])
      assert.deepEqual((await viewer.get(`${V1}/partners?name=${encodeURIComponent(typed)}`)).body.partners, [], typed);
  });

  test('suspend and resume', async () => {
    const { partner: own, client } = await service.newPartner();
    const step = (name: string) => operator.post(`${V1}/partners/${own.partnerId}/${name}`);
    assert.equal((await step('suspend')).body.status, 'suspended');
    assert.equal((await step('resume')).body.status, 'active');
    assert.equal((await client.confirm()).status, 201);
  });
});

describe('operators, audit and jobs', () => {
  test('an admin makes an operator, whose link signs in', async () => {
    const email = `${uniqueId('person').toLowerCase()}@example.org`;
    const { body } = await admin.postOnce(`${V1}/operators`, { name: 'Basma', email, role: 'operator' });
    assert.match(body.sign_in_path, /^\/sign-in#pi_code_\w+$/);
    const { operators } = (await viewer.get(`${V1}/operators`)).body;
    assert.ok(!JSON.stringify(operators).includes('pi_code_'));
    const { operator_id } = body.operator;
    const changed = await admin.send('PUT', `${V1}/operators/${operator_id}/role`, { body: { role: 'viewer' } });
    assert.equal(changed.body.role, 'viewer');
    assert.equal((await admin.postOnce(`${V1}/operators/${operator_id}/disable`, undefined)).body.status, 'disabled');
    assert.deepEqual(
      (await entriesAbout(operator_id)).map(({ action }) => action),
      ['operator.create', 'operator.change-role', 'operator.disable'],
    );
  });

  test('the audit is read page by page, the latest first', async () => {
    const seen: bigint[] = [];
    for (let [after, hasMore] = ['', true]; hasMore; ) {
      const { body } = await viewer.get(`${V1}/audit?limit=40${after && `&after=${after}`}`);
      seen.push(...body.entries.map(({ entry_no }: { entry_no: string }) => BigInt(entry_no)));
      [after, hasMore] = [body.next_after, body.has_more];
    }
    assert.deepEqual(
      seen,
      Array.from({ length: seen.length }, (_, index) => BigInt(seen.length - index)),
    );
    const { entries } = (await viewer.get(`${V1}/audit?subject_id=${idOf()}`)).body;
    assert.deepEqual(
      entries.map(({ action }: { action: string }) => action),
      ['partner.create'],
    );
    const since = async (ms: number) => {
      const from = new Date(Date.parse(entries[0].recorded_at) + ms).toISOString();
      return (await viewer.get(`${V1}/audit?subject_id=${idOf()}&since=${from}`)).body.entries;
    };
    assert.deepEqual([await since(-1), await since(1)], [entries, []]);
  });

  test('runs of jobs', async () => {
    assert.equal((await viewer.get(`${V1}/job-runs`)).status, 200);
  });
});

describe('the months', () => {
  test('each day of each partner is what its rows say, however often and however many ask', async () => {
    const { partner: own, client, open } = await newSettledPartner(service);
    await Promise.all([100, 250, 300].map((points) => client.confirm({ points })));
    const { transaction_id } = (await client.confirm({ points: THRESHOLD })).body.contribution;
    const contributions = [{ partner_id: own.partnerId, transaction_id }];
    await operator.postOnce(`${V1}/reviews/decisions`, { decision: 'fail', reason: 'a test of the shop', contributions });
    // What has no number yet is in no figure.
    await untilAllSequenced(database, own.partnerId);
    const month = open.period.label;
    const read = async () => (await viewer.get(`${V1}/months/${month}/partners?limit=200`)).body;
    await Promise.all(Array.from({ length: 8 }, read));
    await waitFor('months with everything that happened', async () => (await read()).is_complete);
    const figures = (await read()).partners.find(({ partner_id }: { partner_id: string }) => partner_id === own.partnerId);
    assert.deepEqual([figures.confirmed_count, figures.confirmed_points, figures.failed_count], ['3', '650', '1']);
    assert.equal(figures.days.length, 1);
    assert.ok(figures.open_settlement.settlement_id);
    const { rows } = await database.pool.query(
      `select count(*) filter (where status = 'confirmed')::text as confirmed, count(*) filter (where status = 'failed')::text as failed,
        coalesce(sum(points) filter (where status = 'confirmed'), 0)::text as points from contribution join partner using (partner_id)
        where to_char(coalesce(confirmed_at, failed_at) at time zone time_zone, 'YYYY-MM') = $1`,
      [month],
    );
    // It is read once for all who ask within some seconds.
    const all = async () => {
      const { body } = await viewer.get(`${V1}/months/${month}`);
      return { confirmed: body.confirmed_count, failed: body.failed_count, points: body.confirmed_points };
    };
    await waitFor('month of all that is what the rows say', async () => isDeepStrictEqual(await all(), rows[0]), all);
    assert.equal((await viewer.get(`${V1}/months/2026-13`)).status, 404);
  });
});

describe('rules', () => {
  test('an admin creates a version, which is in force at its start, and withdraws one that has not started', async () => {
    const { partner: own } = await service.newPartner();
    const version = uniqueId('rule');
    const wanted = {
      kind: 'contribution_rule',
      version,
      partner_id: own.partnerId,
      points_max: '9007199254740993',
      daily_count_cap: '10',
    };
    const created = await admin.postOnce(`${V1}/rules`, wanted);
    assert.deepEqual([created.body.points_max, created.body.point_value], ['9007199254740993', null]);
    assert.deepEqual(await entriesAbout(`contribution_rule/${version}`).then((rows) => rows.length), 1);
    assert.equal((await admin.postOnce(`${V1}/rules`, wanted)).status, 400);
    const inForce = (await viewer.get(`${V1}/partners/${own.partnerId}/rules`)).body;
    assert.equal(inForce.contribution_rule_version, 'default-1');
    const { rules } = (await viewer.get(`${V1}/rules?partner_id=${own.partnerId}`)).body;
    assert.ok(rules.some((rule: { version: string }) => rule.version === version));
    const later = { ...wanted, version: `${version}-2`, starts_at: new Date(Date.now() + 3_600_000).toISOString() };
    await admin.postOnce(`${V1}/rules`, later);
    const withdrawn = await admin.postOnce(`${V1}/rules/contribution_rule/${version}-2/withdraw`, undefined);
    assert.ok(withdrawn.body.withdrawn_at, withdrawn.text);
    assert.equal((await admin.postOnce(`${V1}/rules`, { ...wanted, version: 'x', points_min: '0' })).status, 400);
  });

  test('a version without a value is in force after one with a value, until a later one has a value; for other currencies it stays', async () => {
    const { partnerId } = (await service.newPartner()).partner;
    const version = uniqueId('value');
    const insert = (n: number, starts: string, price: string | null) =>
      insertPrice(database, 'point_conversion', { partnerId, label: `${version}-${n}`, starts, price });
    const standings = async () => {
      const { rules } = (await viewer.get(`${V1}/rules?partner_id=${partnerId}&kind=point_conversion&sort=starts_at`)).body;
      return rules.map(({ standing }: { standing: string }) => standing);
    };
    await insert(1, '-9 days', '0.05');
    await insert(2, '-6 days', null);
    assert.deepEqual(await standings(), ['past', 'in_force']);
    await insert(3, '-3 days', '0.07');
    assert.deepEqual(await standings(), ['past', 'in_force', 'in_force']);
    const past = await viewer.get(`${V1}/rules.csv?partner_id=${partnerId}&standing=past`);
    assert.match(past.text, new RegExp(`,${version}-1,.*,past\n$`));
  });
});

test('an estimate with the steps of its calculation', async () => {
  const { calculation_id } = (await partner.client.estimate({ distance_km: '1' })).body.estimate;
  const { body } = await viewer.get(`${V1}/partners/${idOf()}/estimates/${calculation_id}`);
  assert.deepEqual(
    [body.estimate.raw_emissions_gco2e, body.calculation.steps[0].result, body.transaction_id],
    ['207.51', '207.51', null],
  );
  assert.equal(body.ends_at, body.estimate.expires_at);
  assert.equal((await viewer.get(`${V1}/partners/${idOf()}/estimates/calc_none`)).status, 404);
});

test('an estimate that its partner ended early is shown with that end', async () => {
  const { calculation_id, expires_at } = (await partner.client.estimate({ distance_km: '1' })).body.estimate;
  await endEstimateEarly(database.pool, { partnerId: idOf(), calculationId: calculation_id }, 60);
  const { body } = await viewer.get(`${V1}/partners/${idOf()}/estimates/${calculation_id}`);
  assert.equal(body.estimate.expires_at, expires_at);
  assert.ok(body.ends_at < body.estimate.calculated_at, body.ends_at);
});
