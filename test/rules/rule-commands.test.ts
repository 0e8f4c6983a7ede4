/** The commands `rule`, `review`, `failure` and what `partner` says of settlements. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { createRule, withdrawRule } from '../../src/operations/rules/manage-rule.ts';
import { hadApiKeyWithin, listApiKeys } from '../../src/store/access/api-key.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { auditKeys, OWNER, signedIn } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { insertPendingAged } from '../support/records.ts';
import { insertContributionRule, insertPrice } from '../support/rules.ts';
import { OPEN_RATES, testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
const { run, runJson } = commandLine({ DATABASE_URL: service.databaseUrl });
const admin = signedIn('admin');

/** What is under way, on each node where there are several. */
const ACTIVITY = process.env['TEST_ENGINE'] === 'citus' ? 'citus_stat_activity' : 'pg_stat_activity';

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const contributionRule = ['--kind', 'contribution_rule'];

describe('rule', () => {
  test('a version of each kind, its numbers exact', async () => {
    const { partner_id } = await runJson('partner', 'create', '--name', 'Ruled', '--currency', 'SAR');
    const startsAt = inMinutes(60);
    const own = ['--partner', partner_id, '--starts-at', startsAt];
    const bounds = [
      '--points-min',
      '10',
      '--points-max',
      '9223372036854775807',
      '--review-threshold',
      '5000',
      '--review-everything',
    ];
    const rule = await run(['rule', 'create', ...contributionRule, '--label', 'own-bounds', ...own, ...bounds, '--json']);
    assert.match(rule.stdout, /"points_max":9223372036854775807,/);
    const value = await runJson(
      'rule',
      'create',
      '--kind',
      'point_conversion',
      '--label',
      'own-value',
      ...own,
      '--point-value',
      '0.050',
      '--currency',
      'SAR',
    );
    assert.deepEqual(
      [value.point_value, value.currency, value.starts_at, value.partner_id],
      ['0.05', 'SAR', startsAt, partner_id],
    );
    const cost = await runJson(
      'rule',
      'create',
      '--kind',
      'tree_cost',
      '--label',
      'own-cost',
      ...own,
      '--tree-cost',
      '12.000000000001',
      '--currency',
      'SAR',
    );
    assert.equal(cost.tree_cost, '12.000000000001');
    assert.deepEqual(await runJson('rule', 'show', '--kind', 'tree_cost', '--label', 'own-cost'), cost);
    const listed = await runJson('rule', 'list', '--partner', partner_id);
    assert.deepEqual(
      listed.map(({ version }: { version: string }) => version),
      ['own-bounds', 'own-value', 'own-cost'],
    );
    assert.match(
      (await run(['rule', 'list'])).stdout.replaceAll(/\s+/g, ' '),
      /contribution_rule own-bounds to come .*points min 10, .*reviews everything yes/,
    );
  });

  test('without a start it begins as soon as every process knows it', async () => {
    const { partner } = await service.newPartner();
    const before = Date.now();
    const rule = await runJson(
      'rule',
      'create',
      ...contributionRule,
      '--label',
      'soon',
      '--partner',
      partner.partnerId,
      '--points-max',
      '5',
    );
    assert.ok(Date.parse(rule.starts_at) >= before + 59_000);
    assert.deepEqual([rule.points_min, rule.points_max, rule.review_threshold], [1, 5, null]);
  });

  test('a start on a day that does not exist is refused', async () => {
    const { code, stderr } = await run([
      'rule',
      'create',
      ...contributionRule,
      '--label',
      'x',
      '--starts-at',
      '2031-02-30T00:00:00Z',
    ]);
    assert.equal(code, 2);
    assert.match(stderr, /--starts-at.*must be a time with its zone/);
  });

  test('all problems at once, each with what must be, and nothing is kept', async () => {
    const wrong = [
      '--label',
      'a b',
      '--starts-at',
      inMinutes(0.5),
      '--points-min',
      'ten',
      '--points-max',
      '0',
      '--tree-cost',
      '5',
    ];
    const { code, stdout, stderr } = await run(['rule', 'create', ...contributionRule, ...wrong]);
    assert.deepEqual([code, stdout], [2, '']);
    for (const sentence of [
      /- tree_cost must be left out: it belongs to tree_cost, not to contribution_rule\./,
      /- points_min must be a whole number/,
      /- version must be a label/,
      /- starts_at must be .* or later, so that every process has it in time\./,
      /- points_max must be a whole number/,
    ])
      assert.match(stderr, sentence);
    assert.ok((await runJson('rule', 'list')).every(({ version }: { version: string }) => version !== 'a b'));
  });

  test("a value in another currency than the partner's is refused, and one where none is fixed", async () => {
    const { partner_id } = await runJson('partner', 'create', '--name', 'No currency');
    const value = [
      '--kind',
      'point_conversion',
      '--label',
      uniqueId('value'),
      '--partner',
      partner_id,
      '--point-value',
      '1',
      '--currency',
      'SAR',
    ];
    assert.match((await run(['rule', 'create', ...value])).stderr, /currency must be set for the partner/);
    assert.equal((await runJson('partner', 'change', '--partner', partner_id, '--currency', 'AED')).currency, 'AED');
    assert.match((await run(['rule', 'create', ...value])).stderr, /currency must be AED, the currency of the partner/);
  });

  test('is in the currency that the partner has when it is made, also while the currency changes', async () => {
    const { partnerId } = await createPartner(database, OWNER, 'Changing', { ...OPEN_RATES, currency: 'SAR' });
    const value = { kind: 'point_conversion', version: uniqueId('value'), partnerId, pointValue: '1', currency: 'SAR' } as const;
    const changing = await database.pool.connect();
    try {
      await changing.query('begin');
      await changing.query("update partner set currency = 'AED' where partner_id = $1", [partnerId]);
      let isMade = false;
      const made = createRule(database, admin, value).finally(() => {
        isMade = true;
      });
      const refused = assert.rejects(made, /currency must be AED, the currency of the partner/);
      const waits = `select from ${ACTIVITY} where datname = current_database() and wait_event_type = 'Lock' and query like '%from partner%'`;
      await waitFor('rule that waits for the partner', async () => isMade || (await database.pool.query(waits)).rowCount === 1);
      await changing.query('commit');
      await refused;
    } finally {
      changing.release();
    }
  });

  test('a label means one version, also when many operators make it at once', async () => {
    const request = { kind: 'tree_cost', version: uniqueId('once') } as const;
    const made = Array.from({ length: 10 }, () => createRule(database, admin, request));
    const outcomes = await Promise.allSettled(made);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.match(outcome.reason.message, /a label that no other version of this kind has/);
  });

  test('withdrawn: it never starts, its start is free again, its label is not', async () => {
    const startsAt = inMinutes(30);
    const create = (label: string) => run(['rule', 'create', ...contributionRule, '--label', label, '--starts-at', startsAt]);
    assert.equal((await create('mistaken')).code, 0);
    assert.match((await create('corrected')).stderr, /another version of this kind for the same partners starts then/);
    const asked = await run(['rule', 'withdraw', ...contributionRule, '--label', 'mistaken']);
    assert.deepEqual([asked.code, asked.stdout], [2, '']);
    assert.match(asked.stderr, /repeat the command with --yes/);
    assert.ok((await runJson('rule', 'withdraw', ...contributionRule, '--label', 'mistaken', '--yes')).withdrawn_at);
    assert.match(
      (await run(['rule', 'withdraw', ...contributionRule, '--label', 'mistaken', '--yes'])).stderr,
      /is already withdrawn\. Nothing was changed\.$/m,
    );
    assert.equal((await create('corrected')).code, 0);
    assert.match((await create('mistaken')).stderr, /a label that no other version of this kind has/);
  });

  test('what has started is not withdrawn', async () => {
    const { partner } = await service.newPartner();
    const label = await insertContributionRule(database, { partnerId: partner.partnerId });
    const { code, stderr } = await run(['rule', 'withdraw', ...contributionRule, '--label', label, '--yes']);
    assert.deepEqual([code, /has started, or starts within a minute/.test(stderr)], [1, true], stderr);
  });

  test('rules are for admins, and each change is audited', async () => {
    const request = { kind: 'tree_cost', version: uniqueId('audited'), startsAt: new Date(inMinutes(45)) } as const;
    for (const role of ['viewer', 'operator', 'approver'] as const) {
      await assert.rejects(createRule(database, signedIn(role), request), { code: 'forbidden' });
      await assert.rejects(withdrawRule(database, signedIn(role), request), { code: 'forbidden' });
    }
    await createRule(database, admin, request);
    await withdrawRule(database, admin, request);
    const { rows } = await database.pool.query(
      'select action, operator_id from audit_entry where subject_id = $1 order by entry_no',
      [`tree_cost/${request.version}`],
    );
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['rule.create', 'rule.withdraw'],
    );
    assert.ok(rows.every(({ operator_id }) => operator_id === admin.operatorId));
  });
});

describe('partner', () => {
  test('currency and time zone are shown, in the spelling of the IANA database', async () => {
    const made = await runJson('partner', 'create', '--name', 'Zoned', '--currency', 'EGP', '--time-zone', 'africa/cairo');
    assert.deepEqual([made.currency, made.time_zone], ['EGP', 'Africa/Cairo']);
    const { bytes_per_day, lists_per_day, stored_bytes_today, lists_today, ...shown } = await runJson(
      ...['partner', 'show', '--partner', made.partner_id],
    );
    assert.deepEqual(shown, made);
    assert.deepEqual([bytes_per_day, lists_per_day, stored_bytes_today, lists_today], [2_147_483_648, 100, 0, 0]);
    assert.match((await run(['partner', 'list'])).stdout, /Zoned .* EGP +Africa\/Cairo/);
    const plain = await runJson('partner', 'create', '--name', 'Plain');
    assert.deepEqual([plain.currency, plain.time_zone], [null, 'Asia/Riyadh']);
  });

  test('both problems at once, and nothing to change is a mistake', async () => {
    const { code, stderr } = await run(['partner', 'create', '--name', 'x', '--currency', 'sar', '--time-zone', '+03:00']);
    assert.equal(code, 2);
    assert.match(stderr, /currency must be .*time_zone must be/);
    assert.equal((await run(['partner', 'change', '--partner', 'ptn_x'])).code, 2);
  });

  test('they are fixed once a contribution rests on them', async () => {
    const { client, partner } = await service.newPartner();
    await client.confirm();
    const change = ['partner', 'change', '--partner', partner.partnerId];
    assert.equal((await runJson(...change, '--currency', 'SAR')).currency, 'SAR');
    for (const terms of [
      ['--currency', 'AED'],
      ['--time-zone', 'Asia/Dubai'],
    ])
      assert.match((await run([...change, ...terms])).stderr, /are fixed, because contributions or rules depend on them/);
  });
});

describe('another currency or time zone of a partner', () => {
  const setCurrency = (partnerId: string, currency: string) =>
    run(['partner', 'change', '--partner', partnerId, '--currency', currency]);
  const setZone = (partnerId: string, zone: string) => run(['partner', 'change', '--partner', partnerId, '--time-zone', zone]);
  const keyOf = async (partnerId: string) => (await listApiKeys(database.pool, partnerId))[0]?.keyId as string;
  /** The time of the database's clock, moved: so long ago the key ended. */
  const endedAgo = async (partnerId: string, ended: 'revoked_at' | 'expires_at', seconds: number) =>
    database.pool.query(`update api_key set ${ended} = now() - make_interval(secs => $2) where key_id = $1`, [
      await keyOf(partnerId),
      seconds,
    ]);

  test('is refused while a process may be recording in the old one, which a key lets it; the first is set at any time', async () => {
    const { partner } = await service.newPartner();
    const { partnerId } = partner;
    const refused = /may be recording contributions in SAR\. Revoke its keys, wait 30 seconds, change the currency, and then/;
    assert.equal((await setCurrency(partnerId, 'SAR')).code, 0);
    assert.match((await setCurrency(partnerId, 'KWD')).stderr, refused);
    assert.equal((await setCurrency(partnerId, 'SAR')).code, 0, 'the same currency is no change');
    assert.equal((await runJson('partner', 'show', '--partner', partnerId)).currency, 'SAR');
    await endedAgo(partnerId, 'revoked_at', 31);
    assert.match((await setCurrency(partnerId, 'KWD')).stdout, /KWD/);
  });

  test('is refused while a process may be counting by the days of the old zone, which a key lets it', async () => {
    const { partner } = await service.newPartner({ timeZone: 'Asia/Riyadh' });
    const { partnerId } = partner;
    const refused =
      /may be recording contributions by the days of Asia\/Riyadh\. Revoke its keys, wait 30 seconds, change the time zone, and then/;
    assert.match((await setZone(partnerId, 'Asia/Dubai')).stderr, refused);
    assert.equal((await setZone(partnerId, 'Asia/Riyadh')).code, 0, 'the same zone is no change');
    await setCurrency(partnerId, 'SAR');
    const both = await run(['partner', 'change', '--partner', partnerId, '--currency', 'KWD', '--time-zone', 'Asia/Dubai']);
    assert.match(both.stderr, /in SAR and by the days of Asia\/Riyadh\. .* change the currency and the time zone, and then/);
    await endedAgo(partnerId, 'revoked_at', 31);
    assert.match((await setZone(partnerId, 'Asia/Dubai')).stdout, /Asia\/Dubai/);
  });

  test('is refused for a key that expires', async () => {
    const { partner } = await service.newPartner();
    const { partnerId } = partner;
    await setCurrency(partnerId, 'SAR');
    // Later than now, so that no slow command comes after the 30 seconds.
    await endedAgo(partnerId, 'expires_at', -600);
    assert.equal((await setCurrency(partnerId, 'KWD')).code, 1);
    await endedAgo(partnerId, 'expires_at', 31);
    for (const [seconds, had] of [
      [3_600, true],
      [30, false],
    ] as const)
      assert.equal(await hadApiKeyWithin(database.pool, partnerId, seconds), had, String(seconds));
    assert.equal((await setCurrency(partnerId, 'KWD')).code, 0);
  });
});

describe('review', () => {
  test('list, show, confirm and fail, which asks first', async () => {
    const { partner, client } = await service.newPartner();
    const { partnerId } = partner;
    const { pool } = database;
    await client.confirm();
    const ids = (await Promise.all(['first', 'second'].map((order) => insertPending(partnerId, order)))).sort();
    const listed = await runJson('review', 'list', '--partner', partnerId);
    assert.deepEqual(
      listed
        .map(({ transaction_id, review_reason, age_seconds }: Record<string, unknown>) => [
          transaction_id,
          review_reason,
          Number(age_seconds) > 7_000,
        ])
        // Of those that began at the same moment either may be the first.
        .sort(),
      ids.map((id) => [id, 'reviews_everything', true]),
    );
    assert.match((await run(['review', 'list', '--partner', partnerId])).stdout, /all are reviewed +2 h 0 min/);
    const of = (id: string | undefined) => ['--partner', partnerId, '--transaction', id as string];
    const confirmed = await runJson('review', 'confirm', ...of(ids[0]), '--reason', 'known', '--yes');
    assert.deepEqual([confirmed.status, confirmed.resolved_by, confirmed.reason], ['confirmed', 'owner', 'known']);
    const asked = await run(['review', 'fail', ...of(ids[1]), '--reason', 'unknown']);
    assert.deepEqual([asked.code, /--yes/.test(asked.stderr)], [2, true]);
    const failed = await runJson('review', 'fail', ...of(ids[1]), '--reason', 'unknown', '--yes');
    assert.deepEqual([failed.status, failed.reason], ['failed', 'unknown']);
    const shown = await runJson('review', 'show', ...of(ids[1]));
    assert.deepEqual({ ...shown, age_seconds: 0 }, { ...failed, age_seconds: 0 });
    assert.match((await run(['review', 'confirm', ...of(ids[1]), '--reason', 'x', '--yes'])).stderr, /is failed, which is final/);
    assert.deepEqual(await runJson('review', 'list', '--partner', partnerId), []);
    assert.equal(
      (await pool.query("select 1 from audit_entry where partner_id = $1 and action like 'review.%'", [partnerId])).rows.length,
      2,
    );
  });
});

test('doctor warns of default-1 in production, until each partner is under rules that were set', async () => {
  const { databaseUrl } = await emptyDatabase();
  await migrate(databaseUrl);
  const production = openDatabase({ databaseUrl, poolSize: 2, auditKeys });
  after(() => production.close());
  const env = {
    DATABASE_URL: databaseUrl,
    SERVICE_ENVIRONMENT: 'production',
    SECRETS_KEY: `k:${Buffer.alloc(32).toString('base64')}`,
    AUDIT_KEY: `k:${Buffer.alloc(32).toString('base64')}`,
  };
  const rules = async () => {
    const { stdout } = await run(['doctor', '--json'], env);
    return JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === 'rules');
  };
  assert.match((await rules()).message, /^there is no partner yet\. default-1 applies to a partner without rules: /);
  const partner = await createPartner(production, OWNER, 'In production', { currency: 'SAR' });
  const warning = await rules();
  assert.equal(warning.verdict, 'warning');
  assert.match(
    warning.message,
    new RegExp(`default-1 applies .${partner.partnerId}: contribution_rule, point_conversion, tree_cost`),
  );
  await insertContributionRule(production, {});
  await insertPrice(production, 'tree_cost', { partnerId: partner.partnerId, label: 'cost', starts: '-1 day', price: null });
  assert.match((await rules()).message, new RegExp(`.${partner.partnerId}: point_conversion.:`));
  await insertPrice(production, 'point_conversion', {
    partnerId: partner.partnerId,
    label: 'value',
    starts: '-1 day',
    price: '0.05',
  });
  assert.equal((await rules()).verdict, 'ok');
});

describe('failure', () => {
  test('takes two who are signed in: the owner of the machine is told to sign in, and nothing is drafted', async () => {
    const { partner } = await service.newPartner();
    const { partner_event_id, partner_order_ref } = newConfirmation();
    const of = ['--partner', partner.partnerId];
    const event = [
      ...of,
      '--partner-event-id',
      partner_event_id,
      '--order',
      partner_order_ref,
      '--points',
      '250',
      '--reason',
      'never stored',
    ];
    const { code, stdout, stderr } = await run(['failure', 'draft', ...event]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /needs four eyes.*npx partner-impact login/);
    assert.deepEqual(await runJson('failure', 'list', ...of), []);
    assert.equal((await run(['failure', 'approve', ...of, '--failure', 'fail_unknown'])).code, 2);
    assert.match(
      (await run(['failure', 'approve', ...of, '--failure', 'fail_unknown', '--yes'])).stderr,
      /needs four eyes.*npx partner-impact login/,
    );
  });
});

function insertPending(partnerId: string, partnerOrderRef: string): Promise<string> {
  return insertPendingAged(database, { partnerId, partnerOrderRef, age: '2 hours' });
}
