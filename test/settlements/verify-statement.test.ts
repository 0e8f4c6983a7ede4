/** `partner-impact statement verify`: settlements, section 2, Statement. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type ClosedSettlement, verifyStatementFile } from '../../src/operations/settlements/verify-statement-file.ts';
import type { Settlement } from '../../src/store/settlements/settlement.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst, tools } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testService();
const { database } = service;
const folder = temporaryFolder('verify');
const { run, runJson } = commandLine({ DATABASE_URL: service.databaseUrl, DATA_DIR: folder });
async function newPartner() {
  const { partner, client } = await service.newPartner();
  await openFirst(database, partner);
  const close = async (points: readonly number[]): Promise<Settlement> => {
    for (const each of points) await client.confirm({ points: each, partner_order_ref: `00-${uniqueId('order')}` });
    return (await closeNow(database, partner.partnerId, tools('0.05'))).closed;
  };
  const textOf = async ({ settlementId }: Settlement, query = '') =>
    (await client.call(`/v1/settlements/${settlementId}/statement.csv${query}`)).text;
  return { partnerId: partner.partnerId, close, textOf };
}

const nameOf = ({ partnerId, settlementId }: Settlement) => ['--partner', partnerId, '--settlement', settlementId];

/** What a text is, beside a settlement of the database or beside its hash alone. */
async function verify(text: string, beside: readonly string[]) {
  const file = join(folder, uniqueId('file'));
  writeFileSync(file, text);
  const { code, stdout } = await run(['statement', 'verify', '--file', file, ...beside]);
  const { code: jsonCode, stdout: json } = await run(['statement', 'verify', '--file', file, ...beside, '--json']);
  assert.equal(jsonCode, code);
  const { ok, form, problems } = JSON.parse(json);
  assert.equal(ok, code === 0);
  return {
    code,
    form,
    lines: stdout.trimEnd().split('\n'),
    codes: problems.map((problem: Record<string, unknown>) => problem.code),
  };
}

test(
  'a changed line is named with its column: two that cancel out, a changed reference, a removed line',
  HANG_LIMIT,
  async () => {
    const { close, textOf } = await newPartner();
    const closed = await close([250, 100, 30]);
    const text = await textOf(closed);
    const beside = nameOf(closed);
    const cancelled = await verify(text.replace(',250,', ',251,').replace(',100,', ',99,'), beside);
    assert.equal(cancelled.code, 1);
    assert.deepEqual(cancelled.lines.slice(0, 2), [
      'line 2, column points: The file has "251", but the service wrote "250".',
      'line 3, column points: The file has "99", but the service wrote "100".',
    ]);
    const [, , , last] = text.split('\n') as [string, string, string, string];
    const reference = last.split(',')[5] as string;
    const changed = await verify(text.replace(reference, 'x'), beside);
    assert.equal(changed.lines[0], `line 4, column partner_order_ref: The file has "x", but the service wrote "${reference}".`);
    assert.match(changed.lines[1] as string, /^The SHA-256 of the file is /);
    const removed = await verify(text.replace(/\n2,.*/, ''), beside);
    assert.deepEqual(
      [removed.lines[0], removed.codes],
      ['line 3: Line 2 of the statement: missing in the file.', ['line_missing', 'other_sha256']],
    );
  },
);

test(
  'an excel_safe file is known for what it is, with its settlement and with the hash alone; a changed line of it is named',
  HANG_LIMIT,
  async () => {
    const { close, textOf } = await newPartner();
    const closed = await close([250, 100, 30]);
    const safe = await textOf(closed, '?excel_safe=true');
    assert.notEqual(safe, await textOf(closed));
    for (const beside of [nameOf(closed), ['--sha256', closed.statement?.csvSha256 as string]]) {
      const { code, form, lines } = await verify(safe, beside);
      assert.deepEqual([code, form], [0, 'excel_safe']);
      assert.match(lines[0] as string, /^The file is the statement in its excel_safe form, every line unchanged: 3 lines/);
    }
    const changed = await verify(safe.replace(',100,', ',101,'), nameOf(closed));
    assert.equal(changed.lines[0], 'line 3, column points: The file has "101", but the service wrote "100".');
    const bare = await verify(safe.replace("'00-", '00-'), nameOf(closed));
    assert.match(bare.lines[0] as string, /^line 2, column partner_order_ref: The file has "00-/);
  },
);

test(
  "another settlement's file is known for what it is, also another partner's, also where it was changed",
  HANG_LIMIT,
  async () => {
    const [one, other] = [await newPartner(), await newPartner()];
    const [first, second] = [await one.close([250, 100]), await one.close([30])];
    const theirs = await other.close([7]);
    const beside = nameOf(first);
    const label = ({ settlementId, period }: Settlement) => `${settlementId} (${period.label})`;
    const mine = `The file is the statement of another settlement: ${label(second)}.`;
    const foreign = `The file is the statement of another settlement: ${label(theirs)} of the partner ${theirs.partnerId}.`;
    for (const query of ['', '?excel_safe=true']) {
      assert.deepEqual((await verify(await one.textOf(second, query), beside)).lines, [`${mine} It is unchanged.`]);
      assert.deepEqual((await verify(await other.textOf(theirs, query), beside)).lines, [`${foreign} It is unchanged.`]);
    }
    const changed = 'It was changed: compare it with that settlement.';
    assert.deepEqual((await verify((await one.textOf(second)).replace(',30,', ',31,'), beside)).lines, [`${mine} ${changed}`]);
    assert.deepEqual((await verify((await other.textOf(theirs)).replace(',7,', ',8,'), beside)).lines, [`${foreign} ${changed}`]);
  },
);

test("another partner's file is found with as many statements, however many partners there are", HANG_LIMIT, async () => {
  const one = await newPartner();
  const own = (await one.close([250])) as ClosedSettlement;
  const count = async () => {
    const other = await newPartner();
    const changed = (await other.textOf(await other.close([7]))).replace(',7,', ',8,');
    const { counted, sent } = countingDatabase(database);
    const open = () => Readable.from([Buffer.from(changed)]);
    const { problems } = await verifyStatementFile(counted.pool, own, open);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['other_settlement'],
    );
    return sent.values().reduce((sum, times) => sum + times, 0);
  };
  const before = await count();
  for (let partner = 0; partner < 5; partner++) await service.newPartner();
  assert.equal(await count(), before);
});

test('the hash alone names what no statement can have, and the help says so', HANG_LIMIT, async () => {
  const { close, textOf } = await newPartner();
  const closed = await close([250]);
  const text = await textOf(closed);
  const beside = ['--sha256', closed.statement?.csvSha256 as string];
  assert.deepEqual((await verify(text.replace(',250,', ',0250,'), beside)).codes, ['wrong_form', 'other_sha256']);
  assert.deepEqual((await verify(text.replace(',250,', ',251,'), beside)).codes, ['other_sha256']);
  const help = (await run(['statement', 'verify', '--help'])).stdout.replaceAll(/\s+/g, ' ');
  assert.match(help, /With a settlement of the database, report each line that differs; with only a hash, report lines that no/);
});

test("where the service's own lines were changed, the file that was made before is not blamed alone", HANG_LIMIT, async () => {
  const { partnerId, close, textOf } = await newPartner();
  const closed = await close([250, 100]);
  const text = await textOf(closed);
  await asSuperuser(database.pool, async (client) => {
    await client.query('update settlement_line set points = 251 where partner_id = $1 and line_no = 1', [partnerId]);
  });
  assert.equal((await verify(text, nameOf(closed))).code, 0, 'the hash of the closing decides');
  const now = await verify(await textOf(closed), nameOf(closed));
  assert.deepEqual([now.code, now.codes.includes('service_lines_changed')], [1, true]);
});

test('what is no regular file, or no statement at all, is told as such', HANG_LIMIT, async () => {
  const { close } = await newPartner();
  const closed = await close([250]);
  const refused = await run(['statement', 'verify', '--file', folder, ...nameOf(closed)]);
  assert.deepEqual([refused.code, /must be a regular file/.test(refused.stderr)], [2, true]);
  assert.deepEqual((await verify('a,b\n1,2\n', nameOf(closed))).codes, ['wrong_header', 'other_sha256']);
  assert.deepEqual((await verify('', nameOf(closed))).codes, ['wrong_header', 'other_sha256']);
  const json = await runJson('statement', 'download', ...nameOf(closed), '--output', join(folder, 'kept.csv'));
  assert.equal(json.line_count, 1);
});
