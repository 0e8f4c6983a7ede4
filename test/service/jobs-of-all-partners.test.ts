/** A node of a cluster that does not answer holds up the jobs of its own partners alone, and each run says whose work is left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closesAt } from '../../src/domain/settlements/closing-delay.ts';
import { PartnersLeftError } from '../../src/operations/for-each-partner.ts';
import { closeDueSettlements } from '../../src/operations/settlements/close-due-settlements.ts';
import { type VerifiedPart, verifyEverything } from '../../src/operations/verification/verify-everything.ts';
import type { Job } from '../../src/schedule/job.ts';
import { listJobs } from '../../src/schedule/jobs.ts';
import { problemOf } from '../../src/store/database-problem.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { makeMissingCounters, reopenDue } from '../../src/webhooks/delivery/healing.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { clusterDatabase } from '../support/postgres/cluster-database.ts';
import { CLOSED_PORT, clusterUrl, moveNode, partnersApart } from '../support/postgres/lost-node.ts';
import { insertPendingAged, untilAllSequenced } from '../support/records.ts';
import { type TestPartner, testService } from '../support/service.ts';
import { actor, openFirst, tools } from '../support/settlements.ts';

if (clusterUrl === undefined) test('one PostgreSQL has no nodes', { skip: 'needs a Citus cluster' });
else await testOnCluster(clusterUrl);

async function testOnCluster(coordinatorUrl: string): Promise<void> {
  const cluster = await clusterDatabase(coordinatorUrl);
  const service = await testService({ env: { DATABASE_URL: cluster.databaseUrl } });
  const { database } = service;
  const {
    port: lostPort,
    crowd: [first],
    other,
  } = await partnersApart(cluster, service.newPartner);

  const jobs = listJobs({ eventDays: 90, reviewExpiryHours: 72, settlementTools: tools() });
  const signal = AbortSignal.timeout(HANG_LIMIT.timeout);
  const run = (name: string) => {
    const job = jobs.find((each) => each.name === name) as Job;
    return job.run({ database, signal, actor: actor('admin'), alert: () => {} });
  };

  /** Something for each job. */
  async function makeWork({ client, partner }: TestPartner): Promise<void> {
    const { partnerId } = partner;
    const { pool } = database;
    await client.confirm({ points: 70 });
    await untilAllSequenced(database, partnerId);
    await insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '80 hours' });
    await pool.query("update event set occurred_at = now() - interval '100 days' where partner_id = $1", [partnerId]);
    await pool.query('insert into daily_usage (partner_id, day) values ($1, current_date - 100)', [partnerId]);
    await pool.query('delete from day_total where partner_id = $1', [partnerId]);
  }

  async function workLeft({ partner: { partnerId } }: TestPartner, now: Date): Promise<Record<string, unknown>> {
    const { rows } = await database.pool.query(
      `select (select count(*) from event where partner_id = $1 and occurred_at < now() - interval '90 days')::int4 as events,
        exists (select from day_total where partner_id = $1) as "isAddedUp",
        (select count(*) from contribution where partner_id = $1 and status = 'pending')::int4 as pending,
        (select count(*) from daily_usage where partner_id = $1 and day < current_date - 30)::int4 as "oldUsage",
        (select count(*) from settlement where partner_id = $1 and status = 'open' and period_end < $2)::int4 as settlements`,
      [partnerId, now],
    );
    return rows[0];
  }

  const DONE = { events: 0, isAddedUp: true, pending: 0, oldUsage: 0, settlements: 0 };

  const leavesFirst = (error: unknown) => {
    assert.ok(error instanceof PartnersLeftError, String(error));
    assert.ok(error.partnerIds.has(first.partner.partnerId) && !error.partnerIds.has(other.partner.partnerId), error.message);
    assert.match(error.message, new RegExp(`^\\d+ partners? left out: .+\\. Left: .*${first.partner.partnerId}`));
    assert.equal(problemOf(error)?.reason, 'worker_lost', error.message);
    return true;
  };

  /** It says of each part whether it was verified, and of the settlements those of the other partners were. */
  async function verifiesOthers(): Promise<void> {
    const parts = new Map<string, VerifiedPart>();
    for await (const part of verifyEverything(database, tools())) parts.set(part.part, part);
    const ofOther = await database.pool.query('select from settlement_line where partner_id = $1', [other.partner.partnerId]);
    const { checked, left } = parts.get('settlement') as VerifiedPart;
    assert.ok(checked >= BigInt(ofOther.rowCount ?? 0) && checked > 0n, String(checked));
    leavesFirst(left);
    for (const whole of ['audit_entry', 'rule_version', 'partner', 'api_key', 'operator'])
      assert.deepEqual([whole, parts.get(whole)?.left], [whole, undefined]);
    for (const spread of ['webhook_endpoint', 'failure_draft', 'adjustment']) leavesFirst(parts.get(spread)?.left);
    await assert.rejects(run('verify'), ({ cause }: Error) => leavesFirst(cause));
  }

  test('while a node does not answer, each job does its work for the partners of the others', HANG_LIMIT, async () => {
    let now = new Date(0);
    for (const each of [first, other]) {
      const dueAt = closesAt((await openFirst(database, each.partner)).period);
      if (dueAt > now) now = dueAt;
      await makeWork(each);
    }
    const names = ['remove-old-events', 'expire-pending', 'remove-reconciliations'];
    const closeDue = () => closeDueSettlements(database, actor('admin'), tools(), { signal, now });
    const before = await workLeft(first, now);
    await moveNode(cluster, lostPort, CLOSED_PORT);
    try {
      for (const name of names) await assert.rejects(run(name), leavesFirst, name);
      await assert.rejects(closeDue(), leavesFirst);
      await assert.rejects(makeMissingCounters(database, new NodeReader(database)), leavesFirst);
      await reopenDue(database, new NodeReader(database));
      assert.deepEqual(await workLeft(other, now), DONE);
      await verifiesOthers();
    } finally {
      await moveNode(cluster, CLOSED_PORT, lostPort);
    }
    assert.deepEqual(await workLeft(first, now), before);
    for (const name of names) await run(name);
    await closeDue();
    assert.deepEqual(await workLeft(first, now), DONE);
  });
}
