/** The command line: what programs read, what people read, and how it fails. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { formatTime } from '../../src/commands/terminal/output.ts';
import { type NamedKey, newNamedKey, writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { openSecretBox } from '../../src/webhooks/security/secret-box.ts';
import { Client } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { run, runJson } = commandLine({ DATABASE_URL: service.databaseUrl });

test('--version prints the version of the package, alone or before a command', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
  for (const words of [['--version'], ['--version', 'doctor']])
    assert.deepEqual(await run(words), { code: 0, stdout: `${version}\n`, stderr: '' });
});

test('of many partners of one name five are named, and that there are more', async () => {
  const add = (name: string) => runJson('partner', 'create', '--name', name);
  const ask = async (name: string) => (await run(['partner', 'show', '--partner', name])).stderr;
  for (let count = 0; count < 5; count++) await add('Namesake');
  assert.match(await ask('Namesake'), /: (ptn_\w+, ){4}ptn_\w+\.\n$/);
  await add('Namesake');
  assert.match(await ask('Namesake'), /: (ptn_\w+, ){4}ptn_\w+; there are more, which `partner list` shows\.\n$/);
});

describe('for programs: exactly one JSON value on standard output', () => {
  test('from a partner to a confirmed contribution', async () => {
    const { partner_id } = await runJson(
      'partner',
      'create',
      '--name',
      'Noon & Sons',
      '--writes-per-second',
      '7',
      '--lookups-per-second',
      '9',
    );
    const shown = await runJson('partner', 'show', '--partner', partner_id);
    assert.deepEqual(
      [shown.name, shown.status, shown.writes_per_second, shown.lookups_per_second],
      ['Noon & Sons', 'active', 7, 9],
    );
    const issued = await runJson('key', 'issue', '--partner', partner_id);
    assert.match(issued.api_key, /^pi_sandbox_/);
    assert.ok(issued.api_key.includes(issued.key_id));
    assert.equal((await new Client(service.baseUrl, issued.api_key).confirm()).status, 201);
    const [listed] = await runJson('key', 'list', '--partner', partner_id);
    assert.equal(listed.key_id, issued.key_id);
    assert.equal(listed.api_key, undefined);
  });

  test('suspend and resume', async () => {
    const { partner_id } = await runJson('partner', 'create', '--name', 'Suspended');
    assert.equal((await runJson('partner', 'suspend', '--partner', partner_id, '--yes')).status, 'suspended');
    assert.equal((await runJson('partner', 'resume', '--partner', partner_id)).status, 'active');
    assert.ok((await runJson('partner', 'list')).some((each: { partner_id: string }) => each.partner_id === partner_id));
  });

  test('a key on terms, rotated and revoked', async () => {
    const { partner_id } = await runJson('partner', 'create', '--name', 'With terms');
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const terms = ['--permission', 'read_only', '--allow', '203.0.113.7', '--allow', '2001:db8::/32', '--expires-at', expiresAt];
    const issued = await runJson('key', 'issue', '--partner', partner_id, ...terms);
    assert.deepEqual(
      [issued.permission, issued.allowed_addresses, issued.expires_at],
      ['read_only', ['203.0.113.7', '2001:db8::/32'], expiresAt],
    );
    const rotated = await runJson('key', 'rotate', '--key', issued.key_id, '--overlap-hours', '0', '--yes');
    assert.notEqual(rotated.key_id, issued.key_id);
    assert.equal(rotated.expires_at, expiresAt);
    const endless = await runJson('key', 'rotate', '--key', rotated.key_id, '--without-end');
    assert.equal(endless.expires_at, null);
    const { code, stderr } = await run(['key', 'rotate', '--key', endless.key_id, '--without-end', '--expires-at', expiresAt]);
    assert.equal(code, 2);
    assert.match(stderr, /cannot be used with/);
    const { stdout } = await run(['key', 'rotate', '--key', endless.key_id, '--expires-at', expiresAt]);
    assert.match(
      stdout,
      new RegExp(`The new key expires at ${formatTime(new Date(expiresAt))}; the old key ${endless.key_id} is valid until`),
    );
    assert.equal(rotated.replaces.key_id, issued.key_id);
    assert.equal((await runJson('key', 'revoke', '--key', rotated.key_id, '--yes')).status, 'revoked');
  });

  test('doctor finds nothing wrong with a sound installation, and migrate nothing to do', async () => {
    const { ok, findings } = await runJson('doctor');
    assert.equal(ok, true, JSON.stringify(findings));
    assert.deepEqual(
      findings.map(({ check }: { check: string }) => check),
      ['settings', 'durability', 'clock', 'migrations', 'keys'],
    );
    assert.deepEqual(await runJson('migrate'), { applied: [] });
  });
});

describe('for people', () => {
  test('tables have headings, and a key is said to be shown once', async () => {
    const { partner_id } = await runJson('partner', 'create', '--name', 'For people');
    const { stdout: partners } = await run(['partner', 'list']);
    assert.match(partners, /^PARTNER +NAME +STATUS/, `a table wider than 120 columns is printed as fields:\n${partners}`);
    assert.match(
      (await run(['key', 'list', '--partner', partner_id])).stdout,
      /The partner has no key yet\. Create one: npx partner-impact key issue/,
    );
    assert.match((await run(['key', 'issue', '--partner', partner_id])).stdout, /shown only once/);
  });

  test('doctor and migrate say that a database is empty; doctor names what is missing and what to run, with exit code 1', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    const examine = async () => {
      const { code, stdout } = await run(['doctor'], { DATABASE_URL: databaseUrl });
      return { code, stdout: stdout.replaceAll(/\s+/g, ' ') };
    };
    const isEmpty = 'his database is empty: no release was here';
    const first = await examine();
    assert.equal(first.code, 1);
    assert.match(first.stdout, new RegExp(`migrations problem t${isEmpty}\\. Run: npx partner-impact migrate`));
    const told: string[] = [];
    for (let each = 0; each < 2; each++) told.push((await run(['migrate', '--json'], { DATABASE_URL: databaseUrl })).stderr);
    assert.deepEqual(
      told.map((stderr) => stderr.includes(isEmpty)),
      [true, false],
    );
    await pool.query('delete from kysely_migration where name = (select max(name) from kysely_migration)');
    assert.match((await examine()).stdout, /migrations problem missing: \d{4}_\w+\. Run: npx partner-impact migrate/);
  });

  test('doctor warns of a job that has been due for long, because no process has the role schedule', async () => {
    const ofJobs = async () => {
      const { findings } = await runJson('doctor');
      return findings.filter(({ check }: { check: string }) => check === 'jobs');
    };
    const add = (minutes: number) =>
      service.database.pool.query(
        `insert into job (job_name, pattern, due_at) values ('close-settlements', '* * * * *', now() - $1 * interval '1 minute')
          on conflict (job_name) do update set due_at = excluded.due_at`,
        [minutes],
      );
    await add(5);
    assert.deepEqual(await ofJobs(), []);
    await add(15);
    const [{ verdict, message }] = await ofJobs();
    assert.equal(verdict, 'warning');
    assert.match(
      message,
      /^no process runs what is due: close-settlements since \S+Z\. Start the service, or a process with the role schedule/,
    );
    await service.database.pool.query("delete from job where job_name = 'close-settlements'");
  });

  test('doctor tells of a table that a session has locked, and of everything that it found before and behind it', async () => {
    const client = await service.database.pool.connect();
    try {
      await client.query('begin; set local idle_in_transaction_session_timeout = 0; lock table installation');
      const { code, stdout } = await run(['doctor', '--json']);
      assert.equal(code, 1);
      const { findings } = JSON.parse(stdout);
      assert.deepEqual(
        findings.map(({ check, verdict }: { check: string; verdict: string }) => `${check} ${verdict}`),
        ['settings ok', 'durability ok', 'clock ok', 'migrations ok', 'environment problem', 'keys ok', 'operators problem'],
      );
      assert.match(findings[4].message, /^could not be read: canceling statement due to statement timeout\. .*locks/);
    } finally {
      client.release(true);
    }
  });

  test('doctor names a variable that is nearly a setting, without its value', async () => {
    const { code, stdout } = await run(['doctor'], { AUDIT_KYE: 'a-secret', AUDIT_KEY: undefined as never });
    assert.match(
      stdout.replaceAll(/\s+/g, ' '),
      /settings warning AUDIT_KYE is no setting of this service\. Did you mean AUDIT_KEY\?/,
    );
    assert.ok(!stdout.includes('a-secret'));
    assert.equal(code, 0, stdout);
  });
});

describe('doctor, of the keys of the endpoints', () => {
  const key = newNamedKey('kept');
  const doctor = (secretsKey: NamedKey) => run(['doctor', '--json'], { SECRETS_KEY: writeNamedKey(secretsKey) });
  const findingsOf = ({ stdout }: { stdout: string }) =>
    JSON.parse(stdout).findings.filter(({ verdict }: { verdict: string }) => verdict === 'problem');

  test('names the key that is missing, or is another one of the same name, and how many endpoints use it', async () => {
    const { partner_id } = await runJson('partner', 'create', '--name', 'With endpoints');
    for (const endpointId of ['wep_1', 'wep_2'])
      await insertWebhookEndpoint(service.database.pool, {
        partnerId: partner_id,
        endpointId,
        url: 'https://example.org/',
        eventTypes: [],
        secretSealed: openSecretBox([key]).seal(endpointId, 'whsec_abc'),
      });
    const sound = await doctor(key);
    assert.deepEqual([sound.code, findingsOf(sound)], [0, []]);
    for (const [given, reason, where] of [
      [newNamedKey('new'), 'is sealed under the key "kept", which is not among those given: new.', 'after the new one'],
      [
        newNamedKey('kept'),
        'does not open with the key "kept": the key is another one of that name, or the record was altered.',
        'in place of the one of the same name',
      ],
    ] as const) {
      const answer = await doctor(given);
      const [finding, ...others] = findingsOf(answer);
      assert.deepEqual([answer.code, finding.check, others], [1, 'keys', []]);
      assert.ok(finding.message.startsWith(`The secret of wep_1 ${reason} 2 endpoints use this key, and`), finding.message);
      assert.ok(finding.message.endsWith(`Put the key that was kept into SECRETS_KEY, ${where}, and restart`), finding.message);
    }
    const sealed = openSecretBox([key]).seal('opr_1', 'JBSWY3DPEHPK3PXP');
    // In an overlap both secrets sign; after it the next one alone, whether or not that is recorded.
    const next = openSecretBox([newNamedKey('lost')]).seal('wep_1', 'whsec_def');
    const rotate = (end: string) =>
      service.database.pool.query(
        `update webhook_endpoint set next_secret_sealed = $1, next_secret_from = now() + $2::interval where endpoint_id = 'wep_1'`,
        [next, end],
      );
    for (const end of ['1 day', '-1 second']) {
      await rotate(end);
      assert.match(findingsOf(await doctor(key))[0].message, /sealed under the key "lost".* Its deliveries wait\. /);
    }
    await service.database.pool.query("update webhook_endpoint set status = 'removed' where partner_id = $1", [partner_id]);
    assert.equal((await doctor(newNamedKey('new'))).code, 0, 'no endpoint uses the key any more');
    await service.database.pool.query(
      `insert into operator (operator_id, name, role, created_at) values ('opr_1', 'Amal', 'viewer', now());
      insert into operator_credential (credential_id, operator_id, kind, secret_sha256, verifier, created_at, expires_at)
        select 'factor', 'opr_1', 'totp', sha256(convert_to('${sealed}', 'UTF8')), '${sealed}', now(), now() + interval '1 year'`,
    );
    assert.equal((await doctor(key)).code, 0);
    const [factor, ...others] = findingsOf(await doctor(newNamedKey('new')));
    assert.deepEqual(others, []);
    assert.match(
      factor.message,
      /^The secret of opr_1 is sealed under the key "kept".* new\. The operator cannot sign in with a password, only with a passkey\. Put the key /,
    );
  });
});

describe('failures: one sentence on standard error, nothing on standard output', () => {
  const failures: [string, string[], number, RegExp, Record<string, string>?][] = [
    ['an unknown command', ['fly'], 2, /unknown command 'fly'/],
    ['a missing option', ['partner', 'create'], 2, /--name/],
    ['a role of the service that there is not', ['serve', '--roles', 'api,cook'], 2, /one or more of api, webhooks, schedule/],
    [
      'a role that there is not',
      ['operator', 'create', '--name', 'x', '--role', 'chief'],
      2,
      /viewer, operator, approver, admin/,
    ],
    [
      'a rate that is none',
      ['partner', 'create', '--name', 'x', '--writes-per-second', 'many'],
      2,
      /whole number from 1 to 1000000/,
    ],
    ['a name without characters', ['partner', 'create', '--name', ' '], 2, /1 to 200 characters/],
    ['a permission that there is not', ['key', 'issue', '--partner', 'p', '--permission', 'all'], 2, /read_write, read_only/],
    ['an address that is none', ['key', 'issue', '--partner', 'p', '--allow', 'localhost'], 2, /address or a CIDR block/],
    ['a time without a zone', ['key', 'issue', '--partner', 'p', '--expires-at', '2030-01-01'], 2, /time with its zone/],
    ['a time in the past', ['key', 'issue', '--partner', 'p', '--expires-at', '2020-01-01T00:00:00Z'], 2, /in the future/],
    ['an unknown partner', ['key', 'issue', '--partner', 'ptn_unknown'], 2, /There is no partner ptn_unknown/],
    ['an unknown key', ['key', 'revoke', '--key', 'unknown', '--yes'], 2, /There is no key unknown/],
    ['a setting with a wrong value', ['partner', 'list'], 2, /PORT must be a port/, { PORT: 'x' }],
    [
      'a database that is not there',
      ['partner', 'list'],
      1,
      /cannot be reached/,
      { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' },
    ],
  ];
  for (const [title, args, expectedCode, sentence, env] of failures) {
    test(title, async () => {
      const { code, stdout, stderr } = await run(args, env);
      assert.deepEqual([code, stdout], [expectedCode, '']);
      assert.match(stderr, sentence);
      assert.doesNotMatch(stderr, /\n\s+at /, 'a stack trace');
    });
  }

  test('a schema that is behind is refused, and not touched', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    const { code, stderr } = await run(['partner', 'list'], { DATABASE_URL: databaseUrl });
    assert.equal(code, 1);
    assert.match(stderr, /^The database is empty: no release was here\. .*npx partner-impact migrate/);
    const { rows } = await pool.query("select 1 from pg_class where relname = 'partner'");
    assert.equal(rows.length, 0);
  });

  test('a schema of a newer release is not served', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    assert.equal((await run(['migrate'], { DATABASE_URL: databaseUrl })).code, 0);
    await pool.query("insert into kysely_migration values ('9999_later', '2026-01-01')");
    const { code, stderr } = await run(['serve'], { DATABASE_URL: databaseUrl });
    assert.equal(code, 1);
    assert.match(stderr, /has the migrations .*9999_later of a newer release\. Start that release/);
  });
});
