/** Closed by default: what each command, and each operation that operators call, asks of whoever gives it. */

import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ProgramCommand } from '../../src/commands/terminal/program-command.ts';
import { ROLES, type Role } from '../../src/domain/access/role.ts';
import { createOperator } from '../../src/operations/access/manage-operator.ts';
import type { OperatorOperation } from '../../src/operations/with-role.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { callOf, everyCommand } from '../support/commands/every-command.ts';
import { testService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Commands that ask for no operator. `statement verify` does so for a settlement of the database. */
const OPEN = [
  ...['serve', 'migrate', 'doctor', 'login', 'logout', 'whoami', 'rehearse'],
  ...['webhook listen', 'webhook verify', 'statement verify', 'demo make'],
];

/** The highest role that may not. */
const roleBelow = (least: Role): Role | undefined => ROLES[ROLES.indexOf(least) - 1];

const commands = await everyCommand();
const { run } = commandLine({});
const nameOf = (words: readonly string[]) => words.join(' ');
const leastRoleOf = (command: ProgramCommand) =>
  command.access && 'leastRole' in command.access ? command.access.leastRole : undefined;

describe('commands', HANG_LIMIT, () => {
  test('each declares its least role, or why it needs none', () => {
    assert.ok(commands.length > 70);
    assert.deepEqual(
      commands.filter(({ command }) => command.access === undefined).map(({ words }) => nameOf(words)),
      [],
    );
    const open = commands.flatMap(({ words, command: { access } }) =>
      access && 'openBecause' in access ? [{ name: nameOf(words), why: access.openBecause }] : [],
    );
    assert.deepEqual(open.map(({ name }) => name).sort(), [...OPEN].sort());
    for (const { name, why } of open) assert.ok(why.length > 5, name);
    const [sentence = ''] = /`serve`[^.]*need no operator\./.exec(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')) ?? [];
    const unnamed = open.filter(({ name }) => !sentence.includes(`\`${name.replace(/^webhook .*/, 'webhook')}\``));
    assert.deepEqual(unnamed, [], 'SECURITY.md names each');
  });

  test('one that declares nothing cannot be made', () => {
    const undeclared = (async () => {}) as never;
    assert.throws(() => new ProgramCommand('open').action(undeclared), /open declares no least role/);
    assert.throws(() => new ProgramCommand('holds').command('open').action(undeclared), /open declares no least role/);
  });

  test('the help of each says the role', async () => {
    for (const { words, command } of commands) {
      const { code, stdout } = await run([...words, '--help']);
      assert.equal(code, 0);
      assert.equal(/Least role: (\w+)/.exec(stdout)?.[1], leastRoleOf(command), nameOf(words));
    }
  });
});

const { databaseUrl, database } = await testService();

describe('commands, given in the role below the least', HANG_LIMIT, () => {
  const homes = new Map<Role, string>();

  before(async () => {
    for (const role of ['viewer', 'operator', 'approver'] as const) {
      const home = mkdtempSync(join(tmpdir(), 'partner-impact-home-'));
      homes.set(role, home);
      const email = `${uniqueId('person').toLowerCase()}@example.org`;
      const { signInCode } = await createOperator(database, OWNER, { name: role, email, role });
      const own = { DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: home };
      assert.equal((await run(['login'], own, signInCode)).code, 0);
    }
  });

  after(() => {
    for (const home of homes.values()) rmSync(home, { recursive: true });
  });

  for (const named of commands) {
    const least = leastRoleOf(named.command);
    const role = least && roleBelow(least);
    if (role === undefined) continue;
    test(`${nameOf(named.words)} is refused to a ${role}, before it asks, shows or changes anything`, async () => {
      const head = () => database.pool.query('select last_no from audit_head');
      const { rows: before } = await head();
      const { code, stdout, stderr } = await run(callOf(named), {
        DATABASE_URL: databaseUrl,
        XDG_CONFIG_HOME: homes.get(role) as string,
      });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        new RegExp(
          `^This needs the role ${least}; opr_\\w+ has the role ${role}\\. An admin changes it with \`operator change-role\`\\.\n$`,
        ),
      );
      assert.deepEqual((await head()).rows, before);
    });
  }
});

describe('operations', HANG_LIMIT, async () => {
  const files = globSync(['src/operations/**/*.ts', 'src/webhooks/endpoints/*.ts', 'src/schedule/*.ts'], { cwd: ROOT });
  /** They take who acts, and no operator calls them. */
  const ELSEWHERE: Record<string, string> = {
    adoptRecords: 'the start of the service calls it',
    ensureSealStart: 'the start of the service and a closing call it',
    sealContributions: 'the schedule calls it',
    endAdoption: 'the sealing of contributions calls it',
    closeDueSettlements: 'the schedule calls it',
    changeEndpoint: 'operations call it',
    changeEndpointAnd: 'operations call it',
    requireRole: 'operations call it',
    withRole: 'operations are made by it',
    requireSignedIn: 'operations call it',
  };
  const declared = (
    await Promise.all(files.filter((file) => !file.endsWith('.test.ts')).map((file) => import(join(ROOT, file))))
  ).flatMap((module) =>
    Object.entries(module as object).filter((entry): entry is [string, OperatorOperation<unknown, unknown[], unknown>] =>
      Object.hasOwn(Object(entry[1]), 'leastRole'),
    ),
  );

  test('each that operators call declares its least role', () => {
    // What works within a transaction of its caller takes `db`.
    const form = /^export (?:async )?function (\w+)(?:<[^>]*>)?\((?!\s*db\b)[^{]*?\bactor: Actor\b/gm;
    const undeclared = files.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(form)].map(([, name]) => name as string),
    );
    assert.deepEqual(
      undeclared.filter((name) => ELSEWHERE[name] === undefined),
      [],
    );
    assert.ok(declared.length > 30);
  });

  for (const [name, operation] of declared) {
    const role = roleBelow(operation.leastRole);
    test(`${name} is refused to a ${role}, before it looks at anything`, async () => {
      assert.ok(role, 'a change is for more than viewers');
      const untouched = new Proxy({}, { get: (_, key) => assert.fail(`it looked at ${String(key)}`) });
      await assert.rejects(operation(untouched, signedIn(role), untouched, untouched), {
        code: 'forbidden',
        message: new RegExp(
          `^This needs the role ${operation.leastRole}; opr_\\w+ has the role ${role}\\. An admin changes it with \`operator change-role\`\\.$`,
        ),
      });
    });
  }
});
