/** The owner of the machine: everything in a sandbox, in production the first admin and nothing else (settlements, section 5). */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Actor } from '../../src/domain/access/role.ts';
import { newNamedKey, readNamedKeys, writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { breakGlass } from '../../src/operations/access/break-glass.ts';
import { changeOperatorRole, createOperator, disableOperator } from '../../src/operations/access/manage-operator.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { verifyAudit } from '../../src/operations/audit/verify-audit.ts';
import { reportBreakGlass } from '../../src/schedule/jobs/report-break-glass.ts';
import { doRun } from '../../src/schedule/run-job.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { claimJob } from '../../src/store/jobs/job.ts';
import type { RunTrigger } from '../../src/store/jobs/job-run.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { auditKeys, enrolled, OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { callOf, everyCommand } from '../support/commands/every-command.ts';
import { emptyDatabase, testDatabase } from '../support/postgres/database.ts';
import { needs } from '../support/postgres/embedded.ts';
import { spawnService, testService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const KEYS = Object.fromEntries(['SECRETS_KEY', 'AUDIT_KEY'].map((name) => [name, writeNamedKey(newNamedKey('test'))]));
const PRODUCTION = { SERVICE_ENVIRONMENT: 'production', ...KEYS };
const REFUSED = /No operator is signed in, and in production the owner account may only create the first admin/;
const WHY = ['--break-glass', 'the only admin has left'];

/** A person's settings folder on one machine. */
function newHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-home-'));
  after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Commands of a production installation, in the name of whoever keeps a sign-in in the folder. */
function machineOf(databaseUrl: string, home = newHome()): CommandLine {
  return commandLine({ ...PRODUCTION, DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: home });
}

const newAddress = () => `${uniqueId('person').toLowerCase()}@example.org`;
const creation = (role: string) => ['operator', 'create', '--name', 'Amal', '--email', newAddress(), '--role', role];

async function signInBy(maker: CommandLine, role: string, home = newHome(), databaseUrl = ''): Promise<CommandLine> {
  const { sign_in_code } = await maker.runJson(...creation(role));
  const own = machineOf(databaseUrl, home);
  const { code, stderr } = await own.run(['login'], {}, sign_in_code);
  assert.equal(code, 0, stderr);
  return own;
}

/** An installation of production with its first admin, who is signed in. */
async function newProduction() {
  const { databaseUrl, pool } = await testDatabase();
  const owner = machineOf(databaseUrl);
  const { partner_id: partnerId } = await owner.runJson('partner', 'create', '--name', 'Before any admin');
  const admin = await signInBy(owner, 'admin', newHome(), databaseUrl);
  return { databaseUrl, pool, owner, admin, partnerId };
}

const production = newProduction();

/** They go on without a sign-in, and why. */
const OPEN: Record<string, string> = {
  serve: 'it is the service',
  'demo make': 'a start of a sandbox calls it; production refuses it',
  migrate: 'a deployment does it, as it starts the service',
  doctor: 'whoever looks after the machine has to know what is wrong',
  login: 'it is the way in',
  logout: 'it is the way out',
  'webhook listen': 'it has no database',
  'webhook verify': 'it has no database',
  rehearse: "it is the partner's, and has no database",
};

describe('in production, once there is an admin', HANG_LIMIT, () => {
  test('every command asks for a sign-in before it does or shows anything, but those that have to go on', async () => {
    const { owner } = await production;
    const commands = await everyCommand();
    assert.ok(commands.length > 70);
    const asking = commands.filter(({ words }) => OPEN[words.join(' ')] === undefined).values();
    const worker = async () => {
      for (const each of asking) {
        const { code, stdout, stderr } = await owner.run(callOf(each));
        assert.deepEqual([code, stdout], [1, ''], `${each.words.join(' ')}: ${stderr}`);
        assert.match(stderr, REFUSED, each.words.join(' '));
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
  });

  test('doctor and migrate go on; the admin, signed in, gives every command', async () => {
    const { owner, admin, partnerId } = await production;
    assert.equal((await owner.run(['migrate'])).code, 0);
    const { stdout } = await owner.run(['doctor']);
    assert.match(stdout, /migrations +ok/);
    assert.doesNotMatch(stdout, /there is no admin/);
    assert.equal((await admin.runJson('partner', 'show', '--partner', partnerId)).partner_id, partnerId);
    assert.equal((await admin.runJson('partner', 'suspend', '--partner', partnerId, '--yes')).status, 'suspended');
  });

  test('an operator who takes the own sign-in off the machine, or looks for it elsewhere, is nobody', async () => {
    const { databaseUrl, admin, partnerId } = await production;
    const home = newHome();
    const viewer = await signInBy(admin, 'viewer', home, databaseUrl);
    const resume = ['partner', 'resume', '--partner', partnerId];
    assert.match((await viewer.run(resume)).stderr, /needs the role operator; opr_\w+ has the role viewer/);
    for (const folder of [newHome(), '', 'relative'])
      assert.match((await viewer.run(resume, { XDG_CONFIG_HOME: folder, HOME: newHome() })).stderr, REFUSED);
    renameSync(join(home, 'partner-impact'), join(home, 'elsewhere'));
    assert.match((await viewer.run(resume)).stderr, REFUSED);
    assert.match((await viewer.run(['partner', 'list'])).stderr, REFUSED);
    assert.match((await viewer.run(['whoami'])).stderr, REFUSED);
  });

  test('whoever looks may not test an endpoint, and migrates only as an admin', async () => {
    const { databaseUrl, admin, partnerId } = await production;
    const viewer = await signInBy(admin, 'viewer', newHome(), databaseUrl);
    const words = ['endpoint', 'test', '--partner', partnerId, '--endpoint', 'wep_x'];
    assert.match((await viewer.run(words)).stderr, /needs the role operator/);
    assert.match((await viewer.run(['migrate'])).stderr, /needs the role admin/);
    assert.equal((await admin.run(['migrate'])).code, 0);
  });
});

describe('--break-glass', HANG_LIMIT, () => {
  test('is refused where no operator is needed, and so nobody acts for the owner: nothing is done or recorded', async () => {
    const { owner, pool } = await production;
    const count = async () => (await pool.query("select from audit_entry where action = 'owner.break-glass'")).rowCount;
    const before = await count();
    const hash = 'a'.repeat(64);
    const open = [
      ['whoami'],
      ['login'],
      ['logout'],
      ['migrate'],
      ['doctor'],
      ['statement', 'verify', '--file', 'x', '--sha256', hash],
    ];
    for (const words of open) {
      const { code, stdout, stderr } = await owner.run([...words, ...WHY]);
      assert.deepEqual([code, stdout], [2, ''], words.join(' '));
      assert.match(stderr, /^This command acts for nobody, so --break-glass changes nothing: leave it out\.$/m);
    }
    assert.equal(await count(), before);
  });

  test('is the way back: audited with its reason before anything is done, told on the terminal, shown by doctor', async () => {
    const { owner, pool } = await production;
    const { code, stderr, stdout } = await owner.run([...creation('admin'), ...WHY, '--json']);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /BREAK-GLASS: this command acts for the owner account/);
    const { operator_id } = JSON.parse(stdout);
    const { rows } = await pool.query('select * from audit_entry order by entry_no desc limit 2');
    const [made, broken] = rows;
    assert.deepEqual([made.action, made.operator_id, made.subject_id], ['operator.create', 'owner', operator_id]);
    assert.deepEqual([broken.action, broken.correlation_id], ['owner.break-glass', made.correlation_id]);
    const { reason, user, machine } = JSON.parse(broken.after_json);
    assert.ok(reason === WHY[1] && user && machine);
    const doctor = await owner.run(['doctor']);
    assert.match(
      doctor.stdout.replaceAll(/\s+/g, ' '),
      /break-glass warning .*acted for the owner account, because "the only admin has left"/,
    );
    assert.equal(doctor.code, 0);
  });

  test('works for a user without a name or a home, as in a container; other commands say what to set', async (t) => {
    const { skip } = needs('namespaces');
    if (skip) return t.skip(skip);
    const { databaseUrl, pool } = await production;
    const { HOME: _home, XDG_CONFIG_HOME: _folder, ...inherited } = process.env;
    const give = (...words: string[]) => {
      const account = ['unshare', '--user', '--map-user=10001', '--map-group=10001'];
      const [program = '', ...line] = [...account, process.execPath, join(ROOT, 'src/main.ts'), ...words];
      return spawnSync(program, line, { encoding: 'utf8', env: { ...inherited, ...PRODUCTION, DATABASE_URL: databaseUrl } });
    };
    const { status, stdout, stderr } = give('operator', 'list', ...WHY);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^OPERATOR/);
    const { rows } = await pool.query(
      "select * from audit_entry where action = 'owner.break-glass' order by entry_no desc limit 1",
    );
    assert.equal(JSON.parse(rows[0].after_json).user, 'uid 10001');
    const homeless = give('operator', 'list');
    assert.deepEqual([homeless.status, homeless.stdout], [2, '']);
    assert.match(homeless.stderr, /This user \(uid 10001\) has no home .+ Set XDG_CONFIG_HOME to a folder/);
  });

  test('stands before, between or behind the words, reads as well, and goes over a sign-in that has ended', async () => {
    const { owner, admin } = await production;
    for (const words of [
      [...WHY, 'operator', 'list'],
      ['operator', ...WHY, 'list'],
      ['operator', 'list', ...WHY],
    ]) {
      const { code, stdout, stderr } = await owner.run(words);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^OPERATOR/);
    }
    await admin.run(['logout']);
    assert.match((await admin.run(['operator', 'list'])).stderr, REFUSED);
    assert.equal((await admin.run(['operator', 'list', ...WHY])).code, 0);
  });

  test('takes a reason, leaves its entry where the command itself fails, and makes nobody one of two', async () => {
    const { owner, pool, partnerId } = await production;
    for (const none of ['', ' ', 'x'.repeat(501)])
      assert.match(
        (await owner.run(['operator', 'list', '--break-glass', none])).stderr,
        /reason must be a line of 1 to 500 characters/,
      );
    const count = async () => (await pool.query("select 1 from audit_entry where action = 'owner.break-glass'")).rows.length;
    const before = await count();
    assert.equal((await owner.run(['partner', 'show', '--partner', 'ptn_x', ...WHY])).code, 2);
    assert.equal(await count(), before + 1);
    const draft = ['--partner-event-id', 'event-10301', '--order', 'order-1', '--points', '1', '--reason', 'a test'];
    const { stderr } = await owner.run(['failure', 'draft', '--partner', partnerId, ...draft, ...WHY]);
    assert.match(stderr, /needs four eyes\. The owner account is not a person/);
  });
});

test('the service logs it as an error, with its reason, and says it once', HANG_LIMIT, async () => {
  const { databaseUrl, pool, owner } = await newProduction();
  const database = openDatabase({
    databaseUrl,
    poolSize: 2,
    auditKeys: () => readNamedKeys(KEYS['AUDIT_KEY'] ?? '', 'AUDIT_KEY'),
  });
  after(() => database.close());
  await pool.query(DUE_REPORT);
  assert.deepEqual(await report(database, 'schedule'), []);
  await owner.run(['operator', 'list', ...WHY]);
  const alerts = await report(database, 'schedule');
  assert.match(alerts.join(), /^--break-glass \(entry \d+ of the audit, .*because "the only admin has left"$/);
  assert.deepEqual(await report(database, 'schedule'), []);
  await owner.run(['operator', 'list', '--break-glass', 'told by the service']);
  const service = await spawnService(databaseUrl, { ...PRODUCTION, LOG_LEVEL: 'error' }, ['--roles', 'schedule']);
  await pool.query(`update job set due_at = ${NOW} where job_name = 'report-break-glass'`);
  await waitFor('line of the log', () => service.output().includes('told by the service'));
  const line =
    service
      .output()
      .split('\n')
      .find((each) => each.includes('told by the service')) ?? '';
  assert.equal(JSON.parse(line).level, 50);
  await service.end('SIGTERM');
});

/** The column keeps whole milliseconds: `now()` alone may be rounded up to one that has not come yet. */
const NOW = "date_trunc('milliseconds', now())";
const DUE_REPORT = `insert into job (job_name, pattern, due_at) values ('report-break-glass', '* * * * *', ${NOW})`;

/** Runs the job as the schedule or somebody by hand would, and returns what it reports. */
async function report(database: Database, trigger: RunTrigger): Promise<string[]> {
  const { pool } = database;
  const claimed = await claimJob(pool, { jobName: reportBreakGlass.name, leaseMs: 60_000, trigger });
  assert.ok(claimed);
  const alerts: string[] = [];
  const terms = { stop: new AbortController().signal, onAlert: (_: unknown, sentence: string) => void alerts.push(sentence) };
  const run = await doRun(database, { job: reportBreakGlass, ...claimed, trigger, correlationId: 'corr_1' }, terms);
  assert.equal(run.outcome, 'succeeded');
  await pool.query(`update job set due_at = ${NOW} where job_name = 'report-break-glass'`);
  return alerts;
}

test('no run by hand, clock or earlier release takes a use from the report of the schedule', HANG_LIMIT, async () => {
  const { databaseUrl, pool } = await testDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 2, auditKeys });
  after(() => database.close());
  const why = (reason: string) => ({ reason, user: 'root', machine: 'here' });
  await pool.query(DUE_REPORT);
  await breakGlass(database, why('before the first run'));
  assert.match((await report(database, 'schedule')).join(), /before the first run/);
  await breakGlass(database, why('seen by hand'));
  assert.match((await report(database, 'hand')).join(), /seen by hand/);
  const { rowCount } = await pool.query(
    "update job set last_success_at = now() + interval '1 day' where job_name = 'report-break-glass'",
  );
  assert.equal(rowCount, 1);
  const again = await report(database, 'schedule');
  assert.equal(again.length, 1);
  assert.match(again.join(), /seen by hand/);
  assert.deepEqual(await report(database, 'schedule'), []);
  await breakGlass(database, why('in the log of an earlier release'));
  await pool.query(`with run as (
      update job set last_run_no = last_run_no + 1, last_success_at = now() where job_name = 'report-break-glass' returning last_run_no
    )
    insert into job_run (job_name, run_no, trigger, started_at, ended_at, outcome, result_json)
      select 'report-break-glass', last_run_no, 'schedule', now(), now(), 'succeeded', '{"uses":1}' from run`);
  const fromEarlier = await report(database, 'schedule');
  assert.equal(fromEarlier.length, 1);
  assert.match(fromEarlier.join(), /in the log of an earlier release/);
});

test('the first run of this release goes on from the last one of an earlier release, however long ago that was', async () => {
  const { databaseUrl, pool } = await testDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 2, auditKeys });
  after(() => database.close());
  await pool.query(DUE_REPORT);
  await pool.query("update job set last_success_at = now() - interval '40 hours'");
  await breakGlass(database, { reason: 'while no service ran', user: 'root', machine: 'here' });
  await pool.query(
    "alter table audit_entry disable trigger user; update audit_entry set recorded_at = now() - interval '30 hours'",
  );
  assert.match((await report(database, 'schedule')).join(), /while no service ran/);
});

describe('the first admin', HANG_LIMIT, () => {
  test('is made by the owner of the machine, of whom doctor says so; of two at once one', async () => {
    const { databaseUrl, pool } = await testDatabase();
    const owner = machineOf(databaseUrl);
    await owner.runJson('operator', 'list');
    assert.match((await owner.run(['doctor'])).stdout.replaceAll(/\s+/g, ' '), /operators warning there is no admin yet/);
    const made = await Promise.all([owner.run(creation('admin')), owner.run(creation('admin'))]);
    assert.deepEqual(made.map(({ code }) => code).sort(), [0, 1]);
    assert.match(made.map(({ stderr }) => stderr).join(''), REFUSED);
    assert.equal((await pool.query("select 1 from operator where role = 'admin'")).rows.length, 1);
  });

  test('stays the end of the owner, whatever becomes of the admin', async () => {
    const service = await testService();
    const { database } = service;
    await database.pool.query("update installation set environment = 'production'");
    const raised = (await createOperator(database, OWNER, { name: 'Amal', email: newAddress(), role: 'approver' })).operator;
    await changeOperatorRole(database, OWNER, raised.operatorId, 'admin');
    const change = (actor: Actor) => createPartner(database, actor, 'Nowhere');
    await assert.rejects(change(OWNER), { code: 'forbidden', message: REFUSED });
    const admin: Actor = { ...OWNER, operatorId: raised.operatorId };
    await change(admin);
    await changeOperatorRole(database, admin, raised.operatorId, 'viewer');
    await assert.rejects(change(OWNER), REFUSED);
    const broken = await breakGlass(database, { reason: 'a test', user: 'root', machine: 'here' });
    await disableOperator(database, broken, raised.operatorId);
    await assert.rejects(change(OWNER), REFUSED);
    await change(broken);
    assert.equal((await verifyAudit(database)).fault, null);
  });

  test('of before the migration counts, also one who was lowered since', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    await migrate(databaseUrl);
    await pool.query("insert into installation (environment) values ('production')");
    const entry = (no: number, action: string, after: string) =>
      pool.query(
        `insert into audit_entry values ($1, '2026-01-01', 'owner', 'admin', $2, null, 'opr_1', null, $3, 'corr_1', '', 'test', 'x')`,
        [no, action, after],
      );
    await entry(1, 'operator.create', '{"name":"Amal","email":null,"role":"admin","disabled_at":null}');
    await entry(2, 'operator.change-role', '{"name":"Amal","email":null,"role":"viewer","disabled_at":null}');
    await pool.query(
      `insert into operator (operator_id, name, email, role, created_at, disabled_at) values
        ('opr_1', 'a', 'Amal+1@Example.org', 'viewer', '2026-01-01', null), ('opr_2', 'b', 'amal@example.org', 'approver', '2026-01-02', null),
        ('opr_3', 'c', 'amal+3@example.org', 'viewer', '2026-01-03', '2026-01-04'), ('opr_4', 'd', 'аmal@example.org', 'viewer', '2026-01-03', null),
        ('opr_5', 'e', null, 'approver', '2026-01-03', null)`,
    );
    await pool.query(`alter table installation drop column first_admin_at; drop index operator_email_canonical;
      alter table operator drop column email_canonical; create unique index operator_email on operator (lower(email)) where disabled_at is null`);
    const [migration = ''] = globSync('migrations/*_people.sql', { cwd: ROOT });
    await pool.query(readFileSync(join(ROOT, migration), 'utf8'));
    const { rows } = await pool.query('select operator_id, email_canonical from operator order by 1');
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        ['opr_1', 'amal@example.org'],
        ['opr_2', null],
        ['opr_3', 'amal@example.org'],
        ['opr_4', null],
        ['opr_5', null],
      ],
    );
    const installation = await pool.query('select first_admin_at from installation');
    assert.equal(installation.rows[0].first_admin_at.toISOString(), '2026-01-01T00:00:00.000Z');
  });
});

test('in a sandbox the owner goes on beside admins, without a sign-in', HANG_LIMIT, async () => {
  const { database, databaseUrl } = await testService();
  await enrolled(database, 'admin');
  const { runJson } = commandLine({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: newHome() });
  assert.equal((await runJson('whoami')).operator_id, 'owner');
  assert.ok((await runJson('partner', 'create', '--name', 'By the owner')).partner_id);
});
