/** What all commands have in common: confirmations, JSON, errors and exit codes. */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import stringWidth from 'string-width';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { draftFailure } from '../../src/operations/contributions/record-failure.ts';
import { pruneJobRuns } from '../../src/schedule/jobs/prune-job-runs.ts';
import { removeReconciliationsJob } from '../../src/schedule/jobs/remove-reconciliations.ts';
import { runByHand } from '../../src/schedule/run-by-hand.ts';
import { enrolled, OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { callOf, everyCommand } from '../support/commands/every-command.ts';
import { needsTerminal, onTerminal } from '../support/commands/on-terminal.ts';
import { insertPendingAged } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testService();
const { database, databaseUrl } = service;
const folder = temporaryFolder('one-manner');
const SETTINGS = {
  DATABASE_URL: databaseUrl,
  DATA_DIR: folder,
  XDG_CONFIG_HOME: join(folder, 'home'),
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
};
const { run: give, runJson } = commandLine(SETTINGS);
const run = (...args: string[]) => give(args);
const commands = await everyCommand();

/** A partner with a closed settlement, and what commands show of it. */
async function newRecords() {
  const { partner, client, key } = await service.newPartner();
  const { partnerId } = partner;
  await openFirst(database, partner);
  const confirmed = await client.confirm({ points: 9_007_199_254_740_993n });
  assert.equal(confirmed.status, 201, confirmed.text);
  const { closed } = await closeNow(database, partnerId);
  const { operator_id: operatorId } = await runJson('operator', 'create', '--name', 'Amal', '--role', 'viewer');
  const { impact_batch_id: batchId } = await runJson(
    'impact-batch',
    'create',
    '--name',
    'November',
    '--trees',
    '9007199254740993',
  );
  return { partnerId, keyId: key.key.keyId, settlementId: closed.settlementId, operatorId, batchId };
}

const records = newRecords();
const countEntries = async () => (await database.pool.query('select last_no from audit_head')).rows[0].last_no;

describe('a command that is final, or that partners notice', HANG_LIMIT, () => {
  /** The words of every one of them; what they are given is not there, or asks for the confirmation first. */
  const ASKING = [
    ...[
      'adjustment post',
      'demo remove',
      'endpoint remove',
      'endpoint rotate-secret',
      'failure approve',
      'key revoke',
      'key rotate',
      'operator disable',
      'operator reset-sign-in',
      'partner suspend',
    ],
    ...['impact-batch add', 'impact-batch add-evidence', 'impact-batch advance', 'impact-batch correct'],
    ...['impact-batch delay', 'impact-batch reallocate', 'review confirm', 'review fail', 'settlement close', 'settlement reply'],
    ...['adjustment reject', 'failure reject', 'operator set-email'],
    ...['attest', 'delivery recover', 'rule attest', 'rule create', 'rule withdraw', 'settlement attest'],
  ];

  /** What takes back or decides the other way what an asking command does. */
  const COUNTERPARTS = ['adjustment approve', 'partner resume'];
  const taking = commands.filter(({ command }) => command.options.some(({ long }) => long === '--yes'));
  const isCounterpart = ({ words }: { words: readonly string[] }) => COUNTERPARTS.includes(words.join(' '));

  test('takes --yes, in the same words everywhere, and besides its counterpart no other command does', () => {
    const asking = taking.filter((named) => !isCounterpart(named));
    assert.deepEqual(asking.map(({ words }) => words.join(' ')).sort(), [...ASKING].sort());
    const said = asking.map(({ command }) => command.options.find(({ long }) => long === '--yes')?.description);
    assert.deepEqual([...new Set(said)], ['do not ask for confirmation']);
    const counterparts = taking.filter(isCounterpart);
    assert.deepEqual(counterparts.map(({ words }) => words.join(' ')).sort(), COUNTERPARTS);
    for (const { command } of counterparts)
      assert.match(command.helpInformation(), /--yes +without effect, because this command does not ask for\s+confirmation/);
  });

  test('is taken back with the same words: a partner that `suspend --yes` suspended, by `resume` with --yes or without it', async () => {
    const { partner_id } = await runJson('partner', 'create', '--name', 'Suspended in a hurry');
    for (const yes of [['--yes'], []]) {
      assert.equal((await runJson('partner', 'suspend', '--partner', partner_id, '--yes')).status, 'suspended');
      assert.equal((await runJson('partner', 'resume', '--partner', partner_id, ...yes)).status, 'active');
    }
  });

  test('does nothing without --yes where there is no terminal, exit code 2', async () => {
    const { partnerId, keyId, operatorId, batchId, settlementId } = await records;
    const of = ['--partner', partnerId];
    const batch = ['--batch', batchId];
    const pending = { partnerId, partnerOrderRef: uniqueId('order'), age: '1 hour' };
    const decided = ['--transaction', await insertPendingAged(database, pending), '--reason', 'known'];
    const before = await countEntries();
    for (const words of [
      ['partner', 'suspend', ...of],
      ['key', 'revoke', '--key', keyId],
      ['key', 'rotate', '--key', keyId, '--overlap-hours', '0'],
      ['endpoint', 'rotate-secret', ...of, '--endpoint', 'wep_x', '--activate'],
      ['endpoint', 'rotate-secret', ...of, '--endpoint', 'wep_x', '--replace'],
      ['settlement', 'reply', ...of, '--settlement', settlementId, '--text', 'told'],
      ['operator', 'disable', '--operator', operatorId],
      ['operator', 'reset-sign-in', '--operator', operatorId],
      ['review', 'confirm', ...of, ...decided],
      ['review', 'fail', ...of, ...decided],
      ['failure', 'approve', ...of, '--failure', 'fail_x'],
      ['rule', 'withdraw', '--kind', 'tree_cost', '--label', 'x'],
      ['settlement', 'close', ...of],
      ['impact-batch', 'correct', ...batch, '--trees', '2'],
      ['impact-batch', 'delay', ...batch, '--expected', '2027'],
      ['impact-batch', 'reallocate', ...batch, '--project', 'project_x'],
      ['impact-batch', 'advance', ...batch, '--to', 'allocated'],
    ]) {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [2, ''], `${words.join(' ')}: ${stderr}`);
      assert.match(stderr, /\? .*\. There is no terminal to ask on: repeat the command with --yes\.\n$/, words.join(' '));
    }
    assert.equal(await countEntries(), before);
  });
});

describe('a question', HANG_LIMIT, () => {
  /** What a command asks; it does nothing. */
  async function asked(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...words);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    return stderr;
  }

  test('about points that may be restored: the partner, the event, the order and the points, and who drafted it and why', async () => {
    const { partner } = await service.newPartner();
    const { partnerId, name } = partner;
    const of = ['--partner', partnerId];
    const whose = `of ${name} \\(${partnerId}\\)`;
    const pending = await insertPendingAged(database, { partnerId, partnerOrderRef: 'order-71', age: '1 hour' });
    const decided = ['--transaction', pending, '--reason', 'known'];
    const what = `the contribution ${pending} ${whose} \\(event ${pending}, order order-71, 5 points\\)`;
    assert.match(
      await asked('review', 'fail', ...of, ...decided),
      new RegExp(`^Fail ${what} and authorise the partner to restore`),
    );
    assert.match(await asked('review', 'confirm', ...of, ...decided), new RegExp(`^Confirm ${what}\\?`));
    const [operator] = await enrolled(database, 'operator');
    const never = {
      partnerId,
      partnerEventId: uniqueId('event'),
      partnerOrderRef: 'order-72',
      points: 500n,
      reason: 'out of bounds',
    };
    const { failureId } = await draftFailure(database, operator, never);
    assert.match(
      await asked('failure', 'approve', ...of, '--failure', failureId),
      new RegExp(
        `^Record the event ${never.partnerEventId} ${whose} \\(order order-72, 500 points; drafted by .+: out of bounds\\) as failed and authorise`,
      ),
    );
  });

  test('about a key or an operator: its name', async () => {
    const { partner, key } = await service.newPartner();
    const { name } = key.key;
    const whose = new RegExp(`the key ${key.key.keyId} \\(${name}\\) of ${partner.name} \\(${partner.partnerId}\\)`);
    assert.match(await asked('key', 'revoke', '--key', key.key.keyId), whose);
    assert.match(await asked('key', 'rotate', '--key', key.key.keyId, '--overlap-hours', '0'), whose);
    const { operatorId } = await records;
    for (const words of ['disable', 'reset-sign-in'])
      assert.match(
        await asked('operator', words, '--operator', operatorId),
        new RegExp(`operator ${operatorId} \\(Amal, viewer\\)`),
      );
  });

  /** Asked at a terminal alone: programs called these commands before they asked. */
  const atTerminal = async (...words: string[]) => {
    const { code, shown } = await onTerminal(words, { env: SETTINGS, prompt: '[y/N]', typed: 'n\r' });
    assert.deepEqual([code, /Nothing was done\./.test(shown)], [2, true], shown);
    return shown;
  };

  test('about a rule: for whom, what it says, from when on, and until when it can be withdrawn', needsTerminal, async () => {
    const { partner } = await service.newPartner();
    const cost = ['rule', 'create', '--kind', 'tree_cost', '--label', uniqueId('cost')];
    assert.match(
      await atTerminal(...cost),
      /for all partners, in force one minute from now: value none\? This cannot be undone\./,
    );
    assert.match(
      await atTerminal('rule', 'create', '--kind', 'contribution_rule', '--label', 'bounds-2', '--points-max', '10000'),
      /Create the contribution_rule bounds-2 for all partners, in force one minute from now: points min 1, points max 10000\?/,
    );
    assert.match(
      await atTerminal(...cost, '--partner', partner.partnerId, '--starts-at', '2999-01-01T00:00:00Z', '--tree-cost', '7.5'),
      new RegExp(
        `for ${partner.name} \\(${partner.partnerId}\\), in force from 2999-01-01T00:00:00Z on: tree cost 7\\.5\\? It can be withdrawn until a minute before its start\\.`,
      ),
    );
    await runJson(...cost, '--tree-cost', '7.5', '--currency', 'SAR');
    assert.match(
      await atTerminal('rule', 'attest', ...cost.slice(2), '--reason', 'known'),
      /for all partners, which is to come \(20\S+Z\), as it is: tree cost 7\.5, currency SAR\?/,
    );
  });

  test('about what is rejected, or is given an address: which, and whose', needsTerminal, async () => {
    const { partner } = await service.newPartner();
    const { partnerId, name } = partner;
    const [operator] = await enrolled(database, 'operator');
    const never = {
      partnerId,
      partnerEventId: uniqueId('event'),
      partnerOrderRef: 'order-74',
      points: 500n,
      reason: 'out of bounds',
    };
    const { failureId } = await draftFailure(database, operator, never);
    assert.match(
      await atTerminal('failure', 'reject', '--partner', partnerId, '--failure', failureId),
      new RegExp(`Reject the failure of the event ${never.partnerEventId} of ${name} .+order order-74, 500 points`),
    );
    const { operatorId } = await records;
    assert.match(
      await atTerminal('operator', 'set-email', '--operator', operatorId, '--email', 'amal@partner.example'),
      new RegExp(`Give the operator ${operatorId} \\(Amal, viewer\\) the address amal@partner\\.example\\?`),
    );
  });

  test('about a record that is attested: all of it', needsTerminal, async () => {
    const { partner } = await service.newPartner({ rates: { writesPerSecond: 4_711 } });
    const { partnerId, name } = partner;
    assert.match(
      await atTerminal('attest', '--kind', 'partner', '--id', partnerId, '--reason', 'known'),
      new RegExp(`as it is: \\{"name":"${name}","writes_per_second":4711,`),
    );
    const pending = await insertPendingAged(database, { partnerId, partnerOrderRef: 'order-73', age: '1 hour' });
    assert.match(
      await atTerminal('settlement', 'attest', '--partner', partnerId, '--transaction', pending, '--reason', 'known'),
      new RegExp(
        `Attest the contribution ${pending} of ${name} \\(${partnerId}\\) as it is: \\{"transaction_id":.+"order-73","status":"pending",.+"points":5,.+"created_at":"20`,
      ),
    );
  });
});

describe('options', HANG_LIMIT, () => {
  /** Names that were published, what replaced them, and a command that takes both. */
  const FORMER: [string[], string, string][] = [
    [['failure', 'draft'], '--event', '--partner-event-id'],
    [['event', 'show'], '--event', '--event-id'],
    [['delivery', 'list'], '--event', '--event-id'],
    [['adjustment', 'reject'], '--note', '--reason'],
  ];

  test('one word for each thing: a reason, our event, their event', () => {
    const visible = commands.flatMap(({ words, command }) =>
      command.options.filter(({ hidden }) => !hidden).map(({ long }) => `${words.join(' ')} ${long}`),
    );
    assert.deepEqual(
      visible.filter((option) => / --(?:note|event|why)$/.test(option)),
      [],
    );
    const reasons = commands.flatMap(({ command }) =>
      command.options.filter(({ long, hidden, argChoices }) => long === '--reason' && !hidden && !argChoices),
    );
    assert.ok(reasons.length >= 10);
    assert.deepEqual(
      [...new Set(reasons.map(({ description, flags }) => `${flags}: ${description}`))],
      ['--reason <text>: reason, stored with the change'],
    );
  });

  test('by their former names too, which the help does not show', async () => {
    const { partnerId } = await records;
    const [event] = await runJson('event', 'list', '--partner', partnerId);
    const id = event.event_id as string;
    for (const [words, former, now] of FORMER) {
      const { stdout } = await run(...words, '--help');
      assert.ok(stdout.includes(` ${now} <`) && !stdout.includes(` ${former} <`), stdout);
    }
    for (const name of ['--event', '--event-id']) {
      assert.equal((await runJson('event', 'show', '--partner', partnerId, name, id)).event_id, id);
      assert.deepEqual(await runJson('delivery', 'list', '--partner', partnerId, name, id), []);
    }
    for (const name of ['--note', '--reason']) {
      const words = ['adjustment', 'reject', '--partner', partnerId, '--adjustment', 'adj_x', name, 'a test'];
      assert.match((await run(...words)).stderr, /no adjustment adj_x/);
    }
    for (const name of ['--event', '--partner-event-id']) {
      const words = ['failure', 'draft', '--partner', partnerId, name, id, '--order', 'o', '--points', '1', '--reason', 'x'];
      assert.match((await run(...words)).stderr, /This needs four eyes/);
    }
    assert.match((await run('event', 'show', '--partner', partnerId)).stderr, /'--event-id <id>' not specified/);
  });
});

describe('a partner', HANG_LIMIT, () => {
  test('that is unknown is an error of every command that names one', async () => {
    for (const named of commands.filter(({ command }) => command.options.some(({ long }) => long === '--partner'))) {
      const words = callOf(named);
      const call = words.includes('--partner')
        ? words.with(words.indexOf('--partner') + 1, 'ptn_x')
        : [...words, '--partner', 'ptn_x'];
      const { code, stdout, stderr } = await run(...call);
      assert.deepEqual([code, stdout], [2, ''], call.join(' '));
      assert.match(stderr, /There is no partner ptn_x\. `partner list` shows all\.\n$/, call.join(' '));
    }
  });

  test('goes by its name too, an Arabic one as well, unless several have it', async () => {
    const { partner_id: partnerId } = await runJson('partner', 'create', '--name', 'متجر الشجرة');
    assert.equal((await runJson('partner', 'show', '--partner', 'متجر الشجرة')).partner_id, partnerId);
    assert.equal((await runJson('partner', 'suspend', '--partner', 'متجر الشجرة', '--yes')).partner_id, partnerId);
    const listed = (await run('audit', 'list', '--partner', partnerId)).stdout.replaceAll(/\s+/g, ' ');
    assert.ok(listed.includes('متجر الشجرة') && listed.includes(`(${partnerId})`), listed);
    const { partner_id: other } = await runJson('partner', 'create', '--name', 'متجر الشجرة');
    const { code, stderr } = await run('partner', 'resume', '--partner', 'متجر الشجرة');
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`Several partners have the name متجر الشجرة\\. .*: ${partnerId}, ${other}\\.`));
    assert.equal((await runJson('partner', 'show', '--partner', partnerId)).status, 'suspended');
    const { partner_id: enemy } = await runJson('partner', 'create', '--name', partnerId);
    assert.notEqual((await runJson('partner', 'show', '--partner', partnerId)).partner_id, enemy);
  });
});

describe('lists', HANG_LIMIT, () => {
  const isList = ({ words }: { words: readonly string[] }) => ['list', 'history', 'lines'].includes(words.at(-1) ?? '');
  /** Of which there is a fixed number. */
  const WHOLE = ['job list'];

  test('are paged, each by the same options', () => {
    const lists = commands.filter((named) => isList(named) && !WHOLE.includes(named.words.join(' ')));
    assert.ok(lists.length >= 15);
    for (const { words, command } of lists) {
      const names = command.options.map(({ long }) => long);
      const after = words.join(' ') === 'event list' ? '--after-sequence' : '--after';
      assert.ok(names.includes('--limit') && names.includes(after), words.join(' '));
    }
  });

  test('page by page hold the same as at once, and say on standard error or below the table that there is more', async () => {
    const { partnerId } = await records;
    const of = ['--partner', partnerId];
    const pending = () => insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '1 hour' });
    for (let count = 0; count < 3; count++) {
      await runJson('partner', 'create', '--name', `Store ${count}`);
      await runJson('key', 'issue', ...of);
      await runJson('operator', 'create', '--name', `Amal ${count}`, '--role', 'viewer');
      await runJson('project', 'create', '--name-en', `Acacias ${count}`, '--name-ar', 'أكاسيا', '--country', 'SA');
      await runJson('impact-batch', 'create', '--name', `Batch ${count}`, '--trees', '1');
      await runJson('rule', 'create', '--kind', 'tree_cost', '--label', `cost-${count}`, '--partner', partnerId, '--yes');
      for (const job of [pruneJobRuns, removeReconciliationsJob])
        await runByHand(database, OWNER, job, { stop: new AbortController().signal, onAlert: () => {} });
      await pending();
      await closeNow(database, partnerId);
    }
    for (const [words, least] of [
      [['partner', 'list'], 4],
      [['key', 'list', ...of], 4],
      [['operator', 'list'], 4],
      [['project', 'list'], 3],
      [['impact-batch', 'list'], 4],
      [['rule', 'list'], 3],
      [['audit', 'list'], 20],
      [['audit', 'list', ...of], 5],
      [['settlement', 'list', ...of], 4],
      [['review', 'list'], 3],
      [['review', 'list', ...of], 3],
      [['event', 'list', ...of], 3],
      [['job', 'history'], 6],
      [['job', 'history', '--job', 'prune-job-runs'], 3],
    ] as [string[], number][]) {
      const whole = await runJson(...words, '--limit', '1000');
      assert.ok(whole.length >= least, `${words.join(' ')}: ${whole.length}`);
      const limit = String(Math.ceil(whole.length / 3));
      const paged: unknown[] = [];
      let next: string[] | undefined = [];
      while (next !== undefined) {
        const { code, stdout, stderr } = await run(...words, '--limit', limit, ...next, '--json');
        assert.equal(code, 0, stderr);
        paged.push(...JSON.parse(stdout));
        const [, option, cursor] = /^There is more: repeat the command with (--after\S*) (\S+)\n$/.exec(stderr) ?? [];
        next = option === undefined ? undefined : [option, cursor as string];
        assert.ok(paged.length <= whole.length, words.join(' '));
      }
      const fixed = (items: readonly unknown[]) =>
        items.map((item) => JSON.stringify(item).replace(/"(?:age_seconds|as_of)":[^,}]+/, ''));
      assert.deepEqual(fixed(paged), fixed(whole), words.join(' '));
      const table = await run(...words, '--limit', limit);
      assert.match(table.stdout, /\n\nThere is more: repeat the command with --after\S* \S+\n$/, words.join(' '));
    }
  });

  test('refuse a place that is not of the list', async () => {
    const { partnerId } = await records;
    const of = ['--partner', partnerId];
    for (const words of [
      ['partner', 'list'],
      ['key', 'list', ...of],
      ['operator', 'list'],
      ['review', 'list'],
      ['failure', 'list', ...of],
      ['settlement', 'list', ...of],
      ['adjustment', 'list', ...of],
      ['reconciliation', 'list', ...of],
      ['delivery', 'list', ...of],
      ['impact-batch', 'list'],
      ['audit', 'list'],
      ['job', 'history'],
    ]) {
      const { code, stdout, stderr } = await run(...words, '--after', 'somewhere');
      assert.deepEqual([code, stdout], [2, ''], words.join(' '));
      assert.match(stderr, /--after somewhere is not a cursor of this list/);
    }
    for (const [list, command, of] of [
      ['review', 'list', 'txn_1'],
      ['job', 'history', '1/verify'],
    ] as const) {
      for (const time of [
        '2026-13-45T99:99:99.000Z',
        '0000-01-01T00:00:00.000Z',
        '2026-01-01T00:00:00.000+23:59',
        '294277-01-01T00:00:00.000Z',
        '+010000-01-01T00:00:00.000Z',
      ]) {
        const { code, stderr } = await run(list, command, '--after', `${time}/${of}`);
        assert.equal(code, 2, stderr);
        assert.match(stderr, /--after \S+ is not a cursor of this list/);
      }
    }
  });

  test('fit 120 columns', async () => {
    const { partnerId, settlementId } = await records;
    const of = ['--partner', partnerId];
    await runJson(
      'partner',
      'create',
      '--name',
      'A store with a name that is rather long, as names of companies with several words are',
    );
    for (const words of [
      ['partner', 'list'],
      ['key', 'list', ...of],
      ['operator', 'list'],
      ['rule', 'list'],
      ['review', 'list'],
      ['event', 'list', ...of],
      ['settlement', 'list', ...of],
      ['settlement', 'show', ...of, '--settlement', settlementId],
      ['impact-batch', 'list'],
      ['audit', 'list'],
      ['job', 'list'],
      ['job', 'history'],
      ['doctor'],
    ]) {
      const { stdout } = await run(...words);
      const wide = stdout.split('\n').filter((line) => stringWidth(line) > 120);
      assert.deepEqual(wide, [], words.join(' '));
    }
  });
});

describe('--json', HANG_LIMIT, () => {
  test('is one value in one line, with all digits and names in snake_case, of whatever lists or shows', async () => {
    const { partnerId, settlementId, batchId } = await records;
    const of = ['--partner', partnerId];
    const exact: string[] = [];
    for (const words of [
      ['partner', 'list'],
      ['partner', 'show', ...of],
      ['key', 'list', ...of],
      ['rule', 'list'],
      ['review', 'list'],
      ['failure', 'list', ...of],
      ['endpoint', 'list', ...of],
      ['event', 'list', ...of],
      ['delivery', 'list', ...of],
      ['settlement', 'list', ...of],
      ['settlement', 'show', ...of, '--settlement', settlementId],
      ['settlement', 'verify'],
      ['reconciliation', 'list', ...of],
      ['adjustment', 'list', ...of],
      ['adjustment', 'verify'],
      ['operator', 'list'],
      ['project', 'list'],
      ['impact-batch', 'list'],
      ['impact-batch', 'show', '--batch', batchId],
      ['impact-batch', 'verify'],
      ['audit', 'list', '--subject', batchId],
      ['audit', 'verify'],
      ['rule', 'verify'],
      ['job', 'list'],
      ['job', 'history'],
      ['doctor'],
      ['whoami'],
    ]) {
      const { stdout, stderr } = await run(...words, '--json');
      assert.match(stdout, /^[^\n]+\n$/, `${words.join(' ')}: ${stderr}`);
      assert.deepEqual(
        namesOf(JSON.parse(stdout)).filter((name) => !/^[a-z][a-z0-9_]*$/.test(name)),
        [],
        words.join(' '),
      );
      assert.ok(!stdout.includes('9007199254740992'), words.join(' '));
      if (stdout.includes('9007199254740993')) exact.push(words.slice(0, 2).join(' '));
    }
    assert.deepEqual(exact, [
      'event list',
      'settlement list',
      'settlement show',
      'impact-batch list',
      'impact-batch show',
      'audit list',
    ]);
  });

  test('is an option of every command', () => {
    const without = commands.filter(({ command }) => !command.options.some(({ long }) => long === '--json'));
    assert.deepEqual(
      without.map(({ words }) => words.join(' ')),
      // What goes on until it is stopped, and what a person does to a trial.
      ['serve', 'demo make', 'demo remove'],
    );
  });

  test('tells an error as one object on standard error, whatever it is', async () => {
    const { partnerId } = await records;
    const errors: [string[], number, string, RegExp][] = [
      [['fly'], 2, 'invalid_arguments', /^unknown command 'fly'/],
      [['partner', 'create'], 2, 'invalid_arguments', /^required option '--name <name>' not specified$/],
      [['key', 'list', '--partner', 'p', '--nothing'], 2, 'invalid_arguments', /^unknown option '--nothing'/],
      [['partner', 'list', '--limit', 'many'], 2, 'invalid_arguments', /whole number from 1 to 1000/],
      [['partner', 'suspend', '--partner', partnerId], 2, 'invalid_arguments', /repeat the command with --yes\.$/],
      [['partner', 'show', '--partner', 'ptn_x'], 2, 'invalid_request', /^There is no partner ptn_x\./],
      [['review', 'show', '--partner', partnerId, '--transaction', 'txn_x'], 2, 'contribution_not_found', /./],
    ];
    for (const [words, expectedCode, errorCode, message] of errors) {
      const { code, stdout, stderr } = await run(...words, '--json');
      assert.deepEqual([code, stdout], [expectedCode, ''], stderr);
      assert.match(stderr, /^\{"error":[^\n]+\n$/, words.join(' '));
      const { error } = JSON.parse(stderr);
      assert.deepEqual([Object.keys(error), error.code], [['code', 'message', 'details'], errorCode]);
      assert.match(error.message, message);
    }
    const { error } = JSON.parse((await run('partner', 'show', '--partner', 'ptn_x', '--json')).stderr);
    assert.deepEqual(error.details, [{ field: 'partner_id', code: 'not_found', message: error.message }]);
    const unsettled = await give(['partner', 'list', '--json'], { PORT: 'x' });
    assert.equal(JSON.parse(unsettled.stderr).error.code, 'invalid_settings');
  });
});

/** The names of all members, however deep. */
function namesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...namesOf(member)]);
}

describe('the exit codes of docs/operating.md', HANG_LIMIT, () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
  const section = text.slice(text.indexOf('| Exit code | Meaning |')).split('\n\n')[0] ?? '';
  const documented = [...section.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));

  /** By code: commands that end so, and a word of what they say. */
  const TRIES: Record<number, () => Promise<[string[], RegExp][]>> = {
    0: async () => [[['partner', 'list'], /^$/]],
    1: async () => {
      const { partnerId } = await records;
      const signed = ['--partner-event-id', uniqueId('event'), '--order', 'order-1', '--points', '5', '--reason', 'lost'];
      return [[['failure', 'draft', '--partner', partnerId, ...signed], /This needs four eyes/]];
    },
    2: async () => {
      const { partnerId, settlementId } = await records;
      const of = ['--partner', partnerId];
      const folderName = join(folder, 'a-folder');
      mkdirSync(folderName, { recursive: true });
      const present = join(folder, 'present.csv');
      writeFileSync(present, '');
      const secret = join(folder, 'secret.txt');
      writeFileSync(secret, 'whsec_x');
      const hash = ['--sha256', '0'.repeat(64)];
      return [
        [['fly'], /unknown command/],
        [['partner', 'fly'], /unknown command/],
        [['partner', 'list', '--fly'], /unknown option/],
        [['partner', 'create', '--name', 'x', '--currency', 'riyal'], /currency must be/],
        [['partner', 'create', '--name', 'x', '--time-zone', 'Mars/Olympus'], /time_zone must be/],
        [['partner', 'show', '--partner', 'ptn_x'], /There is no partner ptn_x/],
        [['job', 'run', 'fly'], /There is no job fly/],
        [['rule', 'show', '--kind', 'tree_cost', '--label', 'x'], /There is no tree_cost x/],
        [['endpoint', 'show', ...of, '--endpoint', 'wep_x'], /has no endpoint wep_x/],
        [['endpoint', 'add', ...of, '--url', 'ftp://example.org'], /https/],
        [['delivery', 'show', ...of, '--delivery', 'dlv_x'], /has no delivery dlv_x/],
        [['event', 'show', ...of, '--event-id', 'evt_x'], /no event/],
        [['settlement', 'show', ...of, '--settlement', 'stl_x'], /no settlement/],
        [['adjustment', 'show', ...of, '--adjustment', 'adj_x'], /no adjustment adj_x/],
        [['operator', 'disable', '--operator', 'opr_x', '--yes'], /no operator opr_x/],
        [['impact-batch', 'show', '--batch', 'batch_x'], /no impact batch batch_x/],
        [['statement', 'verify', '--file', join(folder, 'absent.csv'), ...hash], /absent\.csv cannot be read \(ENOENT\)/],
        [['statement', 'verify', '--file', folderName, ...hash], /a-folder is a folder/],
        [
          ['statement', 'download', ...of, '--settlement', settlementId, '--output', present],
          /present\.csv cannot be created \(EEXIST\)/,
        ],
        [['webhook', 'verify', '--secret-file', secret, '--headers', join(folder, 'absent'), '--body', secret], /cannot be read/],
        [['attest', '--kind', 'partner', '--id', 'ptn_x', '--reason', 'a test', '--yes'], /no partner ptn_x/],
      ];
    },
  };

  test('are all tried', () => {
    // 141 is that of a closed pipe: test/commands/all-commands.test.ts.
    assert.deepEqual(documented, [...Object.keys(TRIES).map(Number), 141]);
  });

  for (const [code, tries] of Object.entries(TRIES))
    test(`${code}`, async () => {
      for (const [words, said] of await tries()) {
        const outcome = await run(...words);
        assert.equal(outcome.code, Number(code), `${words.join(' ')}: ${outcome.stderr}`);
        assert.match(outcome.stderr, said, words.join(' '));
      }
    });

  test('1: a check that found a problem', async () => {
    const absent = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' };
    assert.equal((await give(['doctor'], absent)).code, 1);
  });
});
