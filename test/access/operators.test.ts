/** Operators, their sign-in on a machine, and what takes two of them (settlements, section 5). */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { newCredential } from '../../src/domain/access/operator-credential.ts';
import { type Actor, ROLES, type Role } from '../../src/domain/access/role.ts';
import { requireSecondOperator, requireSignedIn } from '../../src/operations/access/four-eyes.ts';
import { changeOperatorRole, createOperator, disableOperator, resetSignIn } from '../../src/operations/access/manage-operator.ts';
import { authenticateOperator, renewSignIn, signIn, signOut } from '../../src/operations/access/sign-in.ts';
import { verifyAudit } from '../../src/operations/audit/verify-audit.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { listAuditEntries } from '../../src/store/audit/audit-entry.ts';
import { enrolled, OWNER, signedIn } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { needsTerminal, onTerminal } from '../support/commands/on-terminal.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database, databaseUrl } = service;

const newAddress = () => `${uniqueId('person').toLowerCase()}@example.org`;
const make = (role: Role = 'operator') => createOperator(database, OWNER, { name: 'Amal', email: newAddress(), role });
const signInAs = async (role: Role) => signIn(database, (await make(role)).signInCode);

/** A folder for somebody's own settings. */
function newHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-home-'));
  after(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('a sign-in code', () => {
  test('works once, and gives a token that tells the operator and the role of the moment', async () => {
    const { operator, signInCode } = await make('viewer');
    assert.match(signInCode, /^pi_code_[0-9A-Za-z]{61}$/);
    const { token } = await signIn(database, signInCode);
    assert.match(token, /^pi_op_[0-9A-Za-z]{61}$/);
    await assert.rejects(signIn(database, signInCode), /is not valid: it was used/);
    const { actor } = await authenticateOperator(database, token);
    assert.deepEqual([actor.operatorId, actor.role], [operator.operatorId, 'viewer']);
    await changeOperatorRole(database, OWNER, operator.operatorId, 'approver');
    assert.equal((await authenticateOperator(database, token)).actor.role, 'approver');
  });

  test('of twenty at once one is signed in', async () => {
    const { signInCode } = await make();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => signIn(database, signInCode)));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('is refused when it is mistyped, unknown, a day old, or not the secret of its id', async () => {
    const { signInCode, operator } = await make();
    const other = (await make()).signInCode;
    await assert.rejects(signIn(database, `${signInCode.slice(0, -1)}_`), /Invalid sign-in code/);
    await assert.rejects(signIn(database, newCredential('code').text), /is not valid/);
    await assert.rejects(signIn(database, newCredential('token').text), /Invalid sign-in code/);
    await database.pool.query(`update operator_credential set secret_sha256 = sha256('x') where operator_id = $1`, [
      operator.operatorId,
    ]);
    await assert.rejects(signIn(database, signInCode), /is not valid/);
    await database.pool.query("update operator_credential set expires_at = now() - interval '1 second' where kind = 'code'");
    await assert.rejects(signIn(database, other), /is not valid/);
  });

  test('made anew ends what was there before', async () => {
    const { operator, signInCode } = await make();
    const { token } = await signIn(database, signInCode);
    const again = await resetSignIn(database, OWNER, operator.operatorId);
    await assert.rejects(authenticateOperator(database, token), /has ended.*partner-impact login/);
    assert.ok((await signIn(database, again.signInCode)).token);
  });
});

describe('a token', () => {
  test('ends with a sign-out, with its time, and is refused when it is unknown', async () => {
    const { token } = await signInAs('operator');
    await signOut(database, token);
    await assert.rejects(authenticateOperator(database, token), /has ended/);
    const aged = await signInAs('operator');
    await database.pool.query("update operator_credential set expires_at = now() - interval '1 second' where operator_id = $1", [
      aged.operator.operatorId,
    ]);
    await assert.rejects(authenticateOperator(database, aged.token), /has ended/);
    await assert.rejects(
      authenticateOperator(database, newCredential('token').text),
      /does not know the sign-in on this machine/,
    );
    await signOut(database, 'nothing');
  });

  test('is renewed by itself while it is valid, with all its time, and the former one ends', async () => {
    const { token, operator } = await signInAs('operator');
    await database.pool.query("update operator_credential set expires_at = now() + interval '1 hour' where operator_id = $1", [
      operator.operatorId,
    ]);
    await attestRecord(database, OWNER, { kind: 'operator', id: operator.operatorId, reason: 'nearly over' });
    const renewed = await Promise.allSettled([renewSignIn(database, token), renewSignIn(database, token)]);
    const [made] = renewed.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    assert.equal(renewed.filter(({ status }) => status === 'rejected').length, 1, 'of two at once one');
    assert.ok(made && made.expiresAt.getTime() > Date.now() + 29 * 86_400_000);
    assert.equal((await authenticateOperator(database, made.token)).actor.operatorId, operator.operatorId);
    for (const ended of [token, newCredential('token').text, 'nothing'])
      await assert.rejects(renewSignIn(database, ended), { code: 'unauthorized' });
    await disableOperator(database, OWNER, operator.operatorId);
    await assert.rejects(renewSignIn(database, made.token), { code: 'forbidden' });
  });

  test('of an operator who is disabled does nothing, and says so', async () => {
    const { token, operator } = await signInAs('admin');
    await disableOperator(database, OWNER, operator.operatorId);
    await assert.rejects(authenticateOperator(database, token), /is disabled\. To sign in as another/);
    await assert.rejects(resetSignIn(database, OWNER, operator.operatorId), /is disabled/);
  });
});

describe('who may make and change operators', () => {
  for (const role of ROLES) {
    test(role, async () => {
      const { operator } = await make();
      const actor = signedIn(role);
      const changes = [
        () => createOperator(database, actor, { name: 'x', email: null, role: 'viewer' }),
        () => changeOperatorRole(database, actor, operator.operatorId, 'viewer'),
        () => resetSignIn(database, actor, operator.operatorId),
        () => disableOperator(database, actor, operator.operatorId),
      ];
      for (const change of changes) {
        if (role === 'admin') await change();
        else await assert.rejects(change(), { code: 'forbidden' });
      }
    });
  }

  test('whoever was disabled or got a lower role meanwhile changes nothing more, the own role neither', async () => {
    const [lowered, disabled, self] = await enrolled(database, 'admin', 'admin', 'admin');
    await changeOperatorRole(database, OWNER, lowered.operatorId, 'approver');
    await disableOperator(database, OWNER, disabled.operatorId);
    for (const late of [lowered, disabled]) {
      const wanted = { name: 'Amal', email: newAddress(), role: 'admin' } as const;
      await assert.rejects(createOperator(database, late, wanted), { code: 'forbidden', message: /a moment ago/ });
      await assert.rejects(changeOperatorRole(database, late, late.operatorId, 'admin'), { code: 'forbidden' });
    }
    await changeOperatorRole(database, self, self.operatorId, 'viewer');
    await assert.rejects(changeOperatorRole(database, self, self.operatorId, 'admin'), { code: 'forbidden' });
  });

  test('one address, one person who is not disabled', async () => {
    const wanted = { name: 'Amal', email: 'Amal@example.org', role: 'viewer' } as const;
    const { operator } = await createOperator(database, OWNER, wanted);
    await assert.rejects(createOperator(database, OWNER, { ...wanted, email: 'amal@EXAMPLE.org' }), /has the address/);
    await disableOperator(database, OWNER, operator.operatorId);
    assert.ok(await createOperator(database, OWNER, wanted));
  });

  test('an unknown operator is refused', async () => {
    await assert.rejects(disableOperator(database, OWNER, 'opr_x'), /There is no operator opr_x/);
  });
});

describe('what takes two people', () => {
  const people = enrolled(database, 'approver', 'approver');
  const begunBy = ({ operatorId }: Actor) => ({ operatorId, step: 'approve_failure' }) as const;

  test('is begun by one who is signed in, and approved by another', async () => {
    const [one, other] = await people;
    requireSignedIn(one);
    await requireSecondOperator(database.pool, other, begunBy(one));
    await assert.rejects(requireSecondOperator(database.pool, one, begunBy(one)), /another operator has to approve/);
  });

  test('the owner of the machine is none of the two, and neither is the schedule; the refusal says how to sign in', async () => {
    const [one] = await people;
    assert.throws(() => requireSignedIn(OWNER), /partner-impact login.*operator create/);
    await assert.rejects(
      requireSecondOperator(database.pool, OWNER, begunBy(one)),
      /The owner account is not a person.*partner-impact login/,
    );
    await assert.rejects(
      requireSecondOperator(database.pool, one, begunBy(OWNER)),
      /The owner account, which is not a person, drafted.*A signed-in operator has to do it again/,
    );
    await assert.rejects(
      requireSecondOperator(database.pool, { ...OWNER, operatorId: 'schedule' }, begunBy(one)),
      /account is not a person/,
    );
  });
});

/** The message alone: the words also stand in the settings of a connection. */
const COMMIT = '\x0bcommit\0';

describe('on a machine', () => {
  test('from the first admin to a second operator; the token lies where only its owner reads it', async () => {
    const home = newHome();
    const { run, runJson } = commandLine({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: home });
    assert.equal((await runJson('whoami')).operator_id, 'owner');
    const first = await runJson('operator', 'create', '--name', 'Amal', '--email', 'amal-admin@example.org', '--role', 'admin');
    const { code, stdout } = await run(['login', '--json'], {}, `${first.sign_in_code}\n`);
    assert.equal(code, 0);
    const { token_file: path } = JSON.parse(stdout);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(join(home, 'partner-impact')).mode & 0o777, 0o700);
    assert.equal(readdirSync(join(home, 'partner-impact')).length, 1);
    const token = readFileSync(path, 'utf8').trim();
    assert.ok(!stdout.includes(token));
    assert.equal((await runJson('whoami')).operator_id, first.operator_id);
    assert.equal((await runJson('login', '--renew')).operator_id, first.operator_id);
    await assert.rejects(authenticateOperator(database, token), /has ended/, 'the former token');
    const renewed = readFileSync(path, 'utf8').trim();
    const second = await runJson('operator', 'create', '--name', 'Badr', '--email', 'badr@example.org', '--role', 'viewer');
    const [entry] = await runJson('audit', 'list', '--subject', second.operator_id);
    assert.deepEqual([entry.operator_id, entry.role, entry.action], [first.operator_id, 'admin', 'operator.create']);
    assert.ok((await runJson('operator', 'list')).some(({ name }: { name: string }) => name === 'Badr'));

    assert.equal((await run(['login'], {}, second.sign_in_code)).code, 0);
    await assert.rejects(authenticateOperator(database, renewed), /has ended/, 'the former sign-in');
    const refused = await run(['operator', 'create', '--name', 'x', '--email', newAddress(), '--role', 'admin']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /This needs the role admin; opr_\w+ has the role viewer/);

    chmodSync(path, 0o640);
    assert.match((await run(['whoami'])).stderr, /is open to other users/);
    chmodSync(path, 0o600);
    await disableOperator(database, OWNER, second.operator_id);
    const stopped = await run(['audit', 'list']);
    assert.deepEqual([stopped.code, /is disabled/.test(stopped.stderr)], [1, true]);
    assert.deepEqual(await runJson('logout'), { signed_out: true });
    assert.deepEqual(readdirSync(join(home, 'partner-impact')), []);
    assert.equal((await runJson('whoami')).operator_id, 'owner');
  });

  test('logout and login end a sign-in whose token file other users can read', async () => {
    const { run, runJson } = commandLine({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: newHome() });
    const signInAndOpen = async () => {
      const { stdout } = await run(['login', '--json'], {}, (await make('viewer')).signInCode);
      const { token_file: path } = JSON.parse(stdout);
      chmodSync(path, 0o644);
      return readFileSync(path, 'utf8').trim();
    };
    const former = await signInAndOpen();
    assert.match((await run(['whoami'])).stderr, /is open to other users\. If others may have read it, sign out/);
    const latest = await signInAndOpen();
    await assert.rejects(authenticateOperator(database, former), /has ended/, 'login ends the former sign-in');
    assert.deepEqual(await runJson('logout'), { signed_out: true });
    await assert.rejects(authenticateOperator(database, latest), /has ended/, 'logout ends the sign-in');
    assert.deepEqual(await runJson('logout'), { signed_out: false });
  });

  test('logout and login say that a sign-in whose token cannot be read was not ended', async () => {
    const { run } = commandLine({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: newHome() });
    const signInHere = async () => run(['login', '--json'], {}, (await make('viewer')).signInCode);
    const { token_file: path } = JSON.parse((await signInHere()).stdout);
    rmSync(path);
    // Of root too, no program can read this.
    symlinkSync(path, path);
    const { code, stdout, stderr } = await run(['logout']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /The token in .+\.token cannot be read: ELOOP.+operator reset-sign-in/);
    const next = await signInHere();
    assert.equal(next.code, 0);
    assert.match(next.stderr, /^Done\. The former sign-in was not ended: The token in .+ cannot be read: ELOOP/);
  });

  test('where the token cannot be stored the code stays valid', async () => {
    const { signInCode } = await make('viewer');
    const home = newHome();
    const taken = join(home, 'taken');
    writeFileSync(taken, '');
    const { run } = commandLine({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: home });
    const { code, stderr } = await run(['login'], { XDG_CONFIG_HOME: taken }, signInCode);
    assert.equal(code, 1);
    assert.match(stderr, /The token of the sign-in cannot be stored: ENOTDIR.+XDG_CONFIG_HOME.+stays valid/);
    assert.equal((await run(['login'], {}, signInCode)).code, 0);
  });

  test('a sign-in or renewal whose answer was lost is there with the next command', HANG_LIMIT, async () => {
    const { operator, signInCode } = await make('viewer');
    const home = newHome();
    const { run, runJson } = commandLine({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: home });
    const proxy = await databaseProxy(databaseUrl);
    const loseAnswer = async (words: string[], code: string) => {
      const committed = proxy.hold(COMMIT, true);
      const ending = run(words, { DATABASE_URL: proxy.databaseUrl }, code);
      (await committed)();
      assert.match((await ending).stderr, /outcome of the COMMIT is unknown/);
      // The server may still be about to commit.
      await waitFor('sign-in of the operator', async () => (await runJson('whoami')).operator_id === operator.operatorId);
    };
    await loseAnswer(['login'], signInCode);
    await loseAnswer(['login', '--renew'], '');
    assert.equal((await runJson('login', '--renew')).operator_id, operator.operatorId);
    assert.equal(readdirSync(join(home, 'partner-impact')).length, 1);
  });

  test('a renewal that was not stored leaves the sign-in as it is', HANG_LIMIT, async () => {
    const { operator, signInCode } = await make('viewer');
    const { run, runJson } = commandLine({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: newHome() });
    assert.equal((await run(['login'], {}, signInCode)).code, 0);
    const proxy = await databaseProxy(databaseUrl);
    const sent = proxy.hold(COMMIT, false);
    const ending = run(['login', '--renew'], { DATABASE_URL: proxy.databaseUrl });
    (await sent)();
    assert.match((await ending).stderr, /outcome of the COMMIT is unknown/);
    assert.equal((await runJson('whoami')).operator_id, operator.operatorId);
    assert.equal((await runJson('login', '--renew')).operator_id, operator.operatorId);
    assert.deepEqual(await runJson('logout'), { signed_out: true });
    assert.equal((await runJson('whoami')).operator_id, 'owner');
  });

  test('the code is read from standard input and nowhere else', async () => {
    const { run } = commandLine({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: newHome() });
    assert.equal((await run(['login', 'pi_code_x'])).code, 2);
    assert.match((await run(['login', '--renew'])).stderr, /No operator is signed in on this machine/);
    const { code, stderr } = await run(['login']);
    assert.equal(code, 2);
    assert.match(stderr, /on standard input/);
  });

  const withHome = (home: string) => ({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: home });

  test('on a terminal a question is answered; leaving it does nothing', { ...needsTerminal, ...HANG_LIMIT }, async () => {
    const { operator } = await make('viewer');
    const home = newHome();
    const disable = (typed: string) =>
      onTerminal(['operator', 'disable', '--operator', operator.operatorId], { env: withHome(home), prompt: '[y/N]', typed });
    for (const typed of ['\x03', '\x04', '\r', 'no\r']) {
      const left = await disable(typed);
      assert.deepEqual([left.code, /Nothing was done\./.test(left.shown)], [2, true], left.shown);
    }
    const done = await disable('y\r');
    assert.deepEqual([done.code, /disabled/.test(done.shown)], [0, true], done.shown);
  });

  test(
    'a question whose standard error is a file is asked on the terminal; where there is none, nothing is done',
    needsTerminal,
    async () => {
      const { operator } = await make('viewer');
      const words = ['operator', 'disable', '--operator', operator.operatorId];
      const home = newHome();
      const asked = { env: withHome(home), prompt: '[y/N]', typed: 'n\r' };
      const left = await onTerminal(words, { ...asked, redirect: `2>${join(home, 'errors')}` });
      assert.deepEqual([left.code, left.shown.includes('[y/N]')], [2, true], left.shown);
      const both = await onTerminal(words, { ...asked, redirect: `>${join(home, 'out')} 2>&1` });
      assert.equal(both.code, 2);
      assert.match(readFileSync(join(home, 'out'), 'utf8'), /There is no terminal to ask on/);
      const code = await onTerminal(['login'], {
        ...asked,
        prompt: 'code:',
        typed: '\x04',
        redirect: `2>${join(home, 'errors')}`,
      });
      assert.deepEqual([code.code, code.shown.includes('One-time code:')], [2, true], code.shown);
    },
  );

  test('on a terminal the code is asked for, and shown nowhere; leaving signs nobody in', needsTerminal, async () => {
    const home = newHome();
    const login = (typed: string) => onTerminal(['login'], { env: withHome(home), prompt: 'code:', typed });
    const { signInCode } = await make('viewer');
    const signed = await login(`${signInCode}\r`);
    assert.equal(signed.code, 0, signed.shown);
    assert.match(signed.shown, /Signed in as Amal/);
    assert.ok(!signed.shown.includes(signInCode.slice(0, 12)), signed.shown);
    for (const key of ['\x03', '\x04']) {
      const left = await login(key);
      assert.deepEqual([left.code, /No code was given/.test(left.shown)], [2, true], left.shown);
    }
  });

  test('a sign-in of one installation is none of another', async () => {
    const home = newHome();
    const { signInCode } = await make('viewer');
    await commandLine({ DATABASE_URL: databaseUrl, XDG_CONFIG_HOME: home }).run(['login'], {}, signInCode);
    const other = await testService();
    const { runJson } = commandLine({ DATABASE_URL: other.databaseUrl, XDG_CONFIG_HOME: home });
    assert.equal((await runJson('whoami')).operator_id, 'owner');
  });
});

test('every change has its entry, and no code or token is ever in one', async () => {
  const { operator, signInCode } = await make('viewer');
  const { token } = await signIn(database, signInCode);
  await changeOperatorRole(database, OWNER, operator.operatorId, 'operator');
  await signOut(database, token);
  const { signInCode: again } = await resetSignIn(database, OWNER, operator.operatorId);
  await disableOperator(database, OWNER, operator.operatorId);
  const entries = await listAuditEntries(database.pool, { subjectId: operator.operatorId, limit: 100 });
  assert.deepEqual(entries.map(({ action }) => action.slice('operator.'.length)).reverse(), [
    'create',
    'sign-in',
    'change-role',
    'sign-out',
    'reset-sign-in',
    'disable',
  ]);
  assert.match(entries.at(-3)?.before ?? '', /"role":"viewer"/);
  assert.match(entries.at(-3)?.after ?? '', /"role":"operator"/);
  const { rows } = await database.pool.query('select e::text as text from audit_entry e');
  for (const secret of [signInCode, token, again]) for (const { text } of rows) assert.ok(!text.includes(secret.slice(-40)));
  assert.equal((await verifyAudit(database)).fault, null);
});
