import { setTimeout as sleep } from 'node:timers/promises';
import { pluralise } from '../domain/pluralise.ts';
import type { Logger } from '../observability/log.ts';
import { shared } from '../observability/shared-answer.ts';
import { type Database, onOneConnection } from '../store/database.ts';
import { type DatabaseProblem, type ProblemReason, problemOf, UnfitDatabaseError } from '../store/database-problem.ts';
import { checkWritable, hasRoom, type WritableServer } from '../store/durability.ts';
import { type LockHolder, listLockHolders } from '../store/lock-holders.ts';
import type { WorkerWatch } from '../store/worker-watch.ts';
import { isNoted, isReadyDespite } from './database-problem-words.ts';
import { correctIdentifierClock } from './identifier-clock.ts';
import { LateAnswers } from './late-answers.ts';
import { describeFound, type FoundProblem, identityOf, ProblemLog } from './problem-log.ts';

export interface DatabaseWatchOptions {
  /** With a connection that the watch shares with no work: the work may have used up the others. */
  readonly database: Database;
  readonly logger: Logger;
  /** Why the database does not run, where the service runs it; the words of a connection tell less, and change from look to look. */
  readonly findFailure?: () => string | undefined;
  /** Of a cluster. */
  readonly workers?: WorkerWatch | undefined;
}

export const WATCH_POOL_SIZE = 1;

const LOOK_EVERY_MS = 5_000;
const LOOK_AGAIN_MS = 1_000;
const ANSWER_TIMEOUT_MS = 2_000;
/** A request needs more than one answer. */
const LATE_MS = 1_000;
/** Far below the five minutes by which the date of a signature may differ, and far above what a look mistakes. */
const CLOCK_MAX_MS = 60_000;
/** What failed work told is taken for true for this time, and for longer where it is looked at again. */
const NOTED_FOR_MS = 10_000;
/** Work of all partners asks a lost worker again every ten seconds. */
const WORKER_NOTED_FOR_MS = 30_000;
/** From here PostgreSQL itself freezes without regard to anything else (`vacuum_failsafe_age`); at 2,144 million it writes no more. */
const OLD_IDS = 1_600_000_000;
/** Who waits for a lock gives up and comes again: between two waits of a second nobody is seen to wait for this time. */
const LOCKED_FOR_MS = 4_000;

interface Seen {
  readonly problem: DatabaseProblem;
  readonly atMs: number;
}

/**
 * Tells the engineer on call what the database does not do: once when it begins, on each node of a cluster, and once when it is over. Looks
 * every five seconds, and every second while the database has a problem or work has failed in the last ten, until it is closed.
 */
export class DatabaseWatch {
  readonly #database: Database;
  readonly #log: ProblemLog;
  readonly #findFailure: () => string | undefined;
  readonly #workers: WorkerWatch | undefined;
  readonly #look = shared(() => this.#lookNow());
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;
  /** Those of now. */
  #problems: readonly FoundProblem[] = [];
  /** When the last look began. */
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** When work last failed, or the commit of a look took long: from then on the watch looks every second for a while. */
  #troubleAtMs = Number.NEGATIVE_INFINITY;
  /** When the commit of a look last took long. */
  #lateCommitAtMs = Number.NEGATIVE_INFINITY;
  /** What work met, each where it met it. */
  readonly #noted = new Map<string, Seen>();
  /** The last lock that a look found others to wait for. */
  #locked: Seen | undefined;
  /** Commits of looks that took long, and work without an answer. */
  readonly #late = new LateAnswers();
  /** Work that got no connection of its own process, while the database may do well. */
  readonly #busy = new LateAnswers();

  constructor({ database, logger, findFailure = () => undefined, workers }: DatabaseWatchOptions) {
    this.#database = database;
    this.#workers = workers;
    this.#log = new ProblemLog(logger);
    this.#findFailure = findFailure;
    this.#timer = setInterval(() => this.#lookWhenDue(), LOOK_AGAIN_MS);
    this.#timer.unref();
  }

  /** As they were found last. */
  get reasons(): readonly ProblemReason[] {
    return this.#problems.map(({ reason }) => reason);
  }

  /** Somebody's work failed. The watch looks within a second whether the database is the cause. */
  readonly note = (error: unknown): void => this.noteProblem(problemOf(error));

  /** The same, from another process of the service. */
  readonly noteProblem = (problem: DatabaseProblem | undefined): void => {
    this.#troubleAtMs = performance.now();
    if (problem && isNoted(problem)) this.#noted.set(identityOf(problem), { problem, atMs: this.#troubleAtMs });
    if (problem?.reason === 'connections_busy') this.#busy.note(problem.message);
    if (problem?.reason === 'no_answer' && problem.worker === undefined) this.#late.note(problem.message);
  };

  /**
   * Looks now.
   *
   * @returns Sentences about what does not work while look-ups may; `undefined` when all does.
   * @throws Error With the reason why no request can be answered.
   */
  async check(): Promise<string | undefined> {
    const found = await this.#look();
    if (found.length === 0) return undefined;
    const sentences = found.map(describeFound);
    if (found.every(({ isReady }) => isReady)) return sentences.join('; ');
    throw new Error(sentences.join('; '));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
  }

  #lookWhenDue(): void {
    const nowMs = performance.now();
    // A request that waits for a lock gives up after four seconds: looks every five seconds would miss those that come one by one.
    const isWanted = this.#problems.length > 0 || nowMs - this.#troubleAtMs < NOTED_FOR_MS;
    if (isWanted || nowMs - this.#lookedAtMs >= LOOK_EVERY_MS) void this.#look();
  }

  async #lookNow(): Promise<readonly FoundProblem[]> {
    this.#lookedAtMs = performance.now();
    const found = await this.#find();
    // The connections of a service that stops are closed under a look.
    if (this.#isClosed) return found;
    this.#problems = found;
    this.#log.tell(found, performance.now() - this.#lateCommitAtMs < NOTED_FOR_MS);
    return found;
  }

  async #find(): Promise<readonly FoundProblem[]> {
    try {
      const lasting = await this.#lookAtServer();
      const problems = [...(await this.#findOfNow()), ...lasting];
      return problems.map((problem) => ({ ...problem, isReady: true }));
    } catch (error) {
      this.#late.forget();
      this.#busy.forget();
      const failure = this.#findFailure();
      if (failure !== undefined) return [{ reason: 'unreachable', message: failure, isReady: false, isEmbedded: true }];
      const problem = problemOf(error) ?? { reason: 'other', message: (error as Error).message };
      return [{ ...problem, isReady: isReadyDespite(problem) }];
    }
  }

  /** What explains the rest alone: late answers may come of a lock, and connections in use of late answers. */
  async #findOfNow(): Promise<readonly DatabaseProblem[]> {
    const noted = await this.#findNoted();
    const causes = noted.length > 0 ? noted : await this.#findLock();
    if (causes.length === 0) return this.#findSlow();
    this.#late.forget();
    this.#busy.forget();
    return causes;
  }

  /**
   * Commits, and looks at the time that takes, the clock and the oldest ids. A session that is not fit is ended: it keeps settings that
   * were changed since it began.
   *
   * @returns What is wrong although the database commits. A look mistakes the clock by its duration at most.
   */
  async #lookAtServer(): Promise<readonly DatabaseProblem[]> {
    const [beganAtMs, askedAt] = [performance.now(), Date.now()];
    let connectedAtMs = beganAtMs;
    // To connect may take as long as an earlier attempt that is about to fail.
    const look = onOneConnection(this.#database.pool, (connection) => {
      connectedAtMs = performance.now();
      return checkWritable(connection);
    });
    const { now, oldest } = await inTime(look);
    // As after a correction of that clock: a process without the rules of partners reads it nowhere else.
    correctIdentifierClock(now, beganAtMs);
    const tookMs = Math.round(performance.now() - connectedAtMs);
    this.#noteDuration(tookMs);
    this.#workers?.requireDurable();
    return [...findOldIds(oldest), ...findOffset(now.getTime() - askedAt)];
  }

  #noteDuration(tookMs: number): void {
    const wasSilent = isOutage(this.#problems);
    if (wasSilent) this.#busy.forget();
    if (tookMs > LATE_MS) {
      const words = `a commit took ${tookMs} ms`;
      if (wasSilent) this.#late.continue(words);
      else this.#late.note(words);
      this.#lateCommitAtMs = performance.now();
      this.#troubleAtMs = this.#lateCommitAtMs;
    } else if (wasSilent) {
      // Work without an answer had that cause, which is over.
      this.#late.forget();
    }
  }

  #findSlow(): readonly DatabaseProblem[] {
    const [late, busy] = [this.#late.state, this.#busy.state];
    if (late !== undefined) return [{ reason: 'slow', message: late }];
    return busy === undefined ? [] : [{ reason: 'connections_busy', message: busy }];
  }

  /** What work met: while it is recent, and a full disk until there is room again. */
  async #findNoted(): Promise<readonly DatabaseProblem[]> {
    for (const [identity, { problem, atMs }] of this.#noted) {
      const isOfWorker = problem.reason === 'worker_lost' || problem.worker !== undefined;
      if (performance.now() - atMs < (isOfWorker ? WORKER_NOTED_FOR_MS : NOTED_FOR_MS)) continue;
      const mayLast = problem.reason === 'disk_full' && !isOfWorker;
      if (!mayLast || (await inTime(hasRoom(this.#database.pool)))) this.#noted.delete(identity);
    }
    return [...this.#noted.values()].map(({ problem }) => problem);
  }

  async #findLock(): Promise<readonly DatabaseProblem[]> {
    const nowMs = performance.now();
    if (nowMs - this.#troubleAtMs > NOTED_FOR_MS) return [];
    const holders = await inTime(listLockHolders(this.#database.pool));
    if (holders.length > 0)
      this.#locked = { problem: { reason: 'locked', message: holders.map(describeHolder).join('; ') }, atMs: nowMs };
    return this.#locked && nowMs - this.#locked.atMs < LOCKED_FOR_MS ? [this.#locked.problem] : [];
  }
}

/** Whether no request can be answered. */
function isOutage(problems: readonly FoundProblem[]): boolean {
  return problems.some(({ isReady }) => !isReady);
}

function findOldIds({ name, age }: WritableServer['oldest']): readonly DatabaseProblem[] {
  if (age < OLD_IDS) return [];
  return [{ reason: 'wraparound', message: `database "${name}" has to be vacuumed: its oldest id is ${age} ids old` }];
}

/** @param offsetMs By how much the database's clock is ahead of this machine's. */
function findOffset(offsetMs: number): readonly DatabaseProblem[] {
  if (Math.abs(offsetMs) <= CLOCK_MAX_MS) return [];
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  return [{ reason: 'clock', message: `it is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's` }];
}

function describeHolder({ pid, user, application, seconds, tables, waiting }: LockHolder): string {
  const since = seconds === null ? '' : ` for ${seconds} s`;
  const what = tables ?? 'rows';
  return `session ${pid} of ${user} (${application || 'without a name'}) holds ${what}${since}, ${pluralise(waiting, 'session')} waiting`;
}

async function inTime<Result>(look: Promise<Result>): Promise<Result> {
  return Promise.race([look, refuseLate()]);
}

async function refuseLate(): Promise<never> {
  await sleep(ANSWER_TIMEOUT_MS, undefined, { ref: false });
  throw new UnfitDatabaseError('no_answer', `the database did not commit within ${ANSWER_TIMEOUT_MS} ms`);
}
