/** `partner-impact project` and `impact-batch`, by people who are signed in. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createWriteStream, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hashFile } from '../../src/commands/terminal/hash-file.ts';
import type { Role } from '../../src/domain/access/role.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine, signInOn } from '../support/command-line.ts';
import { needsTerminal, onTerminal } from '../support/commands/on-terminal.ts';
import { withClosed } from '../support/environment.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testService();
const folder = temporaryFolder('evidence');
const settings = { DATABASE_URL: service.databaseUrl, XDG_CONFIG_HOME: join(folder, 'nobody') };
const owner = commandLine(settings);
const { run, runJson } = owner;

const signIn = (name: string, role: Role) =>
  signInOn(owner, commandLine({ ...settings, XDG_CONFIG_HOME: join(folder, name) }), { name, role });

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
test('from a project to a verified batch, one JSON value each, with files of Arabic names', HANG_LIMIT, async () => {
  const [one, two] = [await withClosed(service, 1, 1), await withClosed(service, 1)];
  const [ada, bea] = [await signIn('ada', 'operator'), await signIn('bea', 'approver')];
  const names = ['--name-en', 'Palms', '--name-ar', 'غابة «النخيل»'];
  const project = await ada.runJson('project', 'create', ...names, '--country', 'SA');
  assert.deepEqual((await ada.runJson('project', 'list'))[0].name_ar, 'غابة «النخيل»');
  const { impact_batch_id: id } = await ada.runJson('impact-batch', 'create', '--name', 'نوفمبر', '--trees', '12');
  const batch = ['--batch', id];
  const add = await ada.run([
    'impact-batch',
    'add',
    ...batch,
    '--period',
    one.closed[0]?.period.label as string,
    '--yes',
    '--json',
  ]);
  assert.equal(add.code, 0, add.stderr);
  const added = JSON.parse(add.stdout);
  assert.deepEqual([added.partners, added.settlements, added.contributions], [2, 3, 3]);
  assert.match(
    add.stderr,
    new RegExp(
      `${one.partnerId}: in the batch with 2 contributions\n[\\s\\S]*${two.partnerId}: in the batch with 1 contribution\n`,
    ),
  );
  const advance = (who: typeof ada, to: string, ...more: string[]) =>
    who.runJson('impact-batch', 'advance', ...batch, '--to', to, '--yes', ...more);
  assert.equal((await advance(ada, 'allocated', '--project', project.project_id)).project_id, project.project_id);
  const delayed = await ada.runJson('impact-batch', 'delay', ...batch, '--expected', '2027-Q2', '--reason', 'أمطار', '--yes');
  assert.deepEqual([delayed.expected_delivery_period, delayed.changes.at(-1).reason], ['2027-Q2', 'أمطار']);
  for (const to of ['funded', 'in_progress', 'delivered']) await advance(ada, to);
  const file = join(folder, 'صورة من الجبيل.jpg');
  writeFileSync(file, 'bytes of a photo');
  const about = ['--type', 'photo', '--url', 'https://example.org/1.jpg', '--captured-at', '2026-01-02T03:04:05Z'];
  const proven = await ada.runJson('impact-batch', 'add-evidence', ...batch, '--file', file, ...about, '--yes');
  const [{ file_name, sha256: hash, byte_count }] = proven.evidence;
  assert.deepEqual([file_name, hash, byte_count], ['صورة من الجبيل.jpg', sha256('bytes of a photo'), 16]);
  const verified = await advance(bea, 'verified');
  assert.deepEqual([verified.status, verified.changes.length], ['verified', 7]);
  assert.notEqual(verified.verified_by, verified.delivered_by);
  const shownBatch = (await run(['impact-batch', 'show', ...batch])).stdout.replaceAll(/\s+/g, ' ');
  assert.match(shownBatch, /verified.*صورة من الجبيل\.jpg.*أمطار/);
  assert.equal((await runJson('impact-batch', 'list'))[0].impact_batch_id, id);
  assert.deepEqual(await runJson('impact-batch', 'verify'), { ok: true, batches: 1, projects: 1, problems: [] });
  assert.equal((await runJson('audit', 'verify')).ok ?? true, true);

  const check = (path: string) => run(['impact-batch', 'check-evidence', ...batch, '--file', path, '--json']);
  const same = await check(file);
  assert.deepEqual([same.code, JSON.parse(same.stdout).evidence_no], [0, 1]);
  writeFileSync(file, 'bytes of a photO');
  const other = await check(file);
  assert.deepEqual([other.code, JSON.parse(other.stdout).ok], [1, false]);
  const told = await run(['impact-batch', 'check-evidence', ...batch, '--file', file]);
  assert.match(told.stdout, /has the name of evidence 1 but other bytes/);

  await asSuperuser(service.database.pool, async (client) => {
    await client.query('update impact_batch set quantity = 13 where impact_batch_id = $1', [id]);
  });
  const found = await run(['impact-batch', 'verify']);
  assert.equal(found.code, 1);
  assert.match(found.stdout, new RegExp(`${id} +quantity`));
});

describe('what it refuses', HANG_LIMIT, () => {
  test('without --yes and without a terminal nothing is told to partners', async () => {
    const partner = await withClosed(service, 1);
    const { impact_batch_id: id } = await runJson('impact-batch', 'create', '--name', 'Asked', '--trees', '1');
    const settlement = ['--partner', partner.partnerId, '--settlement', partner.closed[0]?.settlementId as string];
    for (const words of [
      ['add', ...settlement],
      ['advance', '--to', 'allocated', '--project', 'project_x'],
    ]) {
      const { code, stderr } = await run(['impact-batch', ...words, '--batch', id]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /cannot be undone.*--yes/);
    }
    assert.equal((await runJson('impact-batch', 'show', '--batch', id)).settlements, 0);
    assert.equal((await run(['impact-batch', 'create', '--name', 'x', '--trees', '9223372036854775808'])).code, 2);
    assert.equal((await run(['impact-batch', 'create', '--name', 'x', '--trees', '-1'])).code, 2);
  });
});

describe('a change of a batch is of what the operator has seen', HANG_LIMIT, () => {
  const newProject = async (): Promise<string> => {
    const project = ['--name-en', 'Mangroves', '--name-ar', 'أشجار', '--country', 'SA'];
    return (await runJson('project', 'create', ...project)).project_id;
  };
  async function newClosed(): Promise<string[]> {
    const { partnerId, closed } = await withClosed(service, 1);
    return ['--partner', partnerId, '--settlement', closed[0]?.settlementId as string];
  }
  async function newRecorded(name: string): Promise<string[]> {
    const { impact_batch_id: id } = await runJson('impact-batch', 'create', '--name', name, '--trees', '12000');
    await runJson('impact-batch', 'add', '--batch', id, ...(await newClosed()), '--yes');
    return ['--batch', id];
  }
  async function newAllocated(name: string): Promise<string[]> {
    const batch = await newRecorded(name);
    await runJson('impact-batch', 'advance', ...batch, '--to', 'allocated', '--project', await newProject(), '--yes');
    return batch;
  }
  const correct = (batch: readonly string[], trees: string, ...more: string[]) =>
    run(['impact-batch', 'correct', ...batch, '--trees', trees, '--yes', '--json', ...more]);

  test('the question names trees and project, and a colleague who corrects them meanwhile ends it', needsTerminal, async () => {
    const batch = await newAllocated('Seen');
    const meanwhile = async () => {
      assert.equal((await correct(batch, '9')).code, 0);
      return 'y\r';
    };
    const words = ['impact-batch', 'advance', ...batch, '--to', 'funded'];
    const { code, shown } = await onTerminal(words, { env: settings, prompt: '[y/N]', typed: meanwhile });
    assert.match(shown, /"Seen" is allocated: 12000 trees, for the project Mangroves \(project_\w+\)\. Set its status to funded/);
    assert.match(shown, /changed meanwhile: its latest change has the number 2, not 1/);
    assert.equal(code, 1);
    assert.equal((await runJson('impact-batch', 'show', ...batch)).status, 'allocated');
    const again = await onTerminal(words, { env: settings, prompt: '[y/N]', typed: 'y\r' });
    assert.match(again.shown, /is allocated: 9 trees/);
    assert.equal(again.code, 0, again.shown);
  });

  test(
    'the question names settlements and the project to come, and settlements of a colleague end it',
    needsTerminal,
    async () => {
      const [batch, project, more] = [await newRecorded('Growing'), await newProject(), await newClosed()];
      const meanwhile = async () => {
        await runJson('impact-batch', 'add', ...batch, ...more, '--yes');
        return 'y\r';
      };
      const words = ['impact-batch', 'advance', ...batch, '--to', 'allocated', '--project', project];
      const { code, shown } = await onTerminal(words, { env: settings, prompt: '[y/N]', typed: meanwhile });
      assert.match(shown, /"Growing" is recorded: 12000 trees, 1 settlement of 1 partner, no project yet\./);
      assert.ok(shown.includes(`Set its status to allocated for the project Mangroves (${project}) and send`), shown);
      assert.match(shown, /Settlements were added to the batch meanwhile: it has 2, not 1/);
      assert.equal(code, 1);
      assert.equal((await runJson('impact-batch', 'show', ...batch)).status, 'recorded');
      const again = await onTerminal(words, { env: settings, prompt: '[y/N]', typed: 'y\r' });
      assert.match(again.shown, /2 settlements of 2 partners/);
      assert.equal(again.code, 0, again.shown);
    },
  );

  test('settlements are not added where a colleague corrects the trees while the question stands', needsTerminal, async () => {
    const [batch, more] = [await newRecorded('Corrected'), await newClosed()];
    const meanwhile = async () => {
      assert.equal((await correct(batch, '9')).code, 0);
      return 'y\r';
    };
    const words = ['impact-batch', 'add', ...batch, ...more];
    const { code, shown } = await onTerminal(words, { env: settings, prompt: '[y/N]', typed: meanwhile });
    assert.match(shown, /"Corrected" is recorded: 12000 trees, .+ Add 1 settlement of 1 partner to it\?/);
    assert.match(shown, /changed meanwhile: its latest change has the number 1, not 0/);
    assert.equal(code, 1);
    assert.equal((await runJson('impact-batch', 'show', ...batch)).settlements, 1);
  });

  test('a program says with --expected-settlements, and of an addition with --expected-change-no, what it has read', async () => {
    const [batch, more] = [await newRecorded('Counted'), await newClosed()];
    const { change_no, settlements } = await runJson('impact-batch', 'show', ...batch);
    assert.equal((await correct(batch, '10', '--expected-settlements', String(settlements))).code, 0);
    const expected = (no: number) => ['--expected-change-no', String(no), '--yes', '--json'];
    const late = await run(['impact-batch', 'add', ...batch, ...more, ...expected(change_no)]);
    assert.deepEqual([late.code, JSON.parse(late.stderr).error.details[0].field], [1, 'expected_change_no']);
    const added = await run(['impact-batch', 'add', ...batch, ...more, ...expected(change_no + 1)]);
    assert.equal(added.code, 0, added.stderr);
    const after = await correct(batch, '11', '--expected-settlements', String(settlements));
    assert.deepEqual([after.code, JSON.parse(after.stderr).error.details[0].field], [1, 'expected_settlement_count']);
    assert.equal((await runJson('impact-batch', 'show', ...batch)).quantity, 10);
  });

  test('a program says with --expected-change-no what it has read', async () => {
    const batch = await newAllocated('Read');
    const { change_no } = await runJson('impact-batch', 'show', ...batch);
    assert.equal((await correct(batch, '10', '--expected-change-no', String(change_no))).code, 0);
    const late = await correct(batch, '11', '--expected-change-no', String(change_no));
    assert.equal(late.code, 1);
    assert.equal(JSON.parse(late.stderr).error.details[0].field, 'expected_change_no');
    assert.equal((await runJson('impact-batch', 'show', ...batch)).quantity, 10);
    assert.equal((await correct(batch, '11', '--expected-change-no', 'x')).code, 2);
  });
});

test('impact-batch add says what is missing where it has nothing to add', HANG_LIMIT, async () => {
  const { impact_batch_id: id } = await runJson('impact-batch', 'create', '--name', 'Empty', '--trees', '1');
  const cases: [words: string[], sentence: string][] = [
    [[], 'Give a month, such as --period 2026-11, or --partner with --settlement.'],
    [['--settlement', 'stl_x'], '--settlement needs --partner.'],
    [
      ['--period', '1999-01'],
      'No closed settlement of 1999-01 has contributions that are in no batch. Give a month such as 2026-11, or a period such as 2026-11-2.',
    ],
  ];
  for (const [words, sentence] of cases) {
    const { code, stderr } = await run(['impact-batch', 'add', '--batch', id, ...words, '--yes']);
    assert.equal(code, 2, stderr);
    assert.ok(stderr.includes(sentence), stderr);
  }
  assert.equal((await runJson('impact-batch', 'show', '--batch', id)).settlements, 0);
});

test('evidence at an address that only this machine can open is refused, and nothing is recorded', HANG_LIMIT, async () => {
  const { impact_batch_id: id } = await runJson('impact-batch', 'create', '--name', 'Local', '--trees', '1');
  const file = join(folder, 'local.jpg');
  writeFileSync(file, 'bytes');
  const about = ['--type', 'photo', '--url', 'https://localhost/1.jpg', '--captured-at', '2026-01-02T03:04:05Z'];
  const refused = await run(['impact-batch', 'add-evidence', '--batch', id, '--file', file, ...about, '--yes']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /url must be an https address that .* can open, .*: its host is a name of the local network/);
  assert.deepEqual((await runJson('impact-batch', 'show', '--batch', id)).evidence, []);
});

describe('the hash of a file', HANG_LIMIT, () => {
  test('of many megabytes, read piece by piece; of a folder, a pipe and nothing none', async () => {
    const path = join(folder, 'large');
    const hash = createHash('sha256');
    const file = createWriteStream(path);
    for (let n = 0; n < 40; n++) {
      const piece = Buffer.alloc(2 ** 20, n);
      hash.update(piece);
      file.write(piece);
    }
    await new Promise((resolve) => file.end(resolve));
    assert.deepEqual(await hashFile(path), { fileName: 'large', byteCount: 40n * 2n ** 20n, sha256: hash.digest('hex') });
    await assert.rejects(hashFile(folder), /is not a file/);
    await assert.rejects(hashFile('/dev/zero'), /is not a file/);
    await assert.rejects(hashFile(join(folder, 'nothing')), /cannot be read \(ENOENT\)/);
  });

  test('a file that is written to meanwhile has none', async () => {
    const path = join(folder, 'growing');
    writeFileSync(path, '');
    truncateSync(path, 2 ** 30 + 1);
    let isTouched = false;
    const touch = () => {
      isTouched = true;
      writeFileSync(path, 'x', { flag: 'r+' });
    };
    await assert.rejects(hashFile(path, touch), /changed while it was read/);
    assert.ok(isTouched);
  });
});
