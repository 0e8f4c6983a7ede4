/** What a superuser edits before a settlement closes is never sealed as true: settlements, section 5. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newNamedKey, writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { changeSettlementPolicy, createPartner } from '../../src/operations/access/manage-partner.ts';
import { sealContributions } from '../../src/operations/audit/seal-contributions.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import type { PartnersLeftError } from '../../src/operations/for-each-partner.ts';
import { openRuleCache } from '../../src/operations/rules/rule-cache.ts';
import { doubtsUnderAudit, pricesUnderRules } from '../../src/operations/rules/rule-prices.ts';
import { closeDueSettlements, type DueOptions } from '../../src/operations/settlements/close-due-settlements.ts';
import { RefusedClosings } from '../../src/operations/settlements/refused-closings.ts';
import { verifySettlements } from '../../src/operations/settlements/verify-settlements.ts';
import { attestContribution, attestRule } from '../../src/operations/verification/attest.ts';
import { openDatabase } from '../../src/store/database.ts';
import { findOpenSettlement } from '../../src/store/settlements/settlement.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { listBlocks } from '../support/document-blocks.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { insertPendingAged, untilSequenced } from '../support/records.ts';
import { insertPrice } from '../support/rules.ts';
import { testService } from '../support/service.ts';
import { actor, closeNow, closeRegularly, getOpen, linesOf, openFirst, sealKeys, tools } from '../support/settlements.ts';

const PUT_BACK = listBlocks().find(({ text }) => text.includes('alter table contribution disable trigger user'))?.text ?? '';
const service = await testService();
const { database } = service;
const ON_ONE_SERVER = { skip: database.isDistributed && 'the statements are those of one PostgreSQL' };
/** A partner with contributions that no settlement has closed over, in the order of their confirmation. */
async function newPartner(confirmations = 2) {
  const { partner, client } = await service.newPartner();
  await openFirst(database, partner);
  const ids: string[] = [];
  for (let each = 0; each < confirmations; each++) ids.push((await client.confirm()).body.contribution.transaction_id);
  return { partner, partnerId: partner.partnerId, client, ids };
}

async function tamper(text: string, values: unknown[]): Promise<void> {
  await asSuperuser(database.pool, async (client) => void (await client.query(text, values)));
}

async function problemsOf(partnerId: string): Promise<string[]> {
  return (await verifySettlements(database, partnerId, sealKeys)).problems.map(({ code, message }) => `${code}: ${message}`);
}

/** Nothing is closed, and both the closing and the verification name the row. */
async function assertRefused(partnerId: string, id: string, closing = () => closeRegularly(database, partnerId)): Promise<void> {
  const open = await getOpen(database, partnerId);
  await assert.rejects(closing, (error: Error) => {
    assert.equal(error.name, 'UnverifiedRecordError');
    assert.match(error.message, new RegExp(`${id}[^0-9A-Za-z][^]*partner-impact verify\``));
    return true;
  });
  assert.deepEqual(await getOpen(database, partnerId), open);
  const { rows } = await database.pool.query('select count(*) from settlement_line where partner_id = $1', [partnerId]);
  assert.equal(rows[0].count, 0n);
  const problems = await problemsOf(partnerId);
  assert.ok(
    problems.some((problem) => problem.includes(id)),
    JSON.stringify(problems),
  );
}

describe(
  'a contribution that is edited before its settlement closes: nothing is closed, and the row is named',
  HANG_LIMIT,
  () => {
    const edits: [column: string, text: string][] = [
      ['idempotency_key', "idempotency_key = 'other'"],
      ['fingerprint', 'fingerprint = sha256(fingerprint)'],
      ['partner_event_id', "partner_event_id = 'event-of-another'"],
      ['partner_order_ref', "partner_order_ref = 'order-of-another'"],
      ['points', 'points = points + 1'],
      ['opaque_customer_ref', "opaque_customer_ref = 'customer'"],
      [
        'status',
        "status = 'failed', failed_at = confirmed_at, confirmed_at = null, failure_reason = 'x', first_status = 'pending'",
      ],
      ['status, back to pending', "status = 'pending', confirmed_at = null, first_status = 'pending'"],
      ['first_status', "first_status = 'pending'"],
      ['contribution_rule_version', "contribution_rule_version = 'x'"],
      ['point_conversion_version', "point_conversion_version = 'x'"],
      ['tree_cost_version', "tree_cost_version = 'x'"],
      ['summary_en', "summary_en = 'x'"],
      ['summary_ar', "summary_ar = 'x'"],
      ['calculation_id', "calculation_id = 'calc-of-another'"],
      ['association_outcome', "association_outcome = 'rejected', rejection_code = 'estimate_not_found'"],
      ['failure_reason', "failure_reason = 'x'"],
      ['created_at', "created_at = created_at - interval '1 ms'"],
      ['confirmed_at', "confirmed_at = confirmed_at - interval '1 ms'"],
      ['confirmed_at, after the end of the period', "confirmed_at = '9999-12-31'"],
      ['failed_at', 'failed_at = confirmed_at, status = status'],
      ['correlation_id', "correlation_id = 'corr-of-another'"],
      ['seal', 'seal = sha256(seal)'],
      ['seal, removed', 'seal = null, seal_key = null'],
      ['seal_key', "seal_key = 'another'"],
    ];
    for (const [column, set] of edits) {
      test(column, async () => {
        const { partnerId, ids } = await newPartner();
        const [, id = ''] = ids;
        // What the table itself refuses of a superuser's edit is dropped first, as a superuser can.
        await withoutChecks(() =>
          tamper(`update contribution set ${set} where partner_id = $1 and transaction_id = $2`, [partnerId, id]),
        );
        await assertRefused(partnerId, id);
      });
    }

    test('two edits that cancel out', async () => {
      const { partnerId, ids } = await newPartner();
      const text = 'update contribution set points = points + $3 where partner_id = $1 and transaction_id = $2';
      await tamper(text, [partnerId, ids[0], 5]);
      await tamper(text, [partnerId, ids[1], -5]);
      await assertRefused(partnerId, ids[0] as string);
    });

    test('the seals of two rows that are exchanged', async () => {
      const { partnerId, ids } = await newPartner();
      const text = `update contribution c set seal = (select seal from contribution o where o.partner_id = $1 and o.transaction_id = $3)
      where partner_id = $1 and transaction_id = $2`;
      await tamper(`${text.replace('$3)', '$3)')}`, [partnerId, ids[0], ids[1]]);
      await assertRefused(partnerId, ids[0] as string);
    });

    const copy = (set: Record<string, string>) => `insert into contribution select (r).* from (
      select jsonb_populate_record(c, jsonb_build_object(${Object.entries(set).flat().join(', ')})) as r
      from contribution c where partner_id = $1 and transaction_id = $2) as copied`;
    const candidate = 'insert into settlement_candidate (partner_id, transaction_id) values ($1, $2)';

    test('a row that is copied to another partner', async () => {
      const from = await newPartner(1);
      const to = await newPartner(0);
      const [id = ''] = from.ids;
      await tamper(copy({ "'partner_id'": '$3::text' }), [from.partnerId, id, to.partnerId]);
      await tamper(candidate, [to.partnerId, id]);
      await assertRefused(to.partnerId, id);
      assert.equal((await closeRegularly(database, from.partnerId)).closed.totals?.contributionCount, 1n);
    });

    test('a row that is inserted by SQL, with its event and without a seal', async () => {
      const { partnerId, ids } = await newPartner(1);
      const id = uniqueId('txn');
      const values = {
        "'transaction_id'": '$3::text',
        "'idempotency_key'": '$3',
        "'partner_event_id'": '$3',
        "'partner_order_ref'": '$3',
      };
      await tamper(copy({ ...values, "'seal'": 'null', "'seal_key'": 'null' }), [partnerId, ids[0], id]);
      await tamper(
        `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at)
        values ($1, 'evt_' || substr($2, 5), 'impact.transaction.confirmed', $2, now())`,
        [partnerId, id],
      );
      await assertRefused(partnerId, id);
    });

    test('a row that is removed, and its event is there', async () => {
      const { partnerId, ids } = await newPartner();
      const [id = ''] = ids;
      await untilSequenced(database, partnerId, 3);
      await tamper('delete from contribution where partner_id = $1 and transaction_id = $2', [partnerId, id]);
      await assert.rejects(closeRegularly(database, partnerId), new RegExp(`${id} was removed`));
      assert.ok(
        (await problemsOf(partnerId)).some((problem) => problem.startsWith(`contribution_removed: The contribution ${id}`)),
      );
    });

    test('put back as it was, the settlement closes', async () => {
      const { partnerId, ids } = await newPartner();
      const text = 'update contribution set points = points + $3 where partner_id = $1 and transaction_id = $2';
      await tamper(text, [partnerId, ids[0], 1]);
      await assertRefused(partnerId, ids[0] as string);
      await tamper(text, [partnerId, ids[0], -1]);
      assert.equal((await closeRegularly(database, partnerId)).closed.totals?.contributionCount, 2n);
      assert.deepEqual(await problemsOf(partnerId), []);
    });

    test('put back by the statements of docs/operating.md, the settlement closes', ON_ONE_SERVER, async () => {
      const { partnerId, ids } = await newPartner();
      const [id = ''] = ids;
      await tamper('update contribution set points = 999 where partner_id = $1 and transaction_id = $2', [partnerId, id]);
      const restored = PUT_BACK.replace('ptn_…', partnerId).replace('txn_…', id);
      const plain = /^ *update .*;$/m.exec(restored)?.[0] ?? '';
      await assert.rejects(database.pool.query(plain), /does not go from confirmed to confirmed/);
      await database.pool.query(restored);
      assert.equal((await closeRegularly(database, partnerId)).closed.totals?.contributionCount, 2n);
      assert.deepEqual(await problemsOf(partnerId), []);
      await assert.rejects(database.pool.query(plain.replace('250', '251')), /does not go from confirmed to confirmed/);
    });

    test('the schedule closes the settlements of all other partners, and says which row it is', async () => {
      const edited = await newPartner();
      const [id = ''] = edited.ids;
      const other = await newPartner();
      await tamper('update contribution set points = 9 where partner_id = $1 and transaction_id = $2', [edited.partnerId, id]);
      const now = new Date((await getOpen(database, other.partnerId)).period.endsAt.getTime() + 600_000);
      const { signal } = new AbortController();
      await assert.rejects(
        closeDueSettlements(database, actor('admin'), tools(), { signal, now }),
        /of [0-9]+ partners? .*The first: The contribution txn_/,
      );
      assert.equal((await getOpen(database, other.partnerId)).sequence, 2n);
      assert.equal((await getOpen(database, edited.partnerId)).sequence, 1n);
    });

    test('the schedule does not write its lines again and again, and still says which row it is', async () => {
      const { partnerId, ids } = await newPartner();
      const [id = ''] = ids;
      const text = 'update contribution set points = points + $3 where partner_id = $1 and transaction_id = $2';
      await tamper(text, [partnerId, id, 1]);
      const { counted, sent } = countingDatabase(database);
      const refused = new RefusedClosings(Number.POSITIVE_INFINITY);
      const { signal } = new AbortController();
      const now = new Date((await getOpen(database, partnerId)).period.endsAt.getTime() + 600_000);
      const closeDue = (over: Partial<DueOptions> = {}) =>
        closeDueSettlements(counted, actor('admin'), tools(), { signal, now, refused, ...over });
      const assertNamed = (closing: Promise<unknown>) =>
        assert.rejects(closing, ({ partnerIds, errors }: PartnersLeftError) => {
          assert.ok(partnerIds.has(partnerId));
          return errors.some(({ message }) => message.includes(id));
        });
      await assertNamed(closeDue());
      const countWritten = () =>
        sent.entries().reduce((sum, [text, times]) => sum + (/into settlement_line\b/.test(text) ? times : 0), 0);
      const written = countWritten();
      assert.ok(written > 0);
      await assertNamed(closeDue());
      assert.equal(countWritten(), written);
      await tamper(text, [partnerId, id, -1]);
      await assertNamed(closeDue());
      await closeDue({ refused: undefined }).catch(() => {});
      assert.equal((await getOpen(database, partnerId)).sequence, 2n);
    });

    test('a settlement that was refused is left alone only itself: the next one of the partner is closed', async () => {
      const { partnerId, ids } = await newPartner();
      const text = 'update contribution set points = points + $3 where partner_id = $1 and transaction_id = $2';
      await tamper(text, [partnerId, ids[0], 1]);
      const refused = new RefusedClosings(Number.POSITIVE_INFINITY);
      const { signal } = new AbortController();
      const { endsAt } = (await getOpen(database, partnerId)).period;
      const closeDue = (now: Date) =>
        closeDueSettlements(database, actor('admin'), tools(), { signal, now, refused }).catch(() => {});
      await closeDue(new Date(endsAt.getTime() + 600_000));
      await tamper(text, [partnerId, ids[0], -1]);
      await closeRegularly(database, partnerId);
      await closeDue(new Date(endsAt.getTime() + 32 * 86_400_000));
      assert.equal((await getOpen(database, partnerId)).sequence, 3n);
    });
  },
);

describe('a pending contribution', HANG_LIMIT, () => {
  test('that is confirmed or failed is sealed anew, and settled', async () => {
    const { partnerId } = await newPartner(0);
    const pending = () => insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '1 hour' });
    const [confirmed, failed] = [await pending(), await pending()];
    await confirmPendingContribution(database, OWNER, { partnerId, transactionId: confirmed }, 'looked at');
    await failPendingContribution(database, OWNER, { partnerId, transactionId: failed }, 'looked at by شجرة');
    assert.deepEqual(await problemsOf(partnerId), []);
    const { closed } = await closeRegularly(database, partnerId, { ...tools(), doubtsOf: () => async () => undefined });
    assert.deepEqual(
      (await linesOf(database, closed)).map(({ transactionId }) => transactionId),
      [confirmed],
    );
    assert.deepEqual(await problemsOf(partnerId), []);
  });

  test('that was edited is neither confirmed nor failed: its points might be restored for another event', async () => {
    const { partnerId } = await newPartner(0);
    const id = await insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '1 hour' });
    await tamper("update contribution set partner_event_id = 'event-of-another' where partner_id = $1 and transaction_id = $2", [
      partnerId,
      id,
    ]);
    const target = { partnerId, transactionId: id };
    for (const resolve of [confirmPendingContribution, failPendingContribution])
      await assert.rejects(resolve(database, OWNER, target, 'looked at'), new RegExp(`${id} does not match its seal`));
    const { rows } = await database.pool.query('select status from contribution where partner_id = $1', [partnerId]);
    assert.deepEqual(rows, [{ status: 'pending' }]);
  });
});

describe('what is settled', HANG_LIMIT, () => {
  test('settlement verify finds an edit of what no line repeats, association_outcome alone included', async () => {
    for (const set of [
      "association_outcome = 'rejected', rejection_code = 'estimate_expired'",
      "summary_ar = 'x'",
      "opaque_customer_ref = 'x'",
      'seal = null, seal_key = null',
    ]) {
      const { partnerId, ids } = await newPartner(1);
      await closeRegularly(database, partnerId);
      await tamper(`update contribution set ${set} where partner_id = $1`, [partnerId]);
      const [problem, ...more] = await problemsOf(partnerId);
      assert.match(problem ?? '', new RegExp(`^contribution_(changed|unsealed): The contribution ${ids[0]} `));
      assert.deepEqual(more, []);
    }
  });
});

describe('keys', HANG_LIMIT, () => {
  test('under the next key what an older one sealed is settled as before; without that key the closing names it', async () => {
    const { partnerId, ids } = await newPartner();
    const next = newNamedKey('next');
    const connect = (auditKeys: () => readonly ReturnType<typeof newNamedKey>[]) =>
      openDatabase({ databaseUrl: service.databaseUrl, poolSize: 2, auditKeys });
    const [renewed, forgetful] = [connect(() => [next, ...database.auditKeys()]), connect(() => [next])];
    try {
      await assert.rejects(
        closeRegularly(forgetful, partnerId),
        /sealed with the key "file-[0-9a-f]+", which is not in AUDIT_KEY/,
      );
      assert.equal((await closeRegularly(renewed, partnerId)).closed.totals?.contributionCount, BigInt(ids.length));
    } finally {
      await renewed.close();
      await forgetful.close();
    }
  });
});

describe('the value of a point, compared with the audit', HANG_LIMIT, () => {
  const real = { ...tools(), pricesOf: pricesUnderRules, doubtsOf: doubtsUnderAudit };

  /** A contribution under a version of its partner's own, which is worth 0.05 a point. */
  async function priced() {
    const { partner, client } = await service.newPartner();
    await openFirst(database, partner);
    const label = uniqueId('value');
    await changeSettlementPolicy(database, OWNER, partner.partnerId, { currency: 'SAR' });
    await insertPrice(database, 'point_conversion', { partnerId: partner.partnerId, label, starts: '-1 day', price: '0.05' });
    const { transaction_id } = (await client.confirm()).body.contribution;
    await relabel(partner.partnerId, transaction_id, label);
    return { partnerId: partner.partnerId, label, id: transaction_id as string };
  }

  /** The service reads rules every few seconds: the label is put on, and sealed, as if it had known the version. */
  async function relabel(partnerId: string, id: string, label: string): Promise<void> {
    const { sealRows } = await import('../../reliability/harness/seal-rows.ts');
    const text =
      'update contribution set point_conversion_version = $3, seal = null, seal_key = null where partner_id = $1 and transaction_id = $2';
    await tamper(text, [partnerId, id, label]);
    await sealRows(database, partnerId, [id]);
  }

  const edits: [what: string, text: string][] = [
    ['the value', "update rule_version set point_value = '0.5' where version = $1"],
    ['the currency', "update rule_version set currency = 'AED' where version = $1"],
    ['the partner', "update rule_version set partner_id = 'ptn_other' where version = $1"],
    ['the version, removed', 'delete from rule_version where version = $1'],
    ['its audit entry, removed', "delete from audit_entry where subject_id = 'point_conversion/' || $1"],
    [
      'its audit entry, edited alike',
      "update audit_entry set after_json = replace(after_json, '0.05', '0.5') where subject_id = 'point_conversion/' || $1",
    ],
  ];
  for (const [what, text] of edits) {
    test(`${what}: nothing is closed, and version and contribution are named`, async () => {
      const { partnerId, label, id } = await priced();
      await tamper(text, [label]);
      const open = await findOpenSettlement(database.pool, partnerId);
      await assert.rejects(closeRegularly(database, partnerId, real), (error: Error) => {
        assert.equal(error.name, 'UnverifiedRecordError');
        assert.match(error.message, new RegExp(`"${label}".* ${id} on line 1, differs from the audit`));
        return true;
      });
      assert.deepEqual(await findOpenSettlement(database.pool, partnerId), open);
    });
  }

  test('what an admin attests is used again, and the audit says who did', async () => {
    const { partnerId, label } = await priced();
    await tamper("update rule_version set point_value = '0.5' where version = $1", [label]);
    await assert.rejects(closeRegularly(database, partnerId, real));
    await tamper("update rule_version set point_value = '0.05' where version = $1", [label]);
    await tamper("update audit_entry set key_id = 'lost' where subject_id = 'point_conversion/' || $1", [label]);
    await assert.rejects(closeRegularly(database, partnerId, real), /key "lost"/);
    await attestRule(database, OWNER, { kind: 'point_conversion', version: label, reason: 'as the backup has it' });
    assert.equal((await closeRegularly(database, partnerId, real)).closed.totals?.amount, 12_500_000_000_000n);
  });

  test('as it was made, it prices', async () => {
    const { partnerId } = await priced();
    assert.equal((await closeRegularly(database, partnerId, real)).closed.totals?.amount, 12_500_000_000_000n);
  });

  test('rule verify and doctor name the version, and no contribution of the partner is confirmed under it', async () => {
    const { partnerId, label } = await priced();
    await tamper("update rule_version set point_value = '0.5' where version = $1", [label]);
    const { run } = commandLine({
      DATABASE_URL: service.databaseUrl,
      AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
    });
    const verified = await run(['rule', 'verify', '--json']);
    assert.equal(verified.code, 1);
    assert.match(
      verified.stdout,
      new RegExp(`"rule":"point_conversion/${label}","problem":"point_value differs from audit entry`),
    );
    assert.match(
      (await run(['doctor'])).stdout.replaceAll(/\s+/g, ' '),
      new RegExp(`point_conversion/${label} differs from the audit`),
    );
    const errors: unknown[] = [];
    let refused = 0;
    const book = openRuleCache(database, {
      onError: (error) => assert.fail(error as Error),
      onUnverified: (error) => errors.push(error),
      onRefused: () => refused++,
    });
    const rulesOf = async (currency: string | null) => book.rulesOf({ partnerId, currency }, performance.now());
    try {
      await assert.rejects(rulesOf('SAR'), { code: 'internal_service_unavailable' });
      // In another currency the version is not in force, and nothing is in doubt.
      assert.equal((await rulesOf('AED')).pointConversionVersion, 'default-1');
      assert.ok(errors.some((error) => String(error).includes(label)));
      assert.equal(refused, 1);
    } finally {
      book.close();
    }
  });

  test('a version by SQL under the label of the service itself prices nothing', async () => {
    const { partnerId } = await newPartner(1);
    await changeSettlementPolicy(database, OWNER, partnerId, { currency: 'SAR' });
    await tamper(
      `insert into rule_version (kind, version, partner_id, starts_at, point_value, currency, created_at)
        values ('point_conversion', 'default-1', $1, '2020-01-01', 9, 'SAR', '2020-01-01')`,
      [partnerId],
    );
    try {
      await assert.rejects(closeRegularly(database, partnerId, real), /"default-1".* differs from the audit/);
    } finally {
      await tamper("delete from rule_version where version = 'default-1'", []);
    }
  });
});

describe('rows from before contributions were sealed', HANG_LIMIT, () => {
  test('are sealed by the job as they stand, settled, and after its end refused', async () => {
    const rows: { partnerId: string; ids: string[] }[] = [];
    const upgraded = await testService({
      async prepare(prepared) {
        const partner = await createPartner(prepared, OWNER, 'From before');
        const { partnerId } = partner;
        const ids: string[] = [];
        for (const order of ['one', 'two', 'three'])
          ids.push(await insertPendingAged(prepared, { partnerId, partnerOrderRef: order, age: '1 hour' }));
        rows.push({ partnerId, ids });
        await unseal(prepared, ids);
      },
    });
    const [{ partnerId, ids } = { partnerId: '', ids: [] }] = rows;
    const [first = '', second = '', third = ''] = ids;
    const job = (now?: Date) => sealContributions(upgraded.database, OWNER, { signal: new AbortController().signal, now });
    assert.deepEqual(await job(), { sealed: 3 });
    assert.deepEqual(await job(), { sealed: 0 });
    // A process of the release before ends one without a seal of its own, and another is met by this one unsealed.
    const text = `update contribution set status = 'confirmed', confirmed_at = date_trunc('milliseconds', now()) where transaction_id = $1 returning seal`;
    assert.deepEqual((await upgraded.database.pool.query(text, [first])).rows, [{ seal: null }]);
    await unseal(upgraded.database, [second]);
    await confirmPendingContribution(upgraded.database, OWNER, { partnerId, transactionId: second }, 'looked at');
    await upgraded.database.pool.query('insert into settlement_candidate (partner_id, transaction_id) values ($1, $2)', [
      partnerId,
      first,
    ]);
    const { closed } = await closeNow(upgraded.database, partnerId);
    assert.equal(closed.totals?.contributionCount, 2n);
    assert.deepEqual((await verifySettlements(upgraded.database, partnerId, sealKeys)).problems, []);
    assert.deepEqual(await job(new Date(Date.now() + 7_200_000)), { sealed: 0 });
    await unseal(upgraded.database, [third]);
    assert.deepEqual(await job(), { sealed: 0 });
    await assert.rejects(
      confirmPendingContribution(upgraded.database, OWNER, { partnerId, transactionId: third }, 'looked at'),
      /has no seal/,
    );
  });

  test('while they are being sealed, the audit is verified for a row without a seal alone, and never in a transaction', async () => {
    const target = { partnerId: '', ids: [] as string[] };
    const upgraded = await testService({
      async prepare(prepared) {
        target.partnerId = (await createPartner(prepared, OWNER, 'From before')).partnerId;
        for (const order of ['one', 'two', 'three']) {
          const record = { partnerId: target.partnerId, partnerOrderRef: order, age: '1 hour' };
          target.ids.push(await insertPendingAged(prepared, record));
        }
        await unseal(prepared, target.ids.slice(2));
      },
    });
    const { partnerId, ids } = target;
    const [sealed = '', other = '', unsealed = ''] = ids;
    const verification = 'list_audit_entries_after';
    const sendsOf = async (work: (counted: typeof database) => Promise<unknown>) => {
      const { counted, sent } = countingDatabase(upgraded.database);
      await work(counted);
      return sent;
    };
    const confirm = (transactionId: string) => (counted: typeof database) =>
      confirmPendingContribution(counted, OWNER, { partnerId, transactionId }, 'looked at');
    assert.equal((await sendsOf(confirm(sealed))).get(verification), undefined);
    const fail = (counted: typeof database) => failPendingContribution(counted, OWNER, { partnerId, transactionId: other }, 'no');
    assert.equal((await sendsOf(fail)).get(verification), undefined);
    for (const sent of [await sendsOf(confirm(unsealed)), await sendsOf((counted) => closeNow(counted, partnerId))]) {
      assert.equal(sent.get(verification), 1);
      const order = [...sent.keys()];
      const begin = order.findIndex((text) => text.startsWith('begin'));
      assert.ok(order.indexOf(verification) < begin, JSON.stringify(order));
    }
  });

  test('nothing is sealed once more by removing the entry that says when it ended: the audit does not verify', async () => {
    const upgraded = await testService();
    const { partner, client } = await upgraded.newPartner();
    await openFirst(upgraded.database, partner);
    const id = (await client.confirm()).body.contribution.transaction_id;
    await unseal(upgraded.database, [id]);
    await asSuperuser(upgraded.database.pool, async (superuser) => {
      await superuser.query("delete from audit_entry where subject_id = 'contribution_seals'");
    });
    const { signal } = new AbortController();
    assert.deepEqual(await sealContributions(upgraded.database, OWNER, { signal }), { sealed: 0 });
    await assert.rejects(closeNow(upgraded.database, partner.partnerId), new RegExp(`${id} has no seal`));
    await attestContribution(
      upgraded.database,
      OWNER,
      { partnerId: partner.partnerId, transactionId: id },
      { reason: 'as the backup has it' },
    );
    assert.equal((await closeNow(upgraded.database, partner.partnerId)).closed.totals?.contributionCount, 1n);
  });
});

test('closings while contributions are confirmed and reviewed: no false alarm', HANG_LIMIT, async () => {
  const { partnerId, client } = await newPartner(0);
  const state = { isOver: false };
  const confirm = async () => {
    while (!state.isOver) await client.confirm();
  };
  const review = async () => {
    while (!state.isOver) {
      const id = await insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '1 minute' });
      await confirmPendingContribution(database, OWNER, { partnerId, transactionId: id }, 'looked at');
    }
  };
  const working = Promise.all([confirm(), confirm(), confirm(), review()]);
  try {
    for (let closing = 0; closing < 10; closing++) {
      await closeNow(database, partnerId);
      assert.deepEqual(await problemsOf(partnerId), []);
    }
  } finally {
    state.isOver = true;
    await working;
  }
  await closeNow(database, partnerId);
  assert.deepEqual(await problemsOf(partnerId), []);
});

async function unseal(at: typeof database, ids: readonly string[]): Promise<void> {
  await asSuperuser(at.pool, async (client) => {
    await client.query('update contribution set seal = null, seal_key = null where transaction_id = any($1)', [ids]);
  });
}

/** The checks of the table stand in the way of some edits; whoever owns it takes them away, and brings them back. */
async function withoutChecks(edit: () => Promise<void>): Promise<void> {
  const { rows } = await database.pool.query(
    "select conname, pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = 'contribution'::regclass and contype = 'c'",
  );
  await database.pool.query(rows.map(({ conname }) => `alter table contribution drop constraint ${conname}`).join('; '));
  await edit();
  await database.pool.query(
    rows
      .map(({ conname, definition }) => `alter table contribution add constraint ${conname} ${definition} not valid`)
      .join('; '),
  );
}
