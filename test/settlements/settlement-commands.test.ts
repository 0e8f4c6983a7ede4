/** `partner-impact settlement` and `statement`; and what a superuser may do to their rows without being found: nothing. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sealRows } from '../../reliability/harness/seal-rows.ts';
import { type NamedKey, newNamedKey, writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import { chainValue } from '../../src/domain/settlements/statement/statement-chain.ts';
import { writeStatement } from '../../src/domain/settlements/statement/write-statement.ts';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { confirmPendingContribution } from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { listDisputeReplies } from '../../src/operations/settlements/reply-to-dispute.ts';
import { verifySettlements } from '../../src/operations/settlements/verify-settlements.ts';
import { allowLongStatements } from '../../src/store/query.ts';
import { eachSettlement, type Settlement } from '../../src/store/settlements/settlement.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { auditKeys, enrolled } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';
import { readDocument } from '../support/document-blocks.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { copyContributions, untilAllSequenced, untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { closeNow, linesOf, openFirst, sealKeys, tools } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Partners of which an operator decides on every contribution. */
const reviewed = new Set<string>();
const service = await testService({
  rulesOf: (partnerId) => ({ ...DEFAULT_RULES, reviewsEverything: reviewed.has(partnerId) }),
});
const { database } = service;
const { pool } = database;
const [ada, bea] = await enrolled(database, 'operator', 'approver');
const folder = temporaryFolder('statements');
const { run, runJson, runUnreadApart } = commandLine({
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: folder,
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
});

async function newPartner(closings = 0, confirmations = 3) {
  const { partner, client } = await service.newPartner();
  await openFirst(database, partner);
  const closed: Settlement[] = [];
  for (let count = 0; count < closings; count++) {
    for (let each = 0; each < confirmations; each++) await client.confirm();
    closed.push((await closeNow(database, partner.partnerId, tools('0.05'))).closed);
  }
  return { partnerId: partner.partnerId, client, closed };
}

/** Of the partner's first contribution, by two people. */
async function takeBack(partnerId: string, pointsDelta: bigint): Promise<void> {
  const { rows } = await pool.query('select transaction_id from contribution where partner_id = $1 order by 1 limit 1', [
    partnerId,
  ]);
  const why = { reasonCode: 'duplicate_report', reasonEn: 'Reported twice.', reasonAr: 'أُبلغ عنها مرتين.' };
  const wanted = { partnerId, transactionId: rows[0].transaction_id, ...why, pointsDelta, amountDelta: null, reversalOf: null };
  const prices = tools('0.05');
  const drafted = await draftAdjustment(database, ada, wanted, prices);
  const approved = await approveAdjustment(database, bea, drafted, prices);
  await postAdjustment(database, ada, approved, prices);
}

describe('settlement', HANG_LIMIT, () => {
  test('list, close and show, one JSON value each', async () => {
    const { partnerId, client } = await newPartner();
    await client.confirm({ points: 9_223_372_036_854_775_807n });
    const [open] = await runJson('settlement', 'list', '--partner', partnerId);
    assert.deepEqual([open.status, open.contribution_count], ['open', 1]);
    const closed = await runJson('settlement', 'close', '--partner', partnerId, '--settlement', open.settlement_id, '--yes');
    assert.deepEqual([closed.settlement_id, closed.status], [open.settlement_id, 'closed']);
    const shown = await run(['settlement', 'show', '--partner', partnerId, '--settlement', closed.settlement_id, '--json']);
    assert.match(shown.stdout, /"net_points":9223372036854775807,/);
    const list = await run(['settlement', 'list', '--partner', partnerId]);
    assert.match(list.stdout, /^status +closed$[\s\S]*^payable points +9223372036854775807$/m);
    const { rows } = await pool.query(
      "select operator_id, action, subject_id from audit_entry where partner_id = $1 and action like 'settlement.%'",
      [partnerId],
    );
    assert.deepEqual(rows, [{ operator_id: 'owner', action: 'settlement.close', subject_id: closed.settlement_id }]);
    assert.deepEqual(await runJson('settlement', 'verify', '--partner', partnerId), {
      ok: true,
      settlements: 2,
      lines: 1,
      problems: [],
    });
  });

  test('reply: records the words with who and when, while the partner disputes the settlement, and changes nothing else', async () => {
    const { partnerId, client, closed } = await newPartner(1, 1);
    const settlementId = closed[0]?.settlementId as string;
    const of = ['--partner', partnerId, '--settlement', settlementId];
    const reply = (text: string) => run(['settlement', 'reply', ...of, '--text', text, '--yes']);
    const early = await reply('Too early.');
    assert.deepEqual([early.code, early.stdout], [1, '']);
    assert.match(early.stderr, /The partner does not dispute this settlement\./);
    await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'disputed', note: 'Too much.' });
    const before = await runJson('settlement', 'show', ...of);
    const { code, stdout, stderr } = await reply('Order 1 is yours.\nOrder 2 is not.');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Recorded at .+\. The dispute stays open until the partner accepts the settlement\.$/m);
    const [entry] = await runJson('audit', 'list', '--subject', settlementId);
    assert.deepEqual([entry.action, entry.operator_id, entry.partner_id], ['dispute.reply', 'owner', partnerId]);
    const [kept] = await listDisputeReplies(pool, { partnerId, settlementId });
    assert.deepEqual([kept?.text, kept?.operatorId], ['Order 1 is yours.\nOrder 2 is not.', 'owner']);
    assert.deepEqual(await runJson('settlement', 'show', ...of), before);
    const asked = await run(['settlement', 'reply', ...of, '--text', 'Never mind.']);
    assert.deepEqual([asked.code, asked.stdout], [2, ''], 'a reply stays for good, so it is asked about');
    assert.match(
      asked.stderr,
      new RegExp(`settlement \\S+ \\(${settlementId}\\): "Never mind\\."\\? This cannot be undone\\. .*--yes`),
    );
    const { replied_at, ...told } = await runJson('settlement', 'reply', ...of, '--text', 'Order 2 neither.', '--yes');
    const [, last] = await listDisputeReplies(pool, { partnerId, settlementId });
    assert.deepEqual(
      [told, replied_at],
      [
        { partner_id: partnerId, settlement_id: settlementId, operator_id: 'owner', text: 'Order 2 neither.' },
        last?.repliedAt.toISOString(),
      ],
    );
  });

  test('attest: seals a contribution, and tells which', async () => {
    const { partnerId, client } = await newPartner(0, 0);
    const { transaction_id } = (await client.confirm()).body.contribution;
    const words = [
      'settlement',
      'attest',
      '--partner',
      partnerId,
      '--transaction',
      transaction_id,
      '--reason',
      'as in the backup',
    ];
    const { record, ...told } = await runJson(...words);
    assert.deepEqual(told, { partner_id: partnerId, transaction_id, attested: true });
    assert.equal(record.transaction_id, transaction_id);
    const { code, stdout, stderr } = await run(words);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, new RegExp(`^Attested and sealed: ${transaction_id}\\. The next closing settles it\\.`));
  });

  test('list and show: the three months of the partner guide, which add up', async () => {
    const { partner, client } = await service.newPartner();
    await openFirst(database, partner);
    const of = ['--partner', partner.partnerId];
    for (const [points, takenBack] of [
      [1_000, 0n],
      [400, -900n],
      [800, 0n],
    ] as const) {
      await client.confirm({ points });
      if (takenBack < 0n) await takeBack(partner.partnerId, takenBack);
      await closeNow(database, partner.partnerId, tools('0.05'));
    }
    const guide = readFileSync(new URL('../../docs/partner-guide.md', import.meta.url), 'utf8');
    const { stdout } = await run(['settlement', 'list', ...of]);
    // A row of so many figures is shown as fields.
    const rows = stdout
      .trim()
      .split('\n\n')
      .map((row) => row.split('\n').map((line) => line.split(/ {2,}/)[1]));
    const listed = rows.slice(1, 4).toReversed();
    for (const [index, month] of ['2026-11', '2026-12', '2027-01'].entries()) {
      const row = guide.split('\n').find((line) => line.startsWith(`| ${month} |`));
      assert.equal(row, `| ${[month, ...(listed[index] ?? []).slice(4, 12)].join(' | ')} |`, stdout);
    }
    const shown = await run(['settlement', 'show', ...of, '--settlement', String(listed[1]?.[0])]);
    assert.match(shown.stdout, /net points +-500\npayable points +0\ncarried out points +-500\n/);
    assert.match(shown.stdout, /net amount +-25\.00\npayable amount +0\.00\ncarried out amount +-25\.00\ncurrency +SAR\n/);
  });

  test('close --json: an error is one JSON line, and no progress stands before it', async () => {
    const { partnerId, client } = await newPartner(0, 0);
    const { transaction_id } = (await client.confirm()).body.contribution;
    await asSuperuser(pool, async (superuser) => {
      await superuser.query('update contribution set points = points + 1 where transaction_id = $1', [transaction_id]);
    });
    const words = ['settlement', 'close', '--partner', partnerId, '--yes'];
    const plain = await run(words);
    assert.match(plain.stderr, /^Closing: writing a line for each contribution …\n.+does not match its seal/);
    const { code, stdout, stderr } = await run([...words, '--json']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(JSON.parse(stderr).error.code, 'record_modified');
  });

  test('close asks first: without a terminal it says what to do, and closes nothing', async () => {
    const { partnerId } = await newPartner();
    const refused = await run(['settlement', 'close', '--partner', partnerId]);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /cannot be undone\. There is no terminal to ask on: repeat the command with --yes\./);
    assert.equal((await Array.fromAsync(eachSettlement(pool, partnerId))).length, 1);
  });

  test('close --yes closes the named settlement alone: repeated, or after the schedule closed it, it leaves the next open', async () => {
    const { partnerId, closed } = await newPartner(1);
    const close = (...words: string[]) => run(['settlement', 'close', '--partner', partnerId, '--yes', ...words]);
    const [open] = await runJson('settlement', 'list', '--partner', partnerId);
    const unnamed = await close();
    assert.deepEqual([unnamed.code, unnamed.stdout], [2, ''], unnamed.stderr);
    assert.match(
      unnamed.stderr,
      new RegExp(`was closed within the last hour, so --yes needs --settlement\\. The open one is ${open.settlement_id} \\(`),
    );
    const { settlementId } = closed[0] as Settlement;
    const again = await close('--settlement', settlementId);
    assert.deepEqual([again.code, again.stdout], [1, ''], again.stderr);
    assert.match(again.stderr, new RegExp(`The settlement ${settlementId} \\(.+\\) is closed already\\.`));
    const [still] = await runJson('settlement', 'list', '--partner', partnerId);
    assert.deepEqual([still.settlement_id, still.status], [open.settlement_id, 'open']);
    const first = await newPartner();
    assert.equal(
      (await run(['settlement', 'close', '--partner', first.partnerId, '--yes'])).code,
      0,
      'none was closed before it',
    );
    assert.equal((await run(['settlement', 'close', '--partner', first.partnerId, '--yes'])).code, 2);
  });

  test('an unknown partner or settlement is told as such', async () => {
    const { partnerId } = await newPartner();
    assert.equal((await run(['settlement', 'close', '--partner', 'ptn_unknown1'])).code, 2);
    const of = ['--partner', partnerId, '--settlement', 'stl_unknown1'];
    const each = [
      ['settlement', 'show'],
      ['settlement', 'close', '--yes'],
      ['statement', 'download'],
      ['settlement', 'reply', '--text', 'no'],
    ];
    for (const command of each) {
      const unknown = await run([...command, ...of]);
      assert.match(
        unknown.stderr,
        /^The partner ptn_\w+ has no settlement stl_unknown1\. `settlement list --partner ID` shows all\.$/m,
      );
    }
  });
});

describe('statement', HANG_LIMIT, () => {
  test('download and verify; a changed file is named by its line', async () => {
    const { partnerId, closed } = await newPartner(2);
    const [, second] = closed as [Settlement, Settlement];
    const of = ['--partner', partnerId, '--settlement', second.settlementId];
    const file = join(folder, 'statement.csv');
    const written = await runJson('statement', 'download', ...of, '--output', file);
    assert.deepEqual([written.line_count, written.csv_sha256], [3, second.statement?.csvSha256]);
    const { stdout } = await run(['statement', 'download', ...of]);
    assert.equal(stdout, readFileSync(file, 'utf8'));
    assert.equal((await runJson('statement', 'verify', '--file', file, ...of)).ok, true);
    assert.equal((await runJson('statement', 'verify', '--file', file, '--sha256', written.csv_sha256)).ok, true);
    // The hash may be that of another settlement: a verdict would say nothing of the one that is named.
    for (const named of [of, ['--partner', partnerId], ['--settlement', second.settlementId]]) {
      const both = await run(['statement', 'verify', '--file', file, '--sha256', written.csv_sha256, ...named]);
      assert.deepEqual([both.code, both.stdout], [2, '']);
      assert.match(both.stderr, /^Give --partner and --settlement, or --sha256, not both/);
    }
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const there = join(folder, 'there.csv');
    writeFileSync(there, 'mine\n');
    chmodSync(there, 0o644);
    assert.equal(
      (await run(['statement', 'download', ...of, '--output', there])).code,
      2,
      'a file that is there is not replaced',
    );
    assert.equal(readFileSync(there, 'utf8'), 'mine\n', 'nor written to');
    assert.deepEqual(await runUnreadApart(['statement', 'download', ...of]), { code: 141, stderr: '' }, 'nobody reads it');
    const changed = join(folder, 'changed.csv');
    writeFileSync(changed, stdout.replace('\n2,contribution', '\n3,contribution'));
    const verdict = await run(['statement', 'verify', '--file', changed, ...of]);
    assert.equal(verdict.code, 1);
    assert.match(verdict.stdout, /^line 3, column line_no: Line 3 of the settlement is in the place of line 2/);
  });
});

test(
  'a download whose lines were changed in the database is refused and leaves no file; restored, it can be repeated',
  HANG_LIMIT,
  async () => {
    const { partnerId, closed } = await newPartner(2);
    const [, second] = closed as [Settlement, Settlement];
    const { settlementId } = second;
    const of = ['statement', 'download', '--partner', partnerId, '--settlement', settlementId];
    const file = join(folder, 'differs.csv');
    const setPoints = (points: string) =>
      tamper(`update settlement_line set points = points ${points} where settlement_id = $1 and line_no = 2`, [settlementId]);
    await setPoints('+ 1');
    const refused = await run([...of, '--output', file, '--json']);
    assert.deepEqual([refused.code, refused.stdout, existsSync(file)], [1, '', false]);
    assert.match(refused.stderr, /differ from the statement .*`settlement verify --partner/s);
    const printed = await run(of);
    assert.deepEqual([printed.code, /differ from the statement/.test(printed.stderr)], [1, true]);
    const guarded = await run([...of, '--output', file, '--excel-safe']);
    assert.deepEqual([guarded.code, guarded.stdout, existsSync(file)], [1, '', false], 'an edited line in the excel_safe form');
    await setPoints('- 1');
    const moveLast = (from: string, to: string) =>
      tamper('update settlement_line set settlement_id = $2 where settlement_id = $1 and line_no = 3', [from, to]);
    await moveLast(settlementId, 'stl_of_nobody');
    const short = await run([...of, '--output', file, '--excel-safe']);
    assert.deepEqual([short.code, existsSync(file)], [1, false]);
    await moveLast('stl_of_nobody', settlementId);
    assert.equal((await runJson(...of, '--output', file)).csv_sha256, second.statement?.csvSha256);
  },
);

async function tamper(text: string, values: unknown[]): Promise<void> {
  await asSuperuser(pool, async (client) => void (await client.query(text, values)));
}

/** What such a person would do next: all the plain hashes again, from that settlement on. */
async function rehash(partnerId: string): Promise<void> {
  let previous: { csv: string; chain: string } | undefined;
  for (const settlement of await Array.fromAsync(eachSettlement(pool, partnerId))) {
    if (settlement.status === 'open') continue;
    const lines = (await linesOf(database, settlement)).map((line, index) => ({ ...line, lineNo: index + 1 }));
    const bytes = Buffer.concat(await Array.fromAsync(writeStatement(lines)));
    const csv = createHash('sha256').update(bytes).digest('hex');
    const chain = chainValue(previous?.chain ?? null, csv);
    await tamper(
      `update settlement set csv_sha256 = $2, csv_bytes = $3, line_count = $4, previous_csv_sha256 = $5, chain_sha256 = $6 where settlement_id = $1`,
      [settlement.settlementId, csv, bytes.length, lines.length, previous?.csv ?? null, chain],
    );
    previous = { csv, chain };
  }
}

async function sealOf({ settlementId }: Settlement): Promise<string | null> {
  return (await pool.query('select seal from settlement where settlement_id = $1', [settlementId])).rows[0].seal;
}

describe(
  'settlement verify finds what a superuser changed, with all plain hashes made again, and names the row',
  HANG_LIMIT,
  () => {
    const verdictOn = async (partnerId: string) =>
      (await verifySettlements(database, partnerId, sealKeys)).problems.map(
        ({ sequence, lineNo, code }) => `${sequence ?? '-'} ${lineNo ?? '-'} ${code}`,
      );

    test('nothing was changed', async () => {
      const { partnerId } = await newPartner(3);
      assert.deepEqual(await verdictOn(partnerId), []);
    });

    const of2 =
      'partner_id = $1 and settlement_id = (select settlement_id from settlement where partner_id = $1 and sequence = 2)';
    const cases: [what: string, text: string, expected: RegExp][] = [
      [
        'the points of a line',
        `update settlement_line set points = points - 1 where ${of2} and line_no = 2`,
        /^2 2 line_changed$/,
      ],
      ['the amount of a line', `update settlement_line set amount = 1 where ${of2} and line_no = 3`, /^2 3 line_changed$/],
      [
        'a reference in a line',
        `update settlement_line set partner_order_ref = 'x' where ${of2} and line_no = 1`,
        /^2 1 line_changed$/,
      ],
      ['a line in the middle that is removed', `delete from settlement_line where ${of2} and line_no = 2`, /^2 2 line_missing$/],
      [
        'the last line that is removed',
        `delete from settlement_line where ${of2} and line_no = 3`,
        /^2 -? ?.*(?:wrong_seal|line_missing)$/,
      ],
      [
        'two lines that change places',
        `update settlement_line set line_no = case when line_no = 1 then -2 else -1 end where ${of2} and line_no < 3`,
        /^2 1 line_changed$/,
      ],
      ['the total of a settlement', `update settlement set net_points = 1 where ${of2}`, /^2 - wrong_seal$/],
      ['the period of a settlement', `update settlement set period_label = 'x' where ${of2}`, /^2 - wrong_seal$/],
      [
        'the watermark of the open one',
        `update settlement set follows_event = 99 where partner_id = $1 and status = 'open'`,
        /^4 - wrong_seal$/,
      ],
      ['a settlement that is removed', `delete from settlement where ${of2}`, /^3 - sequence_gap$/],
      ['a proof that is removed', `delete from settlement_line_proof where ${of2}`, /^2 1 line_changed$/],
    ];
    for (const [what, text, expected] of cases) {
      test(what, async () => {
        const { partnerId } = await newPartner(3);
        await tamper(text, [partnerId]);
        await tamper('update settlement_line set line_no = -line_no where partner_id = $1 and line_no < 0', [partnerId]);
        await rehash(partnerId);
        const found = await verdictOn(partnerId);
        assert.ok(
          found.some((problem) => expected.test(problem)),
          JSON.stringify(found),
        );
      });
    }

    test('under the next key what an older one sealed is verified as before; without that key its seal is told as such', async () => {
      const { partnerId } = await newPartner(1);
      const [old, next] = [auditKeys(), [newNamedKey('next')]];
      const { closed } = await closeNow(database, partnerId, { ...tools(), ...openSealKeys(() => [...next, ...old]) });
      assert.match((await sealOf(closed)) ?? '', /^next\.[0-9a-f]{64}$/);
      const codesUnder = async (keys: readonly NamedKey[]) =>
        (
          await verifySettlements(
            database,
            partnerId,
            openSealKeys(() => keys),
          )
        ).problems.map(({ sequence, code }) => `${sequence} ${code}`);
      assert.deepEqual(await codesUnder([...next, ...old]), []);
      assert.deepEqual(await codesUnder(next), ['1 unknown_key']);
      assert.deepEqual(await codesUnder(old), ['2 unknown_key', '3 unknown_key']);
    });

    test('the last settlement that is taken back: the one before is opened again', async () => {
      const { partnerId } = await newPartner(3);
      await tamper(
        'delete from settlement_line where partner_id = $1 and settlement_id = (select settlement_id from settlement where partner_id = $1 and sequence = 3)',
        [partnerId],
      );
      await tamper('delete from settlement where partner_id = $1 and sequence = 3', [partnerId]);
      await tamper('update settlement set sequence = 3, period_start = period_start where partner_id = $1 and sequence = 4', [
        partnerId,
      ]);
      assert.ok((await verdictOn(partnerId)).includes('3 - wrong_seal'));
    });

    test('a contribution that an operator confirmed: found by its event, and missed without its line', async () => {
      const { partnerId, client } = await newPartner();
      reviewed.add(partnerId);
      const { transaction_id: transactionId, status } = (await client.confirm()).body.contribution;
      assert.equal(status, 'pending');
      await confirmPendingContribution(database, ada, { partnerId, transactionId }, 'known customer');
      await untilAllSequenced(database, partnerId);
      assert.deepEqual(await verdictOn(partnerId), []);
      await closeNow(database, partnerId);
      assert.deepEqual(await verdictOn(partnerId), []);
      await tamper('delete from settlement_line where partner_id = $1', [partnerId]);
      assert.ok((await verdictOn(partnerId)).includes('- - not_settled'));
    });

    test('a contribution that was taken off its line, and out of reach of every closing', async () => {
      const { partnerId, client } = await newPartner();
      await client.confirm();
      await untilSequenced(database, partnerId, 2);
      await closeNow(database, partnerId);
      await tamper('delete from settlement_line where partner_id = $1', [partnerId]);
      assert.ok((await verdictOn(partnerId)).includes('- - not_settled'));
    });
  },
);

describe('settlement verify compares with the records that were settled', HANG_LIMIT, () => {
  const problemsOf = async (partnerId: string) =>
    (await verifySettlements(database, partnerId, sealKeys)).problems.map(({ lineNo, code, message }) => ({
      lineNo,
      code,
      message,
    }));

  /** One settlement of four contributions, the second with an estimate; and their ids by line. */
  async function settled() {
    const { partnerId, client } = await newPartner();
    await client.confirm();
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    await client.confirm({ partner_order_ref, calculation_id });
    await client.confirm();
    await client.confirm();
    const { closed } = await closeNow(database, partnerId, tools('0.05'));
    const lines = await linesOf(database, closed);
    return { partnerId, client, closed, ids: lines.map(({ transactionId }) => transactionId as string) };
  }

  const edits: [what: string, line: number, text: string, expected: RegExp][] = [
    ['points', 3, 'update contribution set points = 999 where transaction_id = $1', /points is 999, but the line has 250/],
    [
      'status',
      1,
      "update contribution set status = 'failed', first_status = 'pending', failed_at = confirmed_at, confirmed_at = null, failure_reason = 'x' where transaction_id = $1",
      /status is "failed", but the line has "confirmed"; confirmed_at is null, but the line has "20/,
    ],
    [
      'order',
      4,
      "update contribution set partner_order_ref = e'\\u202ex' where transaction_id = $1",
      /partner_order_ref is "\\u\{202e\}x", but/,
    ],
    [
      'version',
      1,
      "update contribution set point_conversion_version = 'x' where transaction_id = $1",
      /point_conversion_version is "x", but the line has "default-1"/,
    ],
    ['link', 2, "update emissions_link set calculation_id = 'x' where transaction_id = $1", /calculation_id is "x", but/],
    ['link that is removed', 2, 'delete from emissions_link where transaction_id = $1', /calculation_id is null, but/],
  ];
  for (const [what, lineNo, text, expected] of edits) {
    test(`a contribution's ${what}: the line, the transaction and both values are named`, async () => {
      const { partnerId, ids } = await settled();
      assert.deepEqual(await problemsOf(partnerId), []);
      const id = ids[lineNo - 1] as string;
      await tamper(text, [id]);
      const [problem, ...more] = await problemsOf(partnerId);
      assert.deepEqual([problem?.lineNo, problem?.code, more], [lineNo, 'contribution_changed', []]);
      assert.match(problem?.message ?? '', new RegExp(`^The contribution ${id} `));
      assert.match(problem?.message ?? '', expected);
    });
  }

  test('docs/operating.md shows the words of such a difference', async () => {
    const { partnerId, ids } = await settled();
    await tamper('update contribution set points = 999 where transaction_id = $1', [ids[2]]);
    const [problem] = await problemsOf(partnerId);
    const shown = (problem?.message ?? '').replace(/txn_\w+/, 'txn_…');
    assert.ok(readDocument('docs/operating.md').includes(`  ${shown}\n`), shown);
  });

  test('a contribution that is removed; the first of a settlement is named, and how many more there are', async () => {
    const { partnerId, ids } = await settled();
    await tamper('delete from contribution where transaction_id = $1', [ids[2]]);
    assert.deepEqual(await problemsOf(partnerId), [
      { lineNo: 3, code: 'contribution_removed', message: `The contribution ${ids[2]} of line 3 was removed.` },
    ]);
    await tamper('update contribution set points = 1 where transaction_id = any($1)', [[ids[0], ids[3]]]);
    const [problem, ...more] = await problemsOf(partnerId);
    assert.deepEqual([problem?.lineNo, problem?.code, more], [1, 'contribution_changed', []]);
    assert.match(problem?.message ?? '', /^The contribution .* 2 more contributions of this settlement differ\.$/);
  });

  test('of more lines than are compared at once, the last', async () => {
    const { partner, client } = await service.newPartner();
    await openFirst(database, partner);
    await client.confirm();
    await copyContributions(pool, partner.partnerId, { first: 1, last: 1500 });
    const copies = Array.from({ length: 1500 }, (_, index) => `txn_copy-${index + 1}`);
    await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await allowLongStatements(db, { timeoutMs: 60_000 });
      await sealRows({ ...database, pool: db as unknown as typeof database.pool }, partner.partnerId, copies);
    });
    const candidates =
      'insert into settlement_candidate (partner_id, transaction_id) select partner_id, transaction_id from contribution';
    await pool.query(`${candidates} where partner_id = $1 and transaction_id like 'txn_copy-%'`, [partner.partnerId]);
    await closeNow(database, partner.partnerId, tools(), new Date(Date.now() + 60_000));
    assert.deepEqual(await problemsOf(partner.partnerId), []);
    await tamper("update contribution set points = 7 where partner_id = $1 and transaction_id = 'txn_copy-1500'", [
      partner.partnerId,
    ]);
    const [problem] = await problemsOf(partner.partnerId);
    assert.deepEqual([problem?.lineNo, problem?.code], [1501, 'contribution_changed']);
  });

  const said: [what: string, text: string, expected: [code: string, message: RegExp][]][] = [
    [
      'reference',
      "update settlement_acknowledgement set reference = 'payment-2' where settlement_id = $1 and status = 'accepted'",
      [['acknowledgement_changed', /^The acknowledgement "accepted": reference is "payment-2", but "payment-1" was recorded\.$/]],
    ],
    [
      'time',
      "update settlement_acknowledgement set acknowledged_at = '2026-01-01' where settlement_id = $1 and status = 'disputed'",
      [['acknowledgement_changed', /^The acknowledgement "disputed": acknowledged_at is "2026-01-01T00:00:00.000Z", but "20/]],
    ],
    [
      'key',
      "update settlement_acknowledgement set idempotency_key = 'other' where settlement_id = $1 and status = 'disputed'",
      [['acknowledgement_changed', /: idempotency_key is "other", but "/]],
    ],
    [
      'settlement',
      "update settlement_acknowledgement set settlement_id = 'stl_other' where settlement_id = $1 and status = 'disputed'",
      [['acknowledgement_removed', /^The acknowledgement "disputed" was recorded, but the row was removed\.$/]],
    ],
    [
      'removal',
      "delete from settlement_acknowledgement where settlement_id = $1 and status = 'accepted'",
      [['acknowledgement_removed', /^The acknowledgement "accepted" was recorded, but the row was removed\.$/]],
    ],
  ];
  for (const [what, text, expected] of said) {
    test(`an acknowledgement's ${what}, with both values`, async () => {
      const { partnerId, client, closed } = await settled();
      const path = `/v1/settlements/${closed.settlementId}/acknowledgement`;
      assert.equal((await client.post(path, { status: 'disputed', note: 'Which "order"?' })).status, 201);
      assert.equal((await client.post(path, { status: 'accepted', reference: 'payment-1' })).status, 201);
      assert.deepEqual(await problemsOf(partnerId), []);
      await tamper(text, [closed.settlementId]);
      const found = await problemsOf(partnerId);
      assert.deepEqual(
        found.map(({ code }) => code),
        expected.map(([code]) => code),
      );
      for (const [index, [, message]] of expected.entries()) assert.match(found[index]?.message ?? '', message);
    });
  }

  test('an acknowledgement that nobody gave', async () => {
    const { partnerId, closed } = await settled();
    await tamper(
      `insert into settlement_acknowledgement (partner_id, settlement_id, status, idempotency_key, fingerprint, acknowledged_at)
        values ($1, $2, 'accepted', 'key', sha256('x'), now())`,
      [partnerId, closed.settlementId],
    );
    const [problem, ...more] = await problemsOf(partnerId);
    assert.deepEqual([problem?.code, more], ['acknowledgement_unrecorded', []]);
    assert.match(problem?.message ?? '', /^The acknowledgement "accepted" is not in the audit/);
  });
});
