/** What an admin attests is what the question showed, whole: the database may be edited while the question stands (settlements, section 5). */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCredential } from '../../src/domain/access/operator-credential.ts';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { authenticateOperator } from '../../src/operations/access/sign-in.ts';
import { enrolled } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { needsTerminal, onTerminal } from '../support/commands/on-terminal.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testService();
const { database, databaseUrl } = service;
const SETTINGS = {
  DATABASE_URL: databaseUrl,
  XDG_CONFIG_HOME: temporaryFolder('attest'),
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
};
const { run, runJson } = commandLine(SETTINGS);

async function tamper(text: string, values: unknown[]): Promise<void> {
  await asSuperuser(database.pool, async (client) => assert.ok(((await client.query(text, values)).rowCount ?? 0) > 0, text));
}

const entriesAbout = (subject: string) => runJson('audit', 'list', '--subject', subject);

/** The admin answers yes to the question; the row is edited while it stands. */
async function attestWhileEdited(words: readonly string[], edit?: [text: string, values: unknown[]]) {
  const typed = async () => {
    if (edit) await tamper(...edit);
    return 'y\r';
  };
  return onTerminal([...words, '--reason', 'compared with the backup'], { env: SETTINGS, prompt: '[y/N]', typed });
}

let rules = 0;

async function newRule(): Promise<string> {
  const label = uniqueId('value');
  const words = ['rule', 'create', '--kind', 'point_conversion', '--label', label, '--point-value', '0.05', '--currency', 'SAR'];
  const starts = new Date(Date.UTC(2999, 0, ++rules));
  await runJson(...words, '--starts-at', starts.toISOString());
  return label;
}

async function newContribution() {
  const { partner, client } = await service.newPartner();
  const { transaction_id: id } = (await client.confirm({ points: 500 })).body.contribution;
  return { partnerId: partner.partnerId, id: id as string };
}

const refused = /was changed after it was shown, so nothing was attested\. Look at it again: repeat the command\./;

describe('a record that is edited while the question stands', { ...HANG_LIMIT, ...needsTerminal }, () => {
  test('is not attested: a sign-in that somebody adds to an operator opens nothing', async () => {
    const [{ operatorId }] = await enrolled(database, 'admin');
    const before = await entriesAbout(operatorId);
    const { text: token, id, secretSha256 } = newCredential('token');
    const insert =
      "insert into operator_credential (credential_id, operator_id, kind, secret_sha256, created_at, expires_at) values ($1, $2, 'token', $3, now(), now() + interval '1 day')";
    const words = ['attest', '--kind', 'operator', '--id', operatorId];
    const { code, shown } = await attestWhileEdited(words, [insert, [id, operatorId, secretSha256]]);
    assert.match(shown.replaceAll(/\s+/g, ' '), refused);
    assert.equal(code, 1);
    assert.deepEqual(await entriesAbout(operatorId), before);
    await assert.rejects(authenticateOperator(database, token), /differs from the audit/);
  });

  test('is not attested: the value of a rule', async () => {
    const label = await newRule();
    const words = ['rule', 'attest', '--kind', 'point_conversion', '--label', label];
    const { code, shown } = await attestWhileEdited(words, [
      "update rule_version set point_value = '0.5' where version = $1",
      [label],
    ]);
    assert.match(shown.replaceAll(/\s+/g, ' '), refused);
    assert.equal(code, 1);
    assert.match((await run(['rule', 'verify', '--json'])).stdout, new RegExp(`point_conversion/${label}.+point_value differs`));
  });

  for (const [what, set] of [
    ['points', 'points = 5000'],
    ['version that values its points', "point_conversion_version = 'other'"],
    ['moment of its confirmation', "confirmed_at = confirmed_at - interval '40 days'"],
    ['order', "partner_order_ref = 'another'"],
  ])
    test(`is not attested: a contribution, edited in the ${what}`, async () => {
      const { partnerId, id } = await newContribution();
      const words = ['settlement', 'attest', '--partner', partnerId, '--transaction', id];
      const { code, shown } = await attestWhileEdited(words, [
        `update contribution set ${set} where partner_id = $1 and transaction_id = $2`,
        [partnerId, id],
      ]);
      assert.match(shown.replaceAll(/\s+/g, ' '), refused);
      assert.equal(code, 1);
      assert.deepEqual(await entriesAbout(id), []);
      const { rows } = await database.pool.query(
        'select seal is not null as is_sealed from contribution where transaction_id = $1',
        [id],
      );
      assert.deepEqual(rows, [{ is_sealed: true }]);
    });
});

describe('what is attested', HANG_LIMIT, () => {
  test('is asked about whole: everything that the seal of a contribution covers', needsTerminal, async () => {
    const { partnerId, id } = await newContribution();
    const { shown } = await attestWhileEdited(['settlement', 'attest', '--partner', partnerId, '--transaction', id]);
    const { rows } = await database.pool.query('select * from contribution where transaction_id = $1', [id]);
    const [question = ''] = shown.split('[y/N]');
    const { seal: _seal, seal_key: _key, partner_id: _partner, fingerprint, ...sealed } = rows[0];
    const values = [...Object.values(sealed), fingerprint.toString('hex')];
    for (const value of values.filter((each) => each !== null))
      assert.ok(question.includes(value instanceof Date ? value.toISOString() : String(value)), `${value} in ${question}`);
  });

  test('is shown when it is done, also of a command that asks nothing', async () => {
    const { partnerId, id } = await newContribution();
    const [{ operatorId }] = await enrolled(database, 'viewer');
    const label = await newRule();
    const reason = ['--reason', 'as the backup has it', '--yes'];
    const contribution = ['settlement', 'attest', '--partner', partnerId, '--transaction', id, ...reason];
    const operator = ['attest', '--kind', 'operator', '--id', operatorId, ...reason];
    const rule = ['rule', 'attest', '--kind', 'point_conversion', '--label', label, ...reason];

    const attested = await runJson(...contribution);
    assert.deepEqual([attested.transaction_id, attested.attested], [id, true]);
    assert.equal(attested.record.points, 500);
    assert.match(attested.record.confirmed_at, /^20.+Z$/);
    assert.match(attested.record.point_conversion_version, /./);
    assert.ok((await run(contribution)).stdout.includes(JSON.stringify(attested.record)));
    const { record } = await runJson(...operator);
    const [entry] = await entriesAbout(operatorId);
    assert.deepEqual(record, entry.after);
    assert.ok((await run(operator)).stdout.includes(JSON.stringify(record)));
    assert.match((await run(rule)).stdout, /point value +0\.05/);
  });
});
