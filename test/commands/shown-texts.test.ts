/** Names, notes and whatever strangers wrote: refused where they hide something, and shown so that they do nothing to a terminal. */

import assert from 'node:assert/strict';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createOperator } from '../../src/operations/access/manage-operator.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { draftFailure } from '../../src/operations/contributions/record-failure.ts';
import { createProject } from '../../src/operations/impact/manage-project.ts';
import { createImpactBatch } from '../../src/operations/impact/pool-contributions.ts';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { enrolled, OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';

/** Clears the screen, turns the direction, ends the line, and hides letters: each of another kind. */
const HOSTILE = 'a\u001b[2Jb\u009bc\u202ed\u2066e\u200ff\r\ng\u0007h\u{e0041}i\u2028j\u007fk شجرة';
const FORBIDDEN = /[\p{Cs}\p{Bidi_Control}\u2028\u2029\u{e0041}]|(?!\n)\p{Cc}/u;
const service = await testService();
const { database, newPartner } = { ...service, newPartner: service.newPartner };
const folder = mkdtempSync(join(tmpdir(), 'partner-impact-texts-'));
after(() => rmSync(folder, { recursive: true }));
// That of the service: nothing is changed under another one.
copyFileSync(join(readConfig({}).dataDirectory, 'audit.key'), join(folder, 'audit.key'));
const { run } = commandLine({ DATABASE_URL: service.databaseUrl, DATA_DIR: folder, XDG_CONFIG_HOME: join(folder, 'home') });

/** A partner with a record of each kind, whose texts somebody has changed in the database. */
async function adversarial() {
  const { partner, client } = await newPartner();
  const { partnerId } = partner;
  await openFirst(database, partner);
  await client.confirm();
  const { closed } = await closeNow(database, partnerId);
  const { settlementId } = closed;
  const [operator] = await enrolled(database, 'approver');
  const batch = await createImpactBatch(database, OWNER, { name: 'November', quantity: 1n });
  await createProject(database, OWNER, { nameEn: 'Acacias', nameAr: 'أكاسيا', country: 'SA' });
  const never = { partnerId, partnerEventId: uniqueId('event'), partnerOrderRef: 'order-1', points: 1n, reason: 'a test' };
  await draftFailure(database, operator, never);
  const note = { method: 'POST', headers: { 'idempotency-key': uniqueId('key') }, body: { status: 'disputed', note: 'شكرًا' } };
  assert.equal((await client.call(`/v1/settlements/${settlementId}/acknowledgement`, note)).status, 201);
  const line = `${newConfirmation().partner_event_id},order-${HOSTILE.replaceAll(/[\r\n"]/g, '')},${HOSTILE.replaceAll(/[\r\n"]/g, '')}\n`;
  const list = { method: 'POST', headers: { 'content-type': 'text/csv', 'idempotency-key': uniqueId('key') } };
  const body = `partner_event_id,partner_order_ref,points\n${line}`;
  const sent = await client.call(`/v1/settlements/${settlementId}/reconciliations`, { ...list, body });
  assert.equal(sent.status, 202, sent.text);
  await completeReconciliations(database, new AbortController().signal);
  await asSuperuser(database.pool, async (db) => {
    const set = (table: string, column: string) => {
      const where = table === 'audit_entry' ? "where action = 'failure.draft'" : '';
      return db.query(`update ${table} set ${column} = $1 ${where}`, [
        column.endsWith('_json') ? JSON.stringify(HOSTILE) : HOSTILE,
      ]);
    };
    const columns: [string, string][] = [
      ['partner', 'name'],
      ['api_key', 'name'],
      ['operator', 'name'],
      ['operator', 'email'],
    ];
    columns.push(['impact_batch', 'name'], ['project', 'name_en'], ['project', 'name_ar'], ['failure_draft', 'reason']);
    columns.push(
      ['settlement_acknowledgement', 'reference'],
      ['reconciliation_line', 'partner_order_ref'],

      ['audit_entry', 'after_json'],
      ['audit_entry', 'action'],
    );
    for (const [table, column] of columns) await set(table, column);
    await db.query(
      `insert into job_run (job_name, run_no, trigger, started_at, ended_at, outcome, error) values ('close-settlements', 1, 'schedule', now(), now(), 'failed', $1)`,
      [HOSTILE],
    );
  });
  const { reconciliation_id: reconciliationId } = sent.body.reconciliation;
  return { partnerId, settlementId, reconciliationId, batchId: batch.impactBatchId, operatorId: operator.operatorId };
}

describe('what is in the database, however it came there', HANG_LIMIT, () => {
  const made = adversarial();
  const commands = async () => {
    const { partnerId, settlementId, reconciliationId, batchId } = await made;
    const of = ['--partner', partnerId];
    return [
      ['partner', 'list'],
      ['partner', 'show', ...of],
      ['key', 'list', ...of],
      ['operator', 'list'],
      ['failure', 'list', ...of],
      ['settlement', 'show', ...of, '--settlement', settlementId],
      ['reconciliation', 'lines', ...of, '--reconciliation', reconciliationId],
      ['impact-batch', 'list'],
      ['impact-batch', 'show', '--batch', batchId],
      ['project', 'list'],
      ['audit', 'list'],
      ['job', 'history'],
    ];
  };

  test('does nothing to a terminal, and Arabic is shown as it is written', async () => {
    for (const words of await commands()) {
      const { code, stdout, stderr } = await run(words);
      assert.deepEqual([code, stderr], [0, ''], words.join(' '));
      assert.doesNotMatch(stdout, FORBIDDEN, words.join(' '));
    }
    const { stdout } = await run(['partner', 'list']);
    assert.match(
      stdout,
      /a\\u001b\[2Jb\\u009bc\\u202ed\\u2066e\\u200ff\\u000d\\u000ag\\u0007h\\udb40\\udc41i\\u2028j\\u007fk\s+شجرة/,
    );
  });

  test('is the same value for a program, escaped', async () => {
    for (const words of await commands()) {
      const { code, stdout } = await run([...words, '--json']);
      assert.equal(code, 0, words.join(' '));
      assert.doesNotMatch(stdout, FORBIDDEN, words.join(' '));
      const strings: string[] = [];
      JSON.parse(stdout, (_name, value) => {
        if (typeof value === 'string') strings.push(value);
        return value;
      });
      const mayHave = words[0] === 'reconciliation' || words[0] === 'settlement';
      assert.ok(mayHave || strings.includes(HOSTILE), words.join(' '));
    }
  });

  test('does nothing in a refusal, nor does a word of the command itself', async () => {
    const { operatorId } = await made;
    const outcomes = [
      await run(['job', 'run', HOSTILE]),
      await run(['operator', 'set-email', '--operator', operatorId, '--email', 'x@example.org']),
      await run(['partner', 'show', '--partner', `${HOSTILE}, another`]),
      await run([HOSTILE]),
      await run(['partner', 'list', `--${HOSTILE}`]),
    ];
    for (const { code, stdout, stderr } of outcomes) {
      assert.deepEqual([code === 0, stdout], [false, '']);
      assert.doesNotMatch(stderr, FORBIDDEN);
    }
    assert.match(outcomes[0]?.stderr ?? '', /There is no job a\\u001b/);
  });
});

describe('a text that hides something is refused with the name of what it hides', () => {
  const hidden = 'Store\u202e';
  const refusal = { code: 'invalid_request', message: /bidirectional control characters .* character 6 is U\+202E/ };

  test('as a name, a reason and a note of operators', async () => {
    const [operator] = await enrolled(database, 'admin');
    const { partnerId } = (await newPartner()).partner;
    const terms = { permission: 'read_write', allowedAddresses: [], expiresAt: null } as const;
    const changes = [
      () => createPartner(database, OWNER, hidden),
      () => createOperator(database, OWNER, { name: hidden, email: null, role: 'viewer' }),
      () => issueApiKey(database, OWNER, { environment: 'sandbox', partnerId, name: hidden, ...terms }),
      () => createProject(database, OWNER, { nameEn: hidden, nameAr: 'أكاسيا', country: 'SA' }),
      () => createImpactBatch(database, OWNER, { name: hidden, quantity: 1n }),
      () =>
        draftFailure(database, operator, {
          partnerId,
          partnerEventId: uniqueId('event'),
          partnerOrderRef: 'order-1',
          points: 1n,
          reason: hidden,
        }),
    ];
    for (const change of changes) await assert.rejects(change(), refusal);
    const { code, stderr } = await run(['partner', 'create', '--name', hidden]);
    assert.equal(code, 2);
    assert.match(stderr, refusal.message);
  });

  test('as the note of an acknowledgement; Arabic of several lines is taken', async () => {
    const { partner, client } = await newPartner();
    await openFirst(database, partner);
    await client.confirm();
    const { closed } = await closeNow(database, partner.partnerId);
    const path = `/v1/settlements/${closed.settlementId}/acknowledgement`;
    const say = (note: string) =>
      client.call(path, {
        method: 'POST',
        headers: { 'idempotency-key': uniqueId('key') },
        body: { status: 'disputed', note },
      });
    const refused = await say(hidden);
    assertError(refused, 'invalid_request');
    assert.match(refused.body.error.details[0].message, refusal.message);
    assert.equal((await say('سطر أول\nسطر ثانٍ')).status, 201);
  });
});

test('no command writes to the terminal past output.ts', () => {
  const past = globSync('src/commands/**/*.ts', { cwd: join(import.meta.dirname, '../..') }).filter((path) =>
    /(?:process\.std(?:out|err)|terminal)\.write/.test(readFileSync(join(import.meta.dirname, '../..', path), 'utf8')),
  );
  assert.deepEqual(past.sort(), ['src/commands/terminal/output.ts']);
});
