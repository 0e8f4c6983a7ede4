/**
 * Every block of code in every document is run as it stands, in the order in which a reader meets it, beside one service that `npm start`
 * starts. What cannot be run here is listed below with the reason, and checked for its syntax, its commands and their options.
 */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { loadCommands } from '../../src/commands/program.ts';
import { newSecret, signAttempt } from '../../src/webhooks/security/signature.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { type Block, listBlocks, listCalls, ROOT, readTranscript } from '../support/document-blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { document, listMisfits } from '../support/published.ts';
import { readSample, SAMPLES } from '../support/sample.ts';
import { type Running, Terminal } from '../support/terminal.ts';

/** Words with which a block begins or that it holds, and why it is not run. Each names one block. */
const NOT_RUN: readonly { readonly path: string; readonly holds: string; readonly why: string }[] = [
  { path: 'CONTRIBUTING.md', holds: 'npm run verify', why: 'it is these tests and what CI runs beside them' },
  { path: 'CONTRIBUTING.md', holds: 'test.ts --engine debian15', why: 'it runs tests, as this is one' },
  { path: 'CONTRIBUTING.md', holds: 'npm run kill', why: 'each takes minutes, and most have a test of their own' },
  { path: 'README.md', holds: 'npm test', why: 'it is these tests' },
  { path: 'docs/operating.md', holds: 'bin/partner-impact.mjs serve', why: 'it is a second service beside the one that runs' },
  { path: 'docs/operating.md', holds: 'psql -h', why: 'it asks for what to do on a terminal' },
  { path: 'docs/operating.md', holds: 'pg_dump', why: 'it needs PostgreSQL with its tools: test/store/restore.test.ts' },
  { path: 'docs/operating.md', holds: 'LD_LIBRARY_PATH', why: 'it runs until it is ended, in the folder of a restored copy' },
  { path: 'docs/operating.md', holds: 'update event_counter', why: 'it is for a restored copy: test/store/restore.test.ts' },
  {
    path: 'docs/operating.md',
    holds: 'disable trigger user',
    why: 'it ends its transaction: test/contributions/sealed-contributions.test.ts',
  },
  {
    path: 'docs/operating.md',
    holds: 'failure draft',
    why: 'it takes two who are signed in: test/contributions/refused-for-good.test.ts',
  },
  {
    path: 'docs/operating.md',
    holds: 'failure approve',
    why: 'it takes two who are signed in: test/contributions/refused-for-good.test.ts',
  },
  {
    path: 'docs/operating.md',
    holds: 'adjustment draft',
    why: 'it takes two who are signed in: test/adjustments/adjustment-commands.test.ts',
  },
  {
    path: 'docs/operating.md',
    holds: 'impact-batch add',
    why: 'it needs a survey at a public address: test/impact/impact-batch-commands.test.ts',
  },
  {
    path: 'docs/operating.md',
    holds: 'PROBLEM',
    why: 'somebody has to change the database by hand: test/settlements/settlement-commands.test.ts',
  },
  {
    path: 'docs/operating.md',
    holds: 'Audit chain broken',
    why: 'somebody has to change the database by hand: test/audit/audit.test.ts',
  },
  {
    path: 'docs/operating.md',
    holds: 'delivery show --partner ptn_…WYGP --delivery dlv_…TVDV.S4KW\ndelivery',
    why: 'it needs a receiver that failed: test/events/event-commands.test.ts',
  },
  {
    path: 'docs/operating.md',
    holds: 'delivery resend',
    why: 'it needs a receiver that failed: test/events/event-commands.test.ts',
  },
  { path: 'docs/operating.md', holds: '410 Gone', why: 'it needs a receiver that answers 410: test/webhooks/webhooks.test.ts' },
  {
    path: 'docs/operating.md',
    holds: 'review list',
    why: 'a rule of the day before sends it to review: test/rules/rule-commands.test.ts',
  },
  { path: 'docs/performance.md', holds: 'bench -- --seconds 5', why: 'it measures for minutes: test/reliability/bench.test.ts' },
  {
    path: 'docs/performance.md',
    holds: 'bench -- --database-url',
    why: 'it measures for minutes: test/reliability/bench.test.ts',
  },
  { path: 'docs/performance.md', holds: 'npm run bench\n', why: 'it measures for minutes: test/reliability/bench.test.ts' },
  { path: 'docs/performance.md', holds: 'bench:limits', why: 'it measures for minutes: test/reliability/bench-limits.test.ts' },
  {
    path: 'docs/scaling.md',
    holds: 'serve --processes',
    why: 'it is a second service beside the one that runs: test/service/processes.test.ts',
  },
  {
    path: 'docs/afternoon/4-webhooks.md',
    holds: 'afternoon-endpoint-1',
    why: 'it needs a receiver: test/sdk/afternoon.test.ts',
  },
  { path: 'docs/afternoon/4-webhooks.md', holds: '/resend', why: 'it needs a receiver: test/sdk/afternoon.test.ts' },
  { path: 'docs/afternoon/4-webhooks.md', holds: 'for fault in', why: 'it needs a receiver: test/sdk/afternoon.test.ts' },
  { path: 'docs/sandbox.md', holds: 'rehearse', why: 'it needs a receiver: test/sandbox/rehearse-command.test.ts' },
  { path: 'docs/scaling.md', holds: 'migrate --distribute', why: 'it needs a Citus cluster: test/store/distributed.test.ts' },
  { path: 'docs/scaling.md', holds: 'citus_add_node', why: 'it needs a Citus cluster' },
  { path: 'docs/scaling.md', holds: 'lost-worker/main.ts', why: 'it needs a Citus cluster' },
];

/** The guides that are a program each. */
const AFTERNOON = globSync('docs/afternoon/*.md', { cwd: ROOT }).sort();

/** What a tag says of a block. The first four are run; the rest is compared, read, or output that nobody types. */
const TAGS = [
  'sh',
  'console',
  'sql',
  'js',
  'ts',
  'python',
  'go',
  'php',
  'json',
  'csv',
  'haproxy',
  'ini',
  'yaml',
  'text',
  'mermaid',
];
const RUN_TAGS = ['sh', 'console', 'sql', 'js'];

const blocks = listBlocks();
const named = ({ path, line, text }: Block) => `${path}:${line} ${text.trim().split('\n')[0]?.slice(0, 60)}`;
const reasonOf = (block: Block) => NOT_RUN.find(({ path, holds }) => path === block.path && block.text.includes(holds));
const isRun = (block: Block) => RUN_TAGS.includes(block.tag) && !reasonOf(block);

describe('every block', () => {
  test('says by its tag what it is', () => {
    assert.deepEqual(blocks.filter(({ tag }) => !TAGS.includes(tag)).map(named), []);
  });

  test('that is not run is named by one entry of the table', () => {
    for (const { path, holds } of NOT_RUN) {
      const found = blocks.filter((block) => RUN_TAGS.includes(block.tag) && block.path === path && block.text.includes(holds));
      assert.equal(found.length, 1, `${path}: ${holds}`);
    }
  });

  test('of JSON can be read, and is what the interface promises', () => {
    for (const block of blocks.filter(({ tag }) => tag === 'json')) JSON.parse(block.text);
    const read = (holds: string) =>
      JSON.parse(blocks.find(({ tag, text }) => tag === 'json' && text.includes(holds))?.text ?? '');
    const schemaOf = (operation: string, status: string) =>
      document.paths[operation].post.responses[status].content['application/json'].schema;
    assert.equal(listMisfits(schemaOf('/v1/impact-transactions', '201'), read('"idempotency_key"')), '');
    assert.equal(listMisfits(document.components.schemas.Error, read('"retryable"')), '');
    const acknowledged = schemaOf('/v1/settlements/{settlement_id}/acknowledgement', '201');
    assert.equal(listMisfits(acknowledged, read('"acknowledged_at"')), '');
    const { schema } = document.webhooks['impact.transaction.confirmed'].post.requestBody.content['application/json'];
    assert.equal(listMisfits(schema, read('"sequence"')), '');
  });

  test('of a programming language is a file of docs/samples', () => {
    const samples = readdirSync(SAMPLES).map(readSample);
    // Those of an afternoon are run by test/sdk/afternoon.test.ts.
    const isOther = ({ path, tag, text }: Block) =>
      ['ts', 'python', 'go', 'php'].includes(tag) && !samples.includes(text) && !AFTERNOON.includes(path);
    const others = blocks.filter(isOther);
    assert.deepEqual(others.map(named), []);
  });
});

const program = await loadCommands();

/** Options of the program itself. */
const OF_EVERY_COMMAND = ['--break-glass'];

/** What is wrong with the words of a call; undefined when command and options exist. */
function findMistake(words: readonly string[]): string | undefined {
  let command = program.find((each) => each.name() === words[0]) as Command | undefined;
  const next = command?.commands.find((each) => each.name() === words[1]);
  command = next ?? command;
  if (!command || (command.commands.length > 0 && !next)) return `no command ${words.join(' ')}`;
  const known = [...command.options.flatMap(({ long, short }) => [long, short]), ...OF_EVERY_COMMAND];
  const unknown = words.filter((word) => /^--?[a-z]/.test(word) && word !== '--help' && !known.includes(word.split('=')[0]));
  return unknown.length === 0 ? undefined : `${command.name()} has no ${unknown.join(' ')}`;
}

describe('every block of shell', () => {
  for (const block of blocks.filter(({ tag }) => ['sh', 'console'].includes(tag)))
    test(`${named(block)}: its syntax, its commands and their options`, () => {
      const commands =
        block.tag === 'sh'
          ? block.text
          : readTranscript(block)
              .map(({ command }) => command)
              .join('\n');
      const { stderr } = spawnSync('bash', ['-n'], { input: commands.replace(/\b(?:URL|FOLDER)\b/g, 'x'), encoding: 'utf8' });
      assert.equal(stderr, '');
      assert.deepEqual(listCalls(block).map(findMistake).filter(Boolean), []);
      for (const [, path = ''] of commands.matchAll(/\bnode ((?:scripts|reliability|bench)\/\S+)/g))
        assert.ok(existsSync(join(ROOT, path)), path);
    });

  test('the check of options bites', () => {
    assert.equal(findMistake(['endpoint', 'add', '--partner', 'ptn_x', '--url', 'https://example.com/']), undefined);
    assert.match(findMistake(['endpoint', 'add', '--uri', 'x']) ?? '', /add has no --uri/);
    assert.match(findMistake(['endpoint', 'ad']) ?? '', /no command/);
  });
});

test('npx finds the command in a checkout', () => {
  const { status, stdout, stderr } = spawnSync('npx', ['partner-impact', '--help'], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /Usage: partner-impact/);
});

test('every block of SQL is understood by PostgreSQL', async () => {
  const { databaseUrl } = await testDatabase();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('create role impact');
    let count = 0;
    for (const block of blocks.filter((each) => each.tag === 'sql' && isRun(each)))
      for (const statement of block.text.split(/;$/m).filter((each) => each.replace(/^--.*$/gm, '').trim() !== ''))
        await client.query(statement.includes('$1') ? `prepare documented_${count++} as ${statement}` : statement);
    assert.ok(count > 0);
  } finally {
    await client.query('rollback');
    await client.end();
  }
});

const once = {
  skip: process.env['TEST_ENGINE'] === 'debian15' && 'the service has its own PostgreSQL: this runs with the embedded one',
};

describe('a reader types every block of README, guides and operating as it stands', once, async () => {
  const terminal = new Terminal({ PORT: '0', OPERATIONS_PORT: '0', LOG_LEVEL: 'silent', NO_COLOR: '1' });
  const documents = ['README.md', 'docs/partner-guide.md', 'docs/webhooks.md', ...AFTERNOON, 'docs/operating.md'];
  const typed = blocks.filter((block) => documents.includes(block.path) && isRun(block) && block.tag !== 'sql');
  typed.sort((a, b) => documents.indexOf(a.path) - documents.indexOf(b.path));
  await terminal.replacePort('9000');

  test('nothing is left over', () => {
    const others = blocks.filter((block) => isRun(block) && block.tag !== 'sql' && !typed.includes(block));
    assert.deepEqual(others.map(named), []);
  });

  for (const block of typed)
    test(named(block), HANG_LIMIT, async () => {
      await prepare(terminal, block);
      await type(terminal, block);
    });
});

/** What is there before a block, by words that it holds: files of the reader's own, and what an operator did meanwhile. */
async function prepare(terminal: Terminal, { text }: Block): Promise<void> {
  if (text.includes('/statement.csv')) await closeSettlement(terminal);
  if (text.includes('-T list.csv')) terminal.write('list.csv', blocks.find((each) => each.tag === 'csv')?.text ?? '');
  if (text.includes('--secret-file secret.txt --headers')) keepDelivery(terminal);
  else if (text.includes('--secret-file secret.txt')) terminal.write('secret.txt', `${terminal.lastShown('whsec')}\n`);
  if (text.includes('$BATCH_ID')) await poolSettlement(terminal);
}

async function closeSettlement(terminal: Terminal): Promise<void> {
  const [open] = JSON.parse(await terminal.run('npx partner-impact settlement list --partner "$PARTNER_ID" --json'));
  await terminal.run(`npx partner-impact settlement close --partner "$PARTNER_ID" --settlement ${open.settlement_id} --yes`);
}

/** The partner's closed settlement in an impact batch. */
async function poolSettlement(terminal: Terminal): Promise<void> {
  const settlements = JSON.parse(await terminal.run('npx partner-impact settlement list --partner "$PARTNER_ID" --json'));
  const { period_label: period } = settlements.find(({ status }: { status: string }) => status === 'closed');
  await terminal.run('npx partner-impact impact-batch create --name "November" --trees 12');
  await terminal.run(`npx partner-impact impact-batch add --batch batch_… --period ${period} --yes`);
}

/** A delivery in three files, as a receiver keeps it. */
function keepDelivery(terminal: Terminal): void {
  const [secret, body] = [newSecret(), Buffer.from('{"event_id":"evt_01JTEST0000000000000000001"}')];
  const delivery = { eventId: 'evt_1', eventType: 'x', deliveryId: 'dlv_1', attemptNumber: 1, correlationId: 'corr_1', body };
  const headers = signAttempt({ current: secret }, { ...delivery, sentAtSeconds: Math.floor(Date.now() / 1000) });
  terminal.write('secret.txt', `${secret}\n`);
  terminal.write('body.json', body.toString());
  terminal.write(
    'headers.txt',
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
}

async function type(terminal: Terminal, block: Block): Promise<void> {
  if (block.tag === 'js') return runVerifier(block);
  if (block.text.trim() === 'npm start') return start(terminal, block);
  if (block.tag === 'console') return showTranscript(terminal, block);
  if (block.text.includes('webhook listen')) return listen(terminal, block.text);
  await terminal.run(block.text);
  if (block.text.includes('second-call-0002')) await receiver?.until(/impact\.transaction\.confirmed {2}sequence 2/);
}

async function start(terminal: Terminal, { text }: Block): Promise<void> {
  // Without sample data, of which no document shows anything.
  const service = await terminal.start(`${text.trim()} -- --no-demo`, /Confirm a contribution:\s+curl .*\n/, { cwd: ROOT });
  assert.match(service.output(), /Created the tables \(\d+ migrations\)/);
  assert.doesNotMatch(service.output(), /Migrated the database/);
  const [, port = ''] = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(service.output()) ?? [];
  const shown = blocks.find(({ path, tag }) => path === 'README.md' && tag === 'text')?.text ?? '';
  const banner = service.output().slice(service.output().indexOf('Partner Impact ('));
  assert.deepEqual(labelsOf(banner).slice(0, labelsOf(shown).length), labelsOf(shown));
  const [firstCall = ''] = /^curl .*$/m.exec(service.output()) ?? [];
  const first = await terminal.run(firstCall);
  assert.match(first, /^HTTP\/1\.1 201/);
  assert.match(await terminal.run(firstCall), /idempotent-replayed: true/i);
  await terminal.replacePort('8080', port);
}

let receiver: Running | undefined;

async function listen(terminal: Terminal, command: string): Promise<void> {
  receiver = await terminal.start(command, /Receiving events at/);
}

/** Runs each command, and compares the form of what it prints with what the document shows. */
async function showTranscript(terminal: Terminal, block: Block): Promise<void> {
  for (const { command, output } of readTranscript(block)) {
    const program = command.replace(/^(?:npx partner-impact|node bin\/partner-impact\.mjs) /, '');
    if (program.startsWith('webhook listen')) {
      await listen(terminal, command);
      continue;
    }
    const printed = await terminal.run(command);
    assert.deepEqual(labelsOf(printed), labelsOf(output), program);
    terminal.align(output, printed);
    if (program.startsWith('delivery recover')) await receiver?.until(/sequence \d+ .* valid$/m);
  }
}

/** The names of fields, the heads of tables, and of sentences their words without figures. */
function labelsOf(printed: string): string[] {
  const lines = printed.split('\n').filter((line) => line.trim() !== '');
  const isTable = /^[A-Z ]+$/.test(lines[0] ?? '');
  return (isTable ? lines.slice(0, 1) : lines).map((line) => {
    const [label = ''] = line.split(/ {2,}/);
    return isTable ? line.replace(/\s+/g, ' ').trim() : label.replace(/\b\w+_[\w.…]+|https?:\/\/\S+|\d[\w:.-]*/g, '#');
  });
}

/** The library's verifier over a delivery of the service, as the page shows it. */
function runVerifier({ text }: Block): void {
  const [secret, body] = [newSecret(), Buffer.from('{"event_id":"evt_01JTEST0000000000000000001"}')];
  const delivery = { eventId: 'evt_1', eventType: 'x', deliveryId: 'dlv_1', attemptNumber: 1, correlationId: 'corr_1', body };
  const headers = signAttempt({ current: secret }, { ...delivery, sentAtSeconds: Math.floor(Date.now() / 1000) });
  const script = `const [secret, rawBody, headers] = ${JSON.stringify([secret, body.toString(), headers])};\n${text}`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
  assert.throws(() => new Webhook(newSecret()).verify(body.toString(), headers));
}
