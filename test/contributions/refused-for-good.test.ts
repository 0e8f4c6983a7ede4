/** The way out for points that can never be confirmed, as docs/partner-guide.md and docs/operating.md tell it: by commands, to the event. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { type CommandLine, commandLine, signInOn } from '../support/command-line.ts';
import { untilSequenced } from '../support/records.ts';
import { insertContributionRule } from '../support/rules.ts';
import { OPEN_RATES, testService } from '../support/service.ts';

const underRules: Partner[] = [];
const service = await testService({
  async prepare(database) {
    const partner = await createPartner(database, OWNER, 'Bounded', OPEN_RATES);
    await insertContributionRule(database, { partnerId: partner.partnerId, points_max: 1_000 });
    underRules.push(partner);
  },
});
const [{ partnerId }] = underRules as [Partner];
const { client } = await service.newPartner({ of: underRules[0] as Partner });
const owner = machine();
const of = ['--partner', partnerId];

/** A machine on which nobody is signed in yet. */
function machine(): CommandLine {
  const home = mkdtempSync(join(tmpdir(), 'partner-impact-home-'));
  after(() => rmSync(home, { recursive: true }));
  return commandLine({ DATABASE_URL: service.databaseUrl, XDG_CONFIG_HOME: home });
}

const machineOf = (name: string, role: string) => signInOn(owner, machine(), { name, role });

const [amal, badr] = await Promise.all([machineOf('Amal', 'approver'), machineOf('Badr', 'approver')]);

/** What the partner tells the operator, as options of `failure draft`. */
function reported({ partner_event_id, partner_order_ref, points }: ReturnType<typeof newConfirmation>): string[] {
  return [
    '--partner-event-id',
    partner_event_id,
    '--order',
    partner_order_ref,
    '--points',
    String(points),
    '--reason',
    'out of bounds',
  ];
}

test('points out of bounds for good: drafted by one, approved by another, told as an event, and restored once', async () => {
  const fields = { ...newConfirmation(), points: 9_007_199_254_740_993n };
  const headers = { 'idempotency-key': uniqueId('key') };
  const refused = await client.confirm(fields, headers);
  assertError(refused, 'invalid_point_amount');
  const { points, point_restoration } = detailCodes(refused);
  assert.deepEqual([points, point_restoration], ['out_of_bounds', 'not_authorized']);

  const unsigned = await owner.run(['failure', 'draft', ...of, ...reported(fields)]);
  assert.deepEqual([unsigned.code, unsigned.stdout], [1, '']);
  assert.match(unsigned.stderr, /Sign in with a code/);
  const draft = await amal.runJson('failure', 'draft', ...of, ...reported(fields));
  const approval = ['failure', 'approve', ...of, '--failure', draft.failure_id, '--yes'];
  assert.equal((await amal.run(approval)).code, 1, 'one person is not two');
  assert.equal((await client.findByEvent(fields.partner_event_id)).status, 404);

  const both = await Promise.all([badr.run(approval), badr.run(approval)]);
  assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1], 'an approval counts once');
  const { contribution } = (await client.findByEvent(fields.partner_event_id)).body;
  assert.deepEqual([contribution.status, contribution.points], ['failed', fields.points]);
  const again = await client.confirm(fields, headers);
  assertError(again, 'contribution_final_failure');
  assert.equal(detailCodes(again)['transaction_id'], contribution.transaction_id);

  await untilSequenced(service.database, partnerId, 2);
  const { events } = (await client.listEvents('?after_sequence=1')).body;
  assert.deepEqual(
    events.map(({ event_type, data }: { event_type: string; data: object }) => [event_type, data]),
    [['impact.transaction.adjusted', { change: 'failed', point_restoration_authorized: true, contribution }]],
  );
});

test('a draft that is rejected changes nothing: the event may still be confirmed when it fits', async () => {
  const fields = { ...newConfirmation(), points: 1_000n };
  const draft = await amal.runJson('failure', 'draft', ...of, ...reported(fields));
  assert.equal((await badr.runJson('failure', 'reject', ...of, '--failure', draft.failure_id)).status, 'rejected');
  assert.equal((await client.confirm(fields)).status, 201);
  const late = await amal.run(['failure', 'draft', ...of, ...reported(fields)]);
  assert.match(late.stderr, /is already stored as txn_\w+, which is confirmed/);
});
