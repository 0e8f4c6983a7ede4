/** Gets the server of a cluster ready, whichever process starts it. */
import { existsSync, statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { clearStaleLocks, findAnsweringPostmaster, findOriginal, findPostmaster, type Postmaster } from './postmaster.ts';
import { embeddedProblem, explainFailure } from './problem.ts';
import { hasLostStarter, isOrphanedSession, listProcesses } from './processes.ts';
import { type Launch, spawnPostmaster } from './spawn-postmaster.ts';

export interface Site {
  readonly cluster: string;
  readonly binaries: Binaries;
  readonly account: Account;
  /** Otherwise another process of the service does, and this one waits for it. */
  readonly mayStart: boolean;
  readonly onProgress: (sentence: string) => void;
  /** Whether nobody needs the server any more: it is neither waited for nor started. */
  readonly isUnwanted?: (() => boolean) | undefined;
}

export interface Running {
  readonly postmaster: Postmaster;
  readonly isOurs: boolean;
}

/** Without the time of a recovery after a kill: while a postmaster recovers, it is waited for. */
const IDLE_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 20;
const REPORT_EVERY_MS = 3_000;

/**
 * A session that waits for what another one holds in shared memory does not hear that it shall end. Where both its postmaster and that one
 * were killed, it waits for ever. A postmaster gives its sessions this time as well, and then kills them: what they committed is flushed.
 */
const SESSIONS_END_WITHIN_MS = 5_000;

/** The message of a server that found another server on the cluster. */
const LOST_RACE = /lock file ".*" already exists|shared memory block .* is still in use/;

/** What a server that starts or stops answers its clients. */
const REFUSED_CLIENT = /the database system is (?:starting up|shutting down|in recovery mode|not yet accepting connections)/;

/** A server that has not this much room for the next file of its WAL stops. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;

/** The state of a cluster. */
type Finding =
  | { readonly is: 'ready'; readonly postmaster: Postmaster }
  /** A postmaster recovers the cluster or shuts it down, which takes time. */
  | { readonly is: 'busy'; readonly sentence: string }
  /** Sessions whose postmaster was killed. PostgreSQL starts a server only after the last of them is gone. */
  | { readonly is: 'occupied'; readonly pids: readonly number[] }
  | { readonly is: 'free' };

/**
 * @param idleTimeoutMs How long it waits where no postmaster recovers the cluster or shuts it down.
 * @returns The server once it accepts connections.
 *
 * @throws A sentence when PostgreSQL reports why it cannot start, when no server is ready after a minute, or when it is not wanted any more.
 */
export async function attachOrStart(site: Site, idleTimeoutMs = IDLE_TIMEOUT_MS): Promise<Running> {
  const { cluster } = site;
  const report = reporter(site.onProgress);
  const endSessions = sessionEnder(cluster);
  let launch: Launch | undefined;
  for (let deadline = performance.now() + idleTimeoutMs; performance.now() < deadline; await sleep(LOOK_EVERY_MS)) {
    refuseUnwanted(site, launch);
    const finding = examine(cluster);
    if (finding.is === 'ready') return { postmaster: finding.postmaster, isOurs: finding.postmaster.pid === launch?.pid };
    if (finding.is === 'busy') {
      deadline = performance.now() + idleTimeoutMs;
      report(finding.sentence);
    } else if (finding.is === 'occupied') {
      endSessions(finding.pids);
      report('Waiting for the last sessions of a killed database server …');
    } else if (!launch || launch.hasEnded()) {
      const foreign = await findAnsweringPostmaster(cluster);
      if (foreign) return { postmaster: refuseCopy(foreign, cluster), isOurs: false };
      launch = start(site, launch);
    }
  }
  // Nobody waits for it any more, and nobody would stop it.
  if (launch?.pid !== undefined && !launch.hasEnded()) endProcess(launch.pid, 'SIGINT');
  throw embeddedProblem(
    `No server of the database in ${cluster} became ready within ${idleTimeoutMs / 1000} s. ${lastWords(launch, cluster)}`,
  );
}

/** An own server that is under way is waited for: whoever stops shuts it down. */
function refuseUnwanted({ cluster, isUnwanted }: Site, launch: Launch | undefined): void {
  if (isUnwanted?.() && (!launch || launch.hasEnded()))
    throw embeddedProblem(`The server of the database in ${cluster} is not wanted any more: this process stops.`);
}

/** What is recorded in a copy must not be recorded in the original. */
function refuseCopy(postmaster: Postmaster, cluster: string): Postmaster {
  const original = findOriginal(postmaster, cluster);
  if (original === undefined) return postmaster;
  throw embeddedProblem(
    `${cluster} is a copy of ${original}, whose database is running. Stop the original first. Or, if the copy was made while the original was stopped, remove postmaster.pid from the copy; one that was made while it ran may be damaged: restore a backup instead.`,
  );
}

/** Asks a server to end that is of no use to anybody. */
function examine(cluster: string): Finding {
  const postmaster = findPostmaster(cluster);
  if (!postmaster) {
    const pids = listProcesses(cluster);
    return pids.length > 0 ? { is: 'occupied', pids } : { is: 'free' };
  }
  const { status, pid } = postmaster;
  if (status === 'stopping') return { is: 'busy', sentence: 'The previous database server is still shutting down …' };
  if (status === 'ready') {
    if (!hasLostStarter(pid, cluster)) return { is: 'ready', postmaster };
    endProcess(pid, 'SIGINT');
  }
  return { is: 'busy', sentence: 'PostgreSQL is recovering its files …' };
}

/**
 * @param previous The launch that has ended, if there was one.
 * @returns `undefined` where another process starts the server.
 */
function start({ cluster, binaries, account, mayStart }: Site, previous: Launch | undefined): Launch | undefined {
  if (!mayStart) return undefined;
  assertWorthAnotherTry(previous, cluster);
  clearStaleLocks(cluster);
  return spawnPostmaster(cluster, binaries, account);
}

function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, as requested.
  }
}

function assertWorthAnotherTry(launch: Launch | undefined, cluster: string): void {
  if (!launch || hasLostRace(launch)) return;
  throw embeddedProblem(explainFailure(lastWords(launch, cluster), cluster));
}

/** Servers that other processes start meanwhile write into the same log. */
function hasLostRace({ pid, readLog }: Launch): boolean {
  return readLog()
    .split('\n')
    .some((line) => LOST_RACE.test(line) && line.includes(`[${pid}]`));
}

/** A server whose disk is full may have no room for its log either. */
function sayWhenFull(cluster: string): string {
  if (!existsSync(cluster)) return '';
  const { bavail, bsize } = statfsSync(cluster);
  return bavail * bsize < WAL_SEGMENT_BYTES ? 'No space left on device' : '';
}

/**
 * The reason that PostgreSQL, or a program before it in the command, reported last, without its time: it recurs with each attempt.
 */
function lastWords(launch: Launch | undefined, cluster: string): string {
  const lines = (launch?.readLog() ?? '').split('\n').filter((line) => line.trim() !== '' && !REFUSED_CLIENT.test(line));
  const reasons = lines.filter((line) => /FATAL|PANIC/.test(line));
  const reason = reasons.findLast((line) => !LOST_RACE.test(line)) ?? reasons.at(-1);
  const last = reason ?? (sayWhenFull(cluster) || (lines.at(-1) ?? ''));
  return last.replace(/^\S+ \S+ UTC \[\d+\] /, '');
}

/** Asks orphaned sessions to end, and kills those that are still there after {@link SESSIONS_END_WITHIN_MS}. */
function sessionEnder(cluster: string): (pids: readonly number[]) => void {
  let deadline: number | undefined;
  return (pids) => {
    deadline ??= performance.now() + SESSIONS_END_WITHIN_MS;
    const signal = performance.now() < deadline ? 'SIGTERM' : 'SIGKILL';
    for (const pid of pids) if (isOrphanedSession(pid, cluster)) endProcess(pid, signal);
  };
}

/** Reports a sentence when it has been true for a while, and again from time to time. */
function reporter(onProgress: (sentence: string) => void): (sentence: string) => void {
  let dueAt = performance.now() + REPORT_EVERY_MS;
  return (sentence) => {
    if (performance.now() < dueAt) return;
    dueAt = performance.now() + REPORT_EVERY_MS;
    onProgress(sentence);
  };
}
