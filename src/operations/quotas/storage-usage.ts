import { pluralise } from '../../domain/pluralise.ts';
import type { PartnerQuota } from '../../domain/quotas/partner-quota.ts';
import type { Database } from '../../store/database.ts';
import { isCanceled } from '../../store/database-errors.ts';
import { isWithoutWorker, problemOf } from '../../store/database-problem.ts';
import { NodeReader } from '../../store/node-reader.ts';
import { addStoredBytes, addStoredBytesTogether, type CountedUsage } from '../../store/quotas/daily-usage.ts';
import { findPartnerQuota } from '../../store/quotas/partner-quota.ts';
import { forEachPartner } from '../for-each-partner.ts';
import type { GroupCommitOptions } from '../group-commit.ts';

export interface PartnerUse {
  readonly partnerId: string;
  readonly storedBytes: number;
  readonly bytesPerDay: number;
}

/**
 * `near` at four fifths of a quota, `spent` at its end, `exceeded` when confirmations or one advance of the clock of a sandbox exceed it. Each is
 * reported once a day and partner.
 */
export type QuotaStage = 'near' | 'spent' | 'exceeded';

export interface StorageUsage {
  /** Adds to a counter in memory: a request does not wait for a query. */
  count(partnerId: string, bytes: number): void;
  /** Whether the partner has used up its quota of the day: then all that stores, other than confirmations, is refused. */
  isSpent(partnerId: string): boolean;
  /** Partners that have used four fifths of their quota or more. */
  listNear(): PartnerUse[];
  /** Writes what is collected and stops. */
  close(): Promise<void>;
}

export interface StorageUsageOptions {
  readonly onStage: (stage: QuotaStage, use: PartnerUse) => void;
  readonly onError: (error: unknown) => void;
  /** How often the counts are written, and the sum of all processes is read. */
  readonly everyMs?: number;
}

interface Counted {
  /** The bytes that all processes had counted at the last reading. */
  sharedBytes: number;
  /** The bytes that this process has counted since then. */
  ownBytes: number;
  bytesPerDay: number;
  /** `performance.now()` */
  dayEndsAtMs: number;
  stage: QuotaStage | undefined;
}

/** A partner whose count is written. */
interface Due {
  readonly partnerId: string;
  readonly counted: Counted;
}

type UsageAndQuota = CountedUsage & Pick<PartnerQuota, 'bytesPerDay'>;

const EVERY_MS = 5_000;
/** The most partners of one statement: it holds the locks of their rows until its commit. */
const TOGETHER_MAX = 500;
const NEAR = 0.8;
/** Well above the quota, so that requests that began before it do not count as exceeding it. */
const EXCEEDED = 1.05;

/**
 * Counts what partners store in a UTC day. Each process counts in memory; every few seconds it adds its count to the partner's row, and
 * reads the sum of all processes with the same query. A request never waits for it. A partner that stores nothing costs nothing. On a
 * database that is not distributed one statement does it for several partners, and where it fails, one for each.
 *
 * @see docs/spec/decisions.md#6-rate-limits: a byte quota refuses estimates and lists, never confirmations.
 */
export function countStorage(database: Database, options: StorageUsageOptions): StorageUsage {
  return new StorageCounter(database, options);
}

class StorageCounter implements StorageUsage {
  readonly #database: Database;
  readonly #options: StorageUsageOptions;
  readonly #partners = new Map<string, Counted>();
  #writing = Promise.resolve();
  #timer: NodeJS.Timeout;

  constructor(database: Database, options: StorageUsageOptions) {
    this.#database = database;
    this.#options = options;
    this.#timer = this.#schedule();
  }

  count(partnerId: string, bytes: number): void {
    const counted = this.#partners.get(partnerId) ?? remember(this.#partners, partnerId);
    counted.ownBytes += bytes;
  }

  isSpent(partnerId: string): boolean {
    const counted = this.#partners.get(partnerId);
    if (!counted || performance.now() >= counted.dayEndsAtMs) return false;
    return counted.sharedBytes + counted.ownBytes >= counted.bytesPerDay;
  }

  readonly listNear = (): PartnerUse[] =>
    [...this.#partners].filter(([, { stage }]) => stage !== undefined).map(([partnerId, counted]) => useOf(partnerId, counted));

  async close(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#timer);
    await this.#writeAll();
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(() => this.#tick(), this.#options.everyMs ?? EVERY_MS).unref();
  }

  #tick(): void {
    this.#writing = this.#writeAll();
    void this.#writing.then(() => {
      this.#timer = this.#schedule();
    });
  }

  async #writeAll(): Promise<void> {
    const due: Due[] = [];
    for (const [partnerId, counted] of this.#partners) {
      if (counted.ownBytes === 0 && performance.now() >= counted.dayEndsAtMs) this.#partners.delete(partnerId);
      // For a partner at its quota the row is read again, because an operator may have raised it.
      else if (counted.ownBytes > 0 || counted.stage !== undefined) due.push({ partnerId, counted });
    }
    const failed = (count: number) => `The usage of ${pluralise(count, 'partner')} could not be recorded.`;
    const stop = new AbortController();
    const write = (each: Due) =>
      this.#write(each).catch((error: unknown) => {
        if (isOfEveryPartner(error)) stop.abort();
        throw error;
      });
    const options = { failed, signal: stop.signal };
    const left = this.#database.isDistributed ? due : await this.#writeTogether(due);
    await forEachPartner(new NodeReader(this.#database), left, options, write).catch((error: unknown) =>
      this.#options.onError(error),
    );
  }

  /** @returns Those that are to be tried alone: of each batch that failed, and everybody after one that waited for a row. */
  async #writeTogether(due: readonly Due[]): Promise<Due[]> {
    const left: Due[] = [];
    for (let from = 0; from < due.length; from += TOGETHER_MAX) {
      const some = due.slice(from, from + TOGETHER_MAX);
      const stored = some.map(({ partnerId, counted }) => ({ partnerId, counted, bytes: counted.ownBytes }));
      try {
        const rows = new Map((await addStoredBytesTogether(this.#database.pool, stored)).map((row) => [row.partnerId, row]));
        for (const each of stored) this.#note(each, rows.get(each.partnerId) as UsageAndQuota);
      } catch (error) {
        // It may have waited for the row of a single partner: nobody waits for another batch, and each is tried alone.
        if (isCanceled(error)) return [...left, ...due.slice(from)];
        if (isOfEveryPartner(error)) {
          // The bytes are written with the next ones.
          this.#options.onError(error);
          return [];
        }
        left.push(...some);
      }
    }
    return left;
  }

  async #write({ partnerId, counted }: Due): Promise<void> {
    const { pool } = this.#database;
    const bytes = counted.ownBytes;
    const { bytesPerDay } = await findPartnerQuota(pool, partnerId);
    this.#note({ partnerId, counted, bytes }, { ...(await addStoredBytes(pool, partnerId, bytes)), bytesPerDay });
  }

  /** @param each With the bytes that were just added to its row. */
  #note({ partnerId, counted, bytes }: Due & { readonly bytes: number }, row: UsageAndQuota): void {
    const { storedBytes, endsInMs, bytesPerDay } = row;
    counted.bytesPerDay = bytesPerDay;
    counted.ownBytes -= bytes;
    if (storedBytes < counted.sharedBytes) counted.stage = undefined;
    counted.sharedBytes = storedBytes;
    counted.dayEndsAtMs = performance.now() + endsInMs;
    const use = useOf(partnerId, counted);
    const stage = stageOf(use);
    if (stage !== undefined && stage !== counted.stage) this.#options.onStage(stage, use);
    counted.stage = stage;
  }
}

/** Whoever comes next would wait for the same. */
function isOfEveryPartner(error: unknown): boolean {
  const problem = problemOf(error);
  return problem !== undefined && !isWithoutWorker(problem);
}

function useOf(partnerId: string, { sharedBytes, ownBytes, bytesPerDay }: Counted): PartnerUse {
  return { partnerId, storedBytes: sharedBytes + ownBytes, bytesPerDay };
}

/** Without limits, for tests and tools that run a part of the service. */
export const UNCOUNTED: StorageUsage = { count() {}, isSpent: () => false, listNear: () => [], async close() {} };

function remember(partners: Map<string, Counted>, partnerId: string): Counted {
  const counted = { sharedBytes: 0, ownBytes: 0, bytesPerDay: Number.POSITIVE_INFINITY, dayEndsAtMs: 0, stage: undefined };
  partners.set(partnerId, counted);
  return counted;
}

function stageOf({ storedBytes, bytesPerDay }: PartnerUse): QuotaStage | undefined {
  const share = storedBytes / bytesPerDay;
  if (share < NEAR) return undefined;
  if (share < 1) return 'near';
  return share < EXCEEDED ? 'spent' : 'exceeded';
}

export type CommitBatch<Request, Outcome> = GroupCommitOptions<Request, unknown, Outcome>['commitBatch'];

/** Commits a batch and counts what it inserted. */
export function countingBatch<Request extends { readonly partnerId: string }, Outcome>(
  usage: StorageUsage,
  bytesOf: (request: Request) => number,
  commitBatch: CommitBatch<Request, Outcome>,
): CommitBatch<Request, Outcome> {
  return async (requests, options) => {
    const outcomes = await commitBatch(requests, options);
    for (const [index, request] of requests.entries())
      if (outcomes[index] !== undefined) usage.count(request.partnerId, bytesOf(request));
    return outcomes;
  };
}
