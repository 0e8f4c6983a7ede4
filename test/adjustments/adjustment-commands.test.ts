/** `partner-impact adjustment`. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine, signInOn } from '../support/command-line.ts';
import { needsTerminal, onTerminal } from '../support/commands/on-terminal.ts';
import { testService } from '../support/service.ts';
import { openFirst } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testService();

test('partner-impact adjustment: from a draft to its reversal, one JSON value each', HANG_LIMIT, async () => {
  const { partner: of, client } = await service.newPartner();
  await openFirst(service.database, of);
  const { transaction_id: transactionId } = (await client.confirm({ points: 250 })).body.contribution;
  const folder = temporaryFolder('adjustments');
  const settings = { DATABASE_URL: service.databaseUrl, XDG_CONFIG_HOME: join(folder, 'nobody') };
  const owner = commandLine(settings);
  const signIn = (name: string, role: string) =>
    signInOn(owner, commandLine({ ...settings, XDG_CONFIG_HOME: join(folder, name) }), { name, role });
  const [ada, bea] = [await signIn('ada', 'operator'), await signIn('bea', 'approver')];
  const partner = ['--partner', of.partnerId];
  const why = ['--reason', 'operator_error', '--reason-en', 'Counted twice.', '--reason-ar', 'حُسبت مرتين.'];
  const draftOne = (...more: string[]) => ada.runJson('adjustment', 'draft', ...partner, ...why, ...more);
  const drafted = await draftOne('--transaction', transactionId, '--points-delta', '-250');
  assert.deepEqual([drafted.status, drafted.points_delta, drafted.reason_ar], ['draft', -250, 'حُسبت مرتين.']);
  const id = [...partner, '--adjustment', drafted.adjustment_id];
  assert.equal((await ada.run(['adjustment', 'approve', ...id])).code, 1);
  assert.equal((await bea.runJson('adjustment', 'approve', ...id)).status, 'approved');
  const unasked = await ada.run(['adjustment', 'post', ...id]);
  assert.equal(unasked.code, 2);
  assert.match(unasked.stderr, /Post -250 points.*cannot be undone.*--yes/);
  assert.equal((await ada.runJson('adjustment', 'post', ...id, '--yes')).settled_points_after, 0);
  const both = ['--reversal-of', drafted.adjustment_id, '--points-delta', '7'];
  assert.equal((await ada.run(['adjustment', 'draft', ...partner, ...why, ...both])).code, 2);
  const reversal = await draftOne('--reversal-of', drafted.adjustment_id);
  assert.deepEqual([reversal.points_delta, reversal.reversal_of], [250, drafted.adjustment_id]);
  const other = [...partner, '--adjustment', reversal.adjustment_id];
  if (!needsTerminal.skip) {
    const env = { ...settings, XDG_CONFIG_HOME: join(folder, 'bea') };
    const words = ['adjustment', 'reject', ...other, '--reason', 'no'];
    const { code, shown } = await onTerminal(words, { env, prompt: '[y/N]', typed: 'n\r' });
    assert.equal(code, 2, shown);
    assert.match(
      shown,
      new RegExp(`Reject the adjustment ${reversal.adjustment_id} of 250 points for the contribution ${transactionId}`),
    );
  }
  assert.equal((await bea.runJson('adjustment', 'reject', ...other, '--reason', 'لا')).note, 'لا');
  const listed = await owner.runJson('adjustment', 'list', ...partner, '--status', 'posted');
  assert.deepEqual([listed.length, listed[0].adjustment_id], [1, drafted.adjustment_id]);
  assert.match((await owner.run(['adjustment', 'show', ...id])).stdout, /posted[\s\S]*حُسبت مرتين/);
  assert.deepEqual(await owner.runJson('adjustment', 'verify', ...partner), { ok: true, adjustments: 2, problems: [] });
  assert.equal((await ada.run(['adjustment', 'draft', ...partner, ...why, '--points-delta', '-1'])).code, 2);
  assert.equal(
    (await ada.run(['adjustment', 'draft', ...partner, ...why, '--transaction', transactionId, '--points-delta', '1e2'])).code,
    2,
  );
});
