/** What happens by the clock: once for each time, by one process, whatever becomes of it. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../reliability/harness/free-port.ts';
import { readConfig } from '../../src/config.ts';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { openLog } from '../../src/observability/log.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import type { Job, JobContext } from '../../src/schedule/job.ts';
import { pruneJobRuns } from '../../src/schedule/jobs/prune-job-runs.ts';
import { removeOldEventsJob } from '../../src/schedule/jobs/remove-old-events.ts';
import { removeShownSecretsJob } from '../../src/schedule/jobs/remove-shown-secrets.ts';
import { requestRun, waitForRun } from '../../src/schedule/request-run.ts';
import { runByHand } from '../../src/schedule/run-by-hand.ts';
import { type BegunRun, doRun, nextDueAfter, nextDueAt, registerJobs } from '../../src/schedule/run-job.ts';
import { openSchedule } from '../../src/schedule/scheduler.ts';
import { openJobTools } from '../../src/service/job-tools.ts';
import { listAuditEntries } from '../../src/store/audit/audit-entry.ts';
import { readClock } from '../../src/store/clock.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { claimJob, endJobRun, insertJob, type JobState, listJobStates, renewJobLease } from '../../src/store/jobs/job.ts';
import { type JobRun, listJobRuns } from '../../src/store/jobs/job-run.ts';
import { createPastClock, movePastClock, PAST_PATH } from '../../src/store/sandbox/past-clock.ts';
import { auditKeys, OWNER, signedIn } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { Client } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { insertPendingAged } from '../support/records.ts';
import { spawnService } from '../support/service.ts';

const { databaseUrl } = await testDatabase();
/** At a time that does not come within half a year. */
const YEARLY = `0 0 1 ${((new Date().getUTCMonth() + 7) % 12) + 1} *`;
const NOON = new Date('2027-03-01T12:00:00Z');

function open(): Database {
  const database = openDatabase({ databaseUrl, poolSize: 4, auditKeys });
  after(() => database.close());
  return database;
}
const database = open();
const { pool } = database;
let made = 0;

/** A job of its own name that becomes due when a test says so; the work is what the test says. */
function newJob(run: (context: JobContext) => Promise<Record<string, number>> = async () => ({ done: 1 })): Job {
  return { name: `job-${made++}`, description: 'a test', pattern: YEARLY, run };
}
const HOURLY = { pattern: '0 * * * *' };

async function untilRuns(jobName: string, areAsWanted: (runs: readonly JobRun[]) => boolean): Promise<JobRun[]> {
  return waitFor(`run of ${jobName} as wanted`, async () => {
    const runs = await listJobRuns(pool, { jobName, limit: 100 });
    return areAsWanted(runs) && runs;
  });
}
const hasEnded = ([newest]: readonly JobRun[]) => newest?.endedAt != null;

async function stateOf(jobName: string) {
  return (await listJobStates(pool)).find((state) => state.jobName === jobName);
}

const UNHEARD = { onRun: () => {}, onAlert: () => {} };

/** Follows the schedule until the test is over. */
function follow(job: Job, on: Database = database) {
  const errors: unknown[] = [];
  let timesRead = 0;
  const steadyClock = () => {
    timesRead++;
    return performance.now();
  };
  const schedule = openSchedule({
    database: on,
    jobs: [job],
    ...UNHEARD,
    onError: (error) => errors.push(error),
    steadyClock,
  });
  after(() => schedule.close());
  // Before and after it registers the jobs, and then with each look at the database's clock.
  return { ...schedule, errors, hasLooked: () => timesRead > 2 };
}

/** Time enters as data: what was due so long ago, such as `10 hours`. */
async function setDueBefore(job: Job, ago: string): Promise<void> {
  await pool.query('update job set due_at = now() - $2::interval where job_name = $1', [job.name, ago]);
}

async function registerDue(job: Job, ago = '1 hour'): Promise<void> {
  await registerJobs(database, [job]);
  await setDueBefore(job, ago);
}

/** Longer than a test may take. */
const FAR_MS = 600_000;

/** The first of two jobs of the service, or the second while the time of the first is near: it runs when a test makes it due, and only then. */
async function farOf(first: Job, second: Job): Promise<string> {
  const now = await readClock(pool);
  const [job] = [first, second].filter((each) => nextDueAt(each, now).getTime() > now.getTime() + FAR_MS);
  return job?.name ?? assert.fail('The times of both are near.');
}

/** After this the job is due at the next time of its pattern, by the database's clock. */
async function isDueNext(job: Job, work: () => Promise<unknown>): Promise<void> {
  const before = nextDueAt(job, await readClock(pool));
  await work();
  const times = [before, nextDueAt(job, await readClock(pool))].map((at) => at.toISOString());
  assert.ok(times.includes((await stateOf(job.name))?.dueAt.toISOString() ?? ''), times.join());
}

async function untilWaiting(sessions: number): Promise<void> {
  await waitFor(`number of ${sessions} sessions that wait for a lock`, async () => {
    const { rows } = await pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length >= sessions;
  });
}

describe('when a job is due', HANG_LIMIT, () => {
  test('at the next time of its pattern, in UTC; starting again changes nothing, another pattern does', async () => {
    const job = { ...newJob(), ...HOURLY };
    assert.equal(nextDueAt(job, NOON).toISOString(), '2027-03-01T13:00:00.000Z');
    assert.throws(() => nextDueAt({ ...job, pattern: '0 0 30 2 *' }, NOON), /never comes/);
    await isDueNext(job, () => registerJobs(database, [job]));
    await setDueBefore(job, '2 hours');
    const dueAt = (await stateOf(job.name))?.dueAt;
    await registerJobs(database, [job]);
    assert.deepEqual((await stateOf(job.name))?.dueAt, dueAt);
    const monthly = { ...job, pattern: '5 0 1 * *' };
    await isDueNext(monthly, () => registerJobs(database, [monthly]));
  });

  test('a time beyond the next one, as a clock that was ahead has told it, is put right at the next start', async () => {
    const job = { ...newJob(), ...HOURLY };
    await registerDue(job, '-30 days');
    await isDueNext(job, () => registerJobs(database, [job]));
  });

  test('what a clock has made due that was just set forward waits, and is not due when the clock is set back', async () => {
    await createPastClock(database);
    const past = openDatabase({ databaseUrl, poolSize: 2, auditKeys, settings: [PAST_PATH] });
    after(() => past.close());
    const move = (hoursBehind: number) => movePastClock(pool, new Date(Date.now() - hoursBehind * 3_600_000));
    await move(30);
    const job = newJob();
    const { errors, hasLooked } = follow(job, past);
    await waitFor('the first look at the clock', async () => hasLooked());
    await setDueBefore(job, '15 hours');
    await move(0);
    await waitFor('word of the step', async () => errors[0]);
    assert.match(
      String(errors),
      /^ClockSetForwardError: The clock of the database is ten minutes or more further than this process counted, at \S+Z: it was set forward, or this machine was suspended\. Jobs wait a minute\.$/,
    );
    await move(30);
    await setDueBefore(job, '40 hours');
    const runs = await untilRuns(job.name, hasEnded);
    assert.ok((runs[0]?.startedAt as Date) < new Date(Date.now() - 29 * 3_600_000), 'it began after the clock was set back');
    assert.equal(runs.length, 1);
  });

  test('a run that is under way when a clock is set forward stops, and is done when the clock is right', async () => {
    await createPastClock(database);
    const past = openDatabase({ databaseUrl, poolSize: 2, auditKeys, settings: [PAST_PATH] });
    after(() => past.close());
    const move = (hoursBehind: number) => movePastClock(pool, new Date(Date.now() - hoursBehind * 3_600_000));
    await move(30);
    let begun = 0;
    const job = newJob(async ({ signal }) => {
      if (++begun === 1) await once(signal, 'abort');
      return { done: 1 };
    });
    const { errors } = follow(job, past);
    await waitFor('state of the job', () => stateOf(job.name));
    await setDueBefore(job, '40 hours');
    await waitFor('run', () => begun === 1);
    await move(0);
    const [stopped] = await untilRuns(job.name, hasEnded);
    assert.deepEqual([stopped?.outcome, begun], ['stopped', 1]);
    assert.match(String(errors), /was set forward/);
    await move(30);
    const runs = await untilRuns(job.name, ([newest]) => newest?.outcome === 'succeeded');
    assert.equal(runs.length, 2);
  });

  test('due times that a clock has set which was ahead are corrected while the schedule goes on', async () => {
    const job = { ...newJob(), ...HOURLY };
    let [steadyMs, timesRead] = [0, 0];
    const steadyClock = () => {
      timesRead++;
      return steadyMs;
    };
    const schedule = openSchedule({ database, jobs: [job], ...UNHEARD, onError: assert.ifError, steadyClock });
    after(() => schedule.close());
    // It reads the clock before and after that.
    await waitFor('registration', () => timesRead > 1);
    await setDueBefore(job, '-30 days');
    steadyMs += 61_000;
    await waitFor('correction', async () => {
      const { dueAt } = (await stateOf(job.name)) as JobState;
      return dueAt < new Date(Date.now() + 2 * 3_600_000);
    });
  });

  test('what was due while no process ran is done at the next start, once', async () => {
    const job = newJob();
    await registerDue(job, '10 hours');
    await isDueNext(job, async () => {
      follow(job);
      const [run] = await untilRuns(job.name, hasEnded);
      assert.deepEqual([run?.outcome, run?.result, run?.trigger], ['succeeded', '{"done":1}', 'schedule']);
    });
    const state = await stateOf(job.name);
    assert.deepEqual([state?.leaseUntil, state?.lastRunNo], [null, 1n]);
  });
});

describe('one process does it', HANG_LIMIT, () => {
  test('of twenty that ask at once for one due time, one begins it', async () => {
    const [job, other] = [newJob(), open()];
    await registerDue(job);
    const claim = { jobName: job.name, leaseMs: 60_000, trigger: 'schedule' } as const;
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => claimJob((index % 2 ? database : other).pool, claim)),
    );
    assert.equal(claims.filter(Boolean).length, 1);
  });

  test('two processes of the service: each due time has one run', async () => {
    const both = await Promise.all([0, 1].map(() => spawnService(databaseUrl, {}, ['--roles', 'schedule'])));
    const name = await farOf(removeOldEventsJob(90), removeShownSecretsJob);
    const result = name === removeShownSecretsJob.name ? '{"secrets":0}' : '{"events":0}';
    // They serve before they have made their jobs known.
    await waitFor(`state of ${name}`, () => stateOf(name));
    for (let time = 1; time <= 5; time++) {
      await pool.query("update job set due_at = now() - interval '1 second' where job_name = $1", [name]);
      const runs = await untilRuns(name, (found) => found.length >= time && hasEnded(found));
      assert.deepEqual([runs.length, runs[0]?.outcome, runs[0]?.result], [time, 'succeeded', result]);
    }
    assert.match(both[0]?.output() ?? '', /does schedule, and accepts no requests/);
    for (const each of both) assert.equal(await each.end('SIGTERM'), 0);
    assert.equal((await listJobRuns(pool, { jobName: name, limit: 100 })).length, 5);
  });

  test('when a process stands still while it registers the job, and another does it at its time meanwhile', async () => {
    const job = newJob();
    await registerDue(job, '1 minute');
    const { dueAt } = (await stateOf(job.name)) as JobState;
    const claim = { jobName: job.name, leaseMs: 60_000, trigger: 'schedule' } as const;
    const claimed = await claimJob(pool, claim);
    const end = { outcome: 'succeeded', result: null, error: null, nextDueAt: nextDueAt(job, await readClock(pool)) } as const;
    assert.equal(await endJobRun(pool, { jobName: job.name, runNo: claimed?.runNo as bigint, ...end }), true);
    // With the time that it had computed.
    await insertJob(pool, { jobName: job.name, pattern: job.pattern, dueAt });
    assert.equal(await claimJob(pool, claim), undefined);
  });
});

describe('what goes wrong', HANG_LIMIT, () => {
  test('a lease ends although its process lives: the run that begins elsewhere and the end of the old one do not wait for each other', async () => {
    const job = newJob();
    const claim = { jobName: job.name, leaseMs: 60_000, trigger: 'schedule' } as const;
    await registerDue(job);
    const old = await claimJob(pool, claim);
    await pool.query('update job set lease_until = now() where job_name = $1', [job.name]);
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from job where job_name = $1 for update', [job.name]);
    const begun = claimJob(pool, claim);
    await untilWaiting(1);
    const end = { outcome: 'succeeded', result: null, error: null, nextDueAt: null } as const;
    const isOurs = endJobRun(pool, { jobName: job.name, runNo: old?.runNo as bigint, ...end });
    await untilWaiting(2);
    await holder.query('rollback');
    holder.release();
    assert.deepEqual([(await begun)?.runNo, await isOurs], [2n, false]);
    const runs = await listJobRuns(pool, { jobName: job.name, limit: 10 });
    assert.deepEqual(
      runs.map(({ outcome }) => outcome),
      [null, 'abandoned'],
    );
  });

  test('a process that is killed in the middle: the lease ends, another does it, and the first run says so', async () => {
    const script = fileURLToPath(new URL('../support/hold-job.ts', import.meta.url));
    await pool.query("insert into job (job_name, pattern, due_at) values ('endless', $1, now())", [YEARLY]);
    const child = spawn(process.execPath, [script, databaseUrl, YEARLY], { stdio: ['ignore', 'pipe', 'inherit'] });
    after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const claim = { jobName: 'endless', leaseMs: 60_000, trigger: 'hand' } as const;
    assert.equal(await claimJob(pool, claim), undefined, 'the lease holds, though its process has gone');
    await pool.query("update job set lease_until = now() where job_name = 'endless'");
    follow({ ...newJob(), name: 'endless' });
    const runs = await untilRuns('endless', (found) => found.length === 2 && hasEnded(found));
    assert.deepEqual(
      runs.map(({ outcome }) => outcome),
      ['succeeded', 'abandoned'],
    );
    assert.match(runs[1]?.error ?? '', /process that ran it ended/);
  });

  test('a process that is gone in the middle of a run by hand: once the lease ends another does it, due or not', async () => {
    const job = newJob();
    await registerJobs(database, [job]);
    assert.ok(await claimJob(pool, { jobName: job.name, leaseMs: 60_000, trigger: 'hand' }));
    await pool.query('update job set lease_until = now() where job_name = $1', [job.name]);
    follow(job);
    const runs = await untilRuns(job.name, (found) => found.length === 2 && hasEnded(found));
    assert.deepEqual(
      runs.map(({ trigger, outcome }) => `${trigger}: ${outcome}`),
      ['schedule: succeeded', 'hand: abandoned'],
    );
    assert.equal((await stateOf(job.name))?.dueAt.toISOString(), nextDueAt(job, await readClock(pool)).toISOString());
  });

  test('a run that failed is tried again after a minute, then after two, and at last at its time', async () => {
    const run = async () => {
      throw new Error('no luck');
    };
    const job = newJob(run);
    for (const [failures, minutes] of [1, 2, 4].entries()) {
      await registerDue(job);
      const { close } = follow(job);
      const [last] = await untilRuns(job.name, (found) => found.length === failures + 1 && hasEnded(found));
      await close();
      assert.deepEqual([last?.outcome, last?.error], ['failed', 'no luck']);
      const { dueAt, failuresInRow } = (await stateOf(job.name)) as JobState;
      const from = dueAt.getTime() - minutes * 60_000;
      assert.ok(from >= Number(last?.startedAt) && from <= Number(last?.endedAt), dueAt.toISOString());
      assert.equal(failuresInRow, failures + 1);
    }
    const failed = { job: { ...newJob(), ...HOURLY }, outcome: 'failed', failuresInRow: 3 } as const;
    assert.equal(nextDueAfter(failed, NOON)?.toISOString(), '2027-03-01T12:08:00.000Z');
    assert.equal(nextDueAfter({ ...failed, failuresInRow: 6 }, NOON)?.toISOString(), '2027-03-01T13:00:00.000Z');
  });

  test('a process that stops lets the job end where it is, and leaves it due for another', async () => {
    const begun = Promise.withResolvers<void>();
    const job = newJob(async ({ signal }) => {
      begun.resolve();
      await once(signal, 'abort');
      return { half: 1 };
    });
    await registerDue(job);
    const { close } = follow(job);
    await begun.promise;
    await close();
    assert.equal((await untilRuns(job.name, hasEnded))[0]?.outcome, 'stopped');
    follow({ ...job, run: async () => ({ rest: 1 }) }, open());
    const runs = await untilRuns(job.name, (found) => found.length === 2 && hasEnded(found));
    assert.equal(runs[0]?.result, '{"rest":1}');
  });

  test('a run that lost its job to another renews nothing, and writes nothing', async () => {
    const job = newJob();
    await registerDue(job);
    const claim = { jobName: job.name, leaseMs: -1_000, trigger: 'schedule' } as const;
    const slow = await claimJob(pool, claim);
    const quick = await claimJob(pool, { ...claim, leaseMs: 60_000 });
    assert.deepEqual([slow?.runNo, quick?.runNo], [1n, 2n]);
    const end = { jobName: job.name, outcome: 'succeeded', result: null, error: null, nextDueAt: null } as const;
    assert.equal(await renewJobLease(pool, job.name, 1n, 60_000), false);
    assert.equal(await endJobRun(pool, { ...end, runNo: 1n }), false);
    assert.equal(await endJobRun(pool, { ...end, runNo: 2n }), true);
  });
});

test('what a run reports is said before its end is recorded: a run whose report was lost is done again', HANG_LIMIT, async () => {
  const job = newJob(async ({ alert }) => {
    alert('look here');
    await said.promise;
    return { done: 1 };
  });
  const said = Promise.withResolvers<void>();
  await registerDue(job);
  const alerts: string[] = [];
  const onAlert = ({ runNo }: BegunRun, sentence: string) => void alerts.push(`${runNo}: ${sentence}`);
  const schedule = openSchedule({ database, jobs: [job], onRun: () => {}, onAlert, onError: assert.ifError });
  after(() => schedule.close());
  await waitFor('report of the run', () => alerts.length > 0);
  assert.equal((await listJobRuns(pool, { jobName: job.name, limit: 1 }))[0]?.endedAt, null);
  said.resolve();
  await untilRuns(job.name, hasEnded);
  assert.deepEqual(alerts, ['1: look here']);
});

describe('by hand', HANG_LIMIT, () => {
  const never = { stop: new AbortController().signal, onAlert: () => {} };

  test('any time, again and again, with an entry in the audit', async () => {
    const [job, operator] = [newJob(), signedIn('operator')];
    for (const run of [1n, 2n]) {
      const { outcome, runNo } = await runByHand(database, operator, job, never);
      assert.deepEqual([outcome, runNo], ['succeeded', run]);
    }
    const { rows } = await pool.query('select operator_id, action from audit_entry where subject_id = $1', [job.name]);
    assert.deepEqual(rows, Array(2).fill({ operator_id: operator.operatorId, action: 'job.run' }));
  });

  test('the job knows whether somebody waits for it', async () => {
    const told: unknown[] = [];
    const job = newJob(async ({ isByHand }) => ({ told: told.push(isByHand) }));
    await runByHand(database, OWNER, job, never);
    await registerDue(job);
    const run = await claimJob(pool, { jobName: job.name, leaseMs: 60_000, trigger: 'schedule' });
    assert.ok(run);
    await doRun(database, { job, ...run, trigger: 'schedule', correlationId: 'corr_of_a_test' }, never);
    assert.deepEqual(told, [true, false]);
  });

  test('not while another process runs it, and not by a viewer', async () => {
    const job = newJob();
    await registerDue(job);
    await claimJob(pool, { jobName: job.name, leaseMs: 60_000, trigger: 'schedule' });
    await assert.rejects(runByHand(database, OWNER, job, never), /Another process runs the job/);
    await assert.rejects(runByHand(database, signedIn('viewer'), newJob(), never), /needs the role operator/);
  });

  test('a stop waits until the run is recorded as stopped, so that nothing holds the job any more', async () => {
    const stop = new AbortController();
    const [log, name] = [openLog('silent'), 'remove-old-events'];
    const tools = openJobTools(database, readConfig({ DATABASE_URL: databaseUrl }), { log, stop: stop.signal });
    const holder = await pool.connect();
    await holder.query('begin; lock table event_counter in access exclusive mode');
    const runNo = await tools.begin(OWNER, name);
    stop.abort();
    const closed = tools.close();
    await holder.query('rollback');
    holder.release();
    await closed;
    const { rows } = await pool.query('select outcome from job_run where job_name = $1 and run_no = $2', [name, runNo]);
    assert.deepEqual(rows, [{ outcome: 'stopped' }]);
    assert.equal(
      (await runByHand(database, OWNER, tools.all.find((job) => job.name === name) as Job, never)).outcome,
      'succeeded',
    );
  });

  /** Operators who begin these jobs where the clock is 30 hours behind, and what sets it. */
  async function operatorsOfThePast(jobs: readonly Job[]) {
    await createPastClock(database);
    const past = openDatabase({ databaseUrl, poolSize: 2, auditKeys, settings: [PAST_PATH] });
    const move = (hoursBehind: number) => movePastClock(pool, new Date(Date.now() - hoursBehind * 3_600_000));
    await move(30);
    const stop = new AbortController();
    const config = readConfig({ DATABASE_URL: databaseUrl });
    const tools = openJobTools(past, config, { log: openLog('silent'), stop: stop.signal, jobs });
    after(async () => {
      stop.abort();
      await tools.close();
      await past.close();
    });
    return { tools, move };
  }

  test('an operator begins no job in the minute after the clock was set forward, and again when it is set back', async () => {
    const job = newJob();
    const { tools, move } = await operatorsOfThePast([job]);
    assert.equal(await tools.begin(OWNER, job.name), 1n);
    await untilRuns(job.name, hasEnded);
    await move(0);
    await assert.rejects(tools.begin(OWNER, job.name), {
      code: 'invalid_request',
      message: /^No job begins in the minute after the database's clock was set forward, or this machine was suspended\./,
    });
    assert.equal((await listJobRuns(pool, { jobName: job.name, limit: 10 })).length, 1);
    await move(30);
    assert.equal(await tools.begin(OWNER, job.name), 2n);
  });

  test('a run that an operator began stops when the clock is set forward, says why, and stays due', async () => {
    const job = newJob(async ({ signal }) => {
      await once(signal, 'abort');
      return { done: 1 };
    });
    const { tools, move } = await operatorsOfThePast([job]);
    const runNo = await tools.begin(OWNER, job.name);
    await move(0);
    const [stopped] = await untilRuns(job.name, hasEnded);
    assert.deepEqual([stopped?.runNo, stopped?.outcome, stopped?.result], [runNo, 'stopped', '{"done":1}']);
    assert.match(stopped?.error ?? '', /^The clock of the database is ten minutes or more further .+ Jobs wait a minute\.$/);
    const { dueAt } = (await stateOf(job.name)) as JobState;
    assert.ok(dueAt < new Date(Date.now() - 29 * 3_600_000), dueAt.toISOString());
  });

  const JOBS = [
    ...['close-settlements', 'expire-pending', 'remove-old-events', 'remove-reconciliations'],
    ...['remove-shown-secrets', 'seal-contributions', 'report-break-glass', 'verify', 'prune-job-runs'],
  ];

  test('the command line lists, has the service run, and tells; an unknown job is refused', async () => {
    const { databaseUrl: ownUrl, pool: own } = await testDatabase();
    const { run, runJson } = commandLine({ DATABASE_URL: ownUrl });
    const service = await spawnService(ownUrl, {}, ['--roles', 'schedule']);
    await waitFor('state of each job', async () => (await listJobStates(own)).length === JOBS.length);
    // Its time may be near, and what the schedule removes the run by hand does not find.
    await own.query("update job set due_at = due_at + interval '1 day' where job_name = 'prune-job-runs'");
    await own.query(
      `insert into job_run (job_name, run_no, trigger, started_at, ended_at, outcome) values
       ('prune-job-runs', -1, 'schedule', now() - interval '91 days', now() - interval '91 days', 'succeeded'),
       ('prune-job-runs', -2, 'schedule', now() - interval '89 days', now() - interval '89 days', 'succeeded')`,
    );
    const { outcome, result } = await runJson('job', 'run', 'prune-job-runs');
    assert.deepEqual([outcome, result], ['succeeded', { runs: 1 }]);
    const history = await runJson('job', 'history', '--job', 'prune-job-runs');
    const untilThen = history.filter(({ run_no }: { run_no: number }) => run_no <= 1);
    assert.deepEqual(
      untilThen.map(({ run_no, trigger }: { run_no: number; trigger: string }) => [run_no, trigger]),
      [
        [1, 'hand'],
        [-2, 'schedule'],
      ],
    );
    const mistyped = await run(['job', 'history', '--job', 'prune-job-run']);
    assert.deepEqual([mistyped.code, mistyped.stdout], [2, '']);
    assert.match(mistyped.stderr, /There is no job prune-job-run\. The jobs are .*prune-job-runs/);
    const listed = await runJson('job', 'list');
    assert.deepEqual(
      listed.map(({ job }: { job: string }) => job),
      JOBS,
    );
    const { code, stderr } = await run(['job', 'run', 'sleep']);
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`There is no job sleep. The jobs are ${JOBS.join(', ')}`));
    assert.equal(await service.end('SIGTERM'), 0);
  });

  test('the command line has a job run by the settings of the service, whatever the own are', async () => {
    const { databaseUrl: ownUrl } = await testDatabase();
    const env = { DATABASE_URL: ownUrl, AUDIT_KEY: auditKeys().map(writeNamedKey).join() };
    const service = await spawnService(ownUrl, { ...env, REVIEW_EXPIRY_HOURS: '168' }, ['--roles', 'schedule']);
    const own = openDatabase({ databaseUrl: ownUrl, poolSize: 2, auditKeys });
    after(() => own.close());
    await waitFor('state of each job', async () => (await listJobStates(own.pool)).length === JOBS.length);
    const { partnerId } = await createPartner(own, OWNER, 'Unhurried');
    const transactionId = await insertPendingAged(own, { partnerId, partnerOrderRef: 'order-1', age: '100 hours' });
    const { outcome, result, run_no } = await commandLine(env).runJson('job', 'run', 'expire-pending');
    assert.equal(outcome, 'succeeded');
    assert.deepEqual(result, { failed: 0, decided: 0, busy: 0 });
    const [entry] = await listAuditEntries(own.pool, { subjectId: 'expire-pending', limit: 1 });
    assert.deepEqual([entry?.operatorId, entry?.action, entry?.after], ['owner', 'job.run', `{"run_no":${run_no}}`]);
    const runs = await listJobRuns(own.pool, { jobName: 'expire-pending', limit: 100 });
    assert.equal(runs.find(({ runNo }) => runNo === BigInt(run_no))?.trigger, 'hand');
    const { rows } = await own.pool.query('select status from contribution where transaction_id = $1', [transactionId]);
    assert.deepEqual(rows, [{ status: 'pending' }]);
    assert.equal(await service.end('SIGTERM'), 0);
  });

  test('where the process that ran it is gone and no other goes on, the command line says so, and the job stays due', async () => {
    const job = newJob();
    await registerDue(job);
    const runNo = await requestRun(database, OWNER, job.name);
    assert.ok(await claimJob(pool, { jobName: job.name, leaseMs: 60_000, trigger: 'schedule' }));
    const ended = waitForRun(pool, { jobName: job.name, runNo }, 0).then(
      () => 'ended',
      ({ message }: Error) => message,
    );
    assert.equal(await Promise.race([ended, sleep(500, 'waits')]), 'waits', 'the lease holds');
    await pool.query('update job set lease_until = now() where job_name = $1', [job.name]);
    assert.match(await ended, /The process that ran the job \S+ is gone, and no other goes on\. It stays due/);
  });

  test('where no process of the service runs, the command line says so, and the job stays due', async () => {
    const job = newJob();
    await assert.rejects(requestRun(database, OWNER, job.name), /No process of the service has made the job \S+ known yet/);
    await registerDue(job, '-30 minutes');
    const runNo = await requestRun(database, OWNER, job.name);
    const wanted = { jobName: job.name, runNo };
    await assert.rejects(waitForRun(pool, wanted, 0), {
      code: 'internal_service_unavailable',
      message: /No process of the service has begun the job \S+\. It stays due/,
    });
    follow({ ...job, run: async () => Promise.reject(new Error('no luck')) });
    const { outcome, error } = await waitForRun(pool, wanted, 60_000);
    assert.deepEqual([outcome, error], ['failed', 'no luck']);
    await pool.query("update job set lease_until = now() + interval '1 minute' where job_name = $1", [job.name]);
    await assert.rejects(requestRun(database, OWNER, job.name), /Another process runs the job/);
    await assert.rejects(requestRun(database, signedIn('viewer'), job.name), /needs the role operator/);
  });
});

test('the metrics tell the last success, the duration and the failures of each job', HANG_LIMIT, async () => {
  const port = await freePort();
  const name = await farOf(pruneJobRuns, removeShownSecretsJob);
  const service = await spawnService(databaseUrl, { OPERATIONS_PORT: String(port) }, ['--roles', 'schedule,webhooks']);
  await waitFor(`state of ${name}`, () => stateOf(name));
  const since = (await listJobRuns(pool, { jobName: name, limit: 100 })).length;
  await pool.query("update job set due_at = now() - interval '1 second' where job_name = $1", [name]);
  await untilRuns(name, (runs) => runs.length > since && runs[0]?.trigger === 'schedule' && hasEnded(runs));
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  // A run is counted when its end has been recorded.
  const isCounted = (text: string) => text.includes(`partner_impact_job_runs_total{job="${name}"`) && text;
  const text = await waitFor('count of the run', async () => isCounted(await read()));
  assert.match(text, new RegExp(`partner_impact_job_last_success_timestamp_seconds\\{job="${name}"\\} \\d+`));
  assert.match(text, new RegExp(`partner_impact_job_duration_seconds_count\\{job="${name}"\\} 1`));
  assert.match(text, new RegExp(`partner_impact_job_runs_total\\{job="${name}",outcome="succeeded"\\} 1`));
  assert.match(text, new RegExp(`partner_impact_job_partners_left\\{job="${name}"\\} 0`));
  assert.equal(await service.end('SIGTERM'), 0);
});

test('a process with the role api alone answers, numbers no event and follows no schedule', HANG_LIMIT, async () => {
  const { databaseUrl: ownUrl } = await testDatabase();
  const env = { AUDIT_KEY: auditKeys().map(writeNamedKey).join() };
  const service = await spawnService(ownUrl, env, ['--roles', 'api']);
  const own = openDatabase({ databaseUrl: ownUrl, poolSize: 2, auditKeys });
  after(() => own.close());
  const { partnerId } = await createPartner(own, OWNER, 'Alone');
  const terms = { name: 'server', permission: 'read_write', allowedAddresses: [], expiresAt: null } as const;
  const { apiKey } = await issueApiKey(own, OWNER, { environment: 'sandbox', partnerId, ...terms });
  assert.equal((await new Client(service.baseUrl, apiKey).confirm()).status, 201);
  assert.equal(await service.end('SIGTERM'), 0);
  const { rows } = await own.pool.query(
    'select (select count(*) from event_outbox) as waiting, (select count(*) from job) as jobs',
  );
  assert.deepEqual(rows, [{ waiting: 2n, jobs: 0n }]);
});
