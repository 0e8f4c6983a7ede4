/** Commands in a shell without the settings of the service: none creates a database of its own, and each says what is missing. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';
import { callOf, everyCommand } from '../support/commands/every-command.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('absent-database');
const absent = join(folder, 'var');
const settingsOf = (dataDirectory: string) => ({
  DATABASE_URL: '',
  DATA_DIR: dataDirectory,
  XDG_CONFIG_HOME: join(folder, 'home'),
});
const { run, runApart } = commandLine(settingsOf(absent));
const SENTENCE = `There is no database in ${absent}. If the service has its database elsewhere, give this command the same DATA_DIR or DATABASE_URL. If there is none yet, start the service (npm start), or run: npx partner-impact migrate`;

test(
  'a command beside a service whose DATA_DIR it lacks creates no database, and names the folder and the settings',
  HANG_LIMIT,
  async () => {
    const words = ['partner', 'create', '--name', 'Example Store'];
    assert.deepEqual(await runApart(words), { code: 1, stdout: '', stderr: `${SENTENCE}\n` });
    const { code, stdout, stderr } = await run([...words, '--json']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.deepEqual(JSON.parse(stderr), { error: { code: 'failed', message: SENTENCE, details: [] } });
    assert.equal(existsSync(absent), false);
  },
);

test('every command of an operator does so, in a folder that has only keys too', HANG_LIMIT, async () => {
  const commands = (await everyCommand()).filter(({ command }) => command.access && 'leastRole' in command.access);
  assert.ok(commands.length > 60);
  const keysOnly = temporaryFolder('keys-only');
  const given = commandLine(settingsOf(keysOnly));
  for (const named of commands) {
    const { code, stdout, stderr } = await given.run(callOf(named));
    assert.deepEqual([code, stdout], [1, ''], `${named.words.join(' ')}: ${stderr}`);
    assert.ok(stderr.startsWith(`There is no database in ${keysOnly}. `), `${named.words.join(' ')}: ${stderr}`);
  }
  assert.deepEqual(readdirSync(keysOnly), []);
});

test('doctor says so as its finding, and creates none', HANG_LIMIT, async () => {
  const { code, stdout } = await run(['doctor', '--json']);
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout).findings.at(-1), { check: 'connection', verdict: 'problem', message: SENTENCE });
  assert.equal(existsSync(absent), false);
});

test('migrate creates the database, and the command then finds it', HANG_LIMIT, async () => {
  const given = commandLine(settingsOf(join(folder, 'new')));
  assert.equal((await given.run(['migrate'])).code, 0);
  assert.deepEqual(await given.runJson('partner', 'list'), []);
});

test(
  'a database without any migration is said to be empty, and of several that are missing three are named',
  HANG_LIMIT,
  async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    const given = commandLine({ DATABASE_URL: databaseUrl });
    const next = 'Start the service (npm start), or run: npx partner-impact migrate';
    assert.equal(
      (await given.run(['partner', 'list'])).stderr,
      `The database is empty: no release was here. If the service has its database elsewhere, give this command the same DATA_DIR or DATABASE_URL. ${next}\n`,
    );
    assert.equal((await given.run(['migrate'])).code, 0);
    for (const [removed, told] of [
      [1, /^The database lacks \d{4}_\w+\. Start/],
      [2, /^The database lacks (\d{4}_\w+, ){2}\d{4}_\w+\. Start/],
      [2, /^The database lacks (\d{4}_\w+, ){2}\d{4}_\w+ and 2 more\. Start/],
    ] as const) {
      await pool.query(
        'delete from kysely_migration where name in (select name from kysely_migration order by name desc limit $1)',
        [removed],
      );
      const { code, stderr } = await given.run(['partner', 'list']);
      assert.equal(code, 1);
      assert.match(stderr, told);
      assert.ok(stderr.endsWith(`${next}\n`), stderr);
    }
    const { findings } = JSON.parse((await given.run(['doctor', '--json'])).stdout);
    const { message } = findings.find(({ check }: { check: string }) => check === 'migrations');
    assert.match(message, /^missing: (\d{4}_\w+, ){2}\d{4}_\w+ and 2 more\. Run: npx partner-impact migrate$/);
  },
);
