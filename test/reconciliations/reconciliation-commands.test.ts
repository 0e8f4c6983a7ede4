/** `partner-impact reconciliation`: what an operator sees of a partner's list. Settlements, section 2, Reconciliation. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { removeOldReconciliations } from '../../src/operations/reconciliations/reconcile-settlement.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testService();
const { database } = service;
const { run, runJson } = commandLine({
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: temporaryFolder('reconciliations'),
});
const signal = new AbortController().signal;

/** A partner with two closed settlements, and the first line of a list for the second, by verdict. */
async function compared() {
  const { partner, client } = await service.newPartner();
  const { partnerId } = partner;
  await openFirst(database, partner);
  const [earlier, later] = [newConfirmation(), newConfirmation()];
  await client.confirm(earlier);
  const first = await closeNow(database, partnerId);
  await client.confirm(later);
  const second = await closeNow(database, partnerId);
  const open = newConfirmation();
  await client.confirm(open);
  const csv = (line: typeof earlier) => `${line.partner_event_id},${line.partner_order_ref},${line.points}\n`;
  const malformed = `${uniqueId('event')},order-of-a-line,12.5\nshort,,\n`;
  const body = `partner_event_id,partner_order_ref,points\n${csv(later)}${csv(earlier)}${csv(open)}${csv(newConfirmation())}${malformed}`;
  const answer = await client.call(`/v1/settlements/${second.closed.settlementId}/reconciliations`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/csv', 'idempotency-key': uniqueId('key') },
  });
  assert.equal(answer.status, 202, answer.text);
  await completeReconciliations(database, signal);
  const { reconciliation_id } = answer.body.reconciliation;
  const of = ['--partner', partnerId, '--reconciliation', reconciliation_id];
  return { partnerId, of, malformed, first: first.closed, second: second.closed };
}

test('lines --verdict malformed: the line, the reason and what was readable', HANG_LIMIT, async () => {
  const { of, malformed } = await compared();
  const { stdout } = await run(['reconciliation', 'lines', ...of, '--verdict', 'malformed']);
  const [event] = malformed.split(',') as [string];
  const form = 'must be a whole number, without decimals.';
  const short = 'partner_event_id must be a text of 8 to 128 characters out of A-Z a-z 0-9 . _ : -.';
  assert.equal(
    stdout.replaceAll(/\s+/g, ' '),
    'POSITION LINE VERDICT EVENT ORDER REASON ' +
      `6 6 malformed ${event} order-of-a-line points ${form} ` +
      `7 7 malformed - - ${short} partner_order_ref is missing. points is missing. `,
  );
  const [line] = await runJson('reconciliation', 'lines', ...of, '--verdict', 'malformed');
  assert.deepEqual([line.line_no, line.partner_event_id, line.points], [6, event, null]);
  assert.deepEqual(line.details, [{ field: 'points', code: 'not_whole', message: `points ${form}` }]);
});

test('lines --verdict other_settlement names the settlement, also where there is none yet', HANG_LIMIT, async () => {
  const { of, first } = await compared();
  const { stdout } = await run(['reconciliation', 'lines', ...of, '--verdict', 'other_settlement']);
  const settlements = [...stdout.matchAll(/^settlement +(.+)$/gm)].map(([, settlement]) => settlement);
  assert.deepEqual(settlements, [first.settlementId, 'none yet']);
  const lines = await runJson('reconciliation', 'lines', ...of, '--verdict', 'other_settlement');
  assert.deepEqual(
    lines.map((line: Record<string, unknown>) => line.recorded_settlement_id),
    [first.settlementId, null],
  );
});

test('lines --verdict missing_in_service says that points are not restored', HANG_LIMIT, async () => {
  const { of } = await compared();
  const { stdout } = await run(['reconciliation', 'lines', ...of, '--verdict', 'missing_in_service']);
  assert.match(stdout, /\nmissing_in_service: Do not restore points\. /);
  assert.doesNotMatch((await run(['reconciliation', 'lines', ...of, '--verdict', 'matched'])).stdout, /restore/);
});

test('show has the counts, and which points matched', HANG_LIMIT, async () => {
  const { of } = await compared();
  const { stdout } = await run(['reconciliation', 'show', ...of]);
  assert.match(stdout, /^malformed +2$/m);
  assert.match(stdout, /^matched, gross points +1$/m);
  assert.match(stdout, /^list +the partner's own$/m);
});

test('lines past their retention say so, and one that is unknown is told as such', HANG_LIMIT, async () => {
  const { partnerId, of } = await compared();
  await database.pool.query("update reconciliation set ended_at = now() - interval '31 days' where partner_id = $1", [partnerId]);
  await removeOldReconciliations(database, 30, signal, new NodeReader(database));
  const shown = await run(['reconciliation', 'lines', ...of, '--verdict', 'malformed']);
  assert.match(shown.stdout, /^The lines were removed at 20\S+Z, after 30 days\. The counts remain: `reconciliation show`\.\n$/);
  const json = await run(['reconciliation', 'lines', ...of, '--json']);
  assert.deepEqual([json.code, JSON.parse(json.stdout)], [0, []]);
  assert.match(json.stderr, /The lines were removed at/);
  assert.match((await run(['reconciliation', 'show', ...of])).stdout, /^lines removed +20/m);
  const unknown = await run(['reconciliation', 'lines', '--partner', partnerId, '--reconciliation', 'rec_unknown1']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /There is no reconciliation with this reconciliation_id/);
});
