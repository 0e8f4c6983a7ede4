import { LRUCache } from 'lru-cache';
import type { Places } from '../../concurrency/batch-queue.ts';
import { oneByOne } from '../../concurrency/one-by-one.ts';
import {
  EXACT_POINTS,
  findWrongVerdicts,
  isReconciled,
  RATE_LIMIT_WAIT_SECONDS,
  READINESS_CHECKS,
  type ReadinessCheck,
  type ReadinessItem,
} from '../../domain/sandbox/readiness.ts';
import type { LookedUpContribution } from '../../store/contributions/looked-up-contribution.ts';
import type { Database } from '../../store/database.ts';
import {
  type CompletedComparison,
  findRecovered,
  findRetried,
  insertReadinessEvidence,
  listCompletedComparisons,
  listReadinessEvidence,
  markLookedUp,
  type ReadinessEvidence,
  type RetriedScenario,
  type Since,
} from '../../store/sandbox/readiness-evidence.ts';

/** Evidence in an answer; a compared list has no correlation id. */
export type EvidenceView = Omit<ReadinessEvidence, 'correlationId'> & { readonly correlationId: string | null };

export interface CheckedItem {
  readonly check: ReadinessCheck;
  /** Empty: the check is not passed. */
  readonly evidence: readonly EvidenceView[];
  readonly whatToDo: string;
}

/** The evidence of a request. */
export interface EvidenceOf {
  readonly partnerId: string;
  readonly correlationId: string;
  readonly subjectId?: string | null;
}

/** Collects evidence from the traffic of a sandbox, without delaying answers, and tells partners whether they are ready. */
export interface Readiness {
  record(item: ReadinessItem, recorded: EvidenceOf): void;
  /** A confirmation was sent again under its key. */
  recordReplay(record: LookedUpContribution, correlationId: string): void;
  /** A contribution was looked up. */
  recordLookup(record: LookedUpContribution, correlationId: string): void;
  /** @param since Only evidence from this time on counts; `null` for all. */
  check(partnerId: string, since: Since): Promise<readonly CheckedItem[]>;
  /** Writes what was collected. */
  close(): Promise<void>;
}

const REMEMBERED_MAX = 50_000;
/** Evidence of a kind is recorded once in this time: more of it shows nothing else. */
const REMEMBERED_MS = 1_000;
/** The most writes under way; further evidence is recorded the next time. */
const UNDER_WAY_MAX = 32;
/** Look-ups are collected for this time, and up to so many of a partner and so many partners: one query for each partner. */
const GATHER_MS = 1_000;
const LOOKUPS_MAX = 256;
const PARTNERS_MAX = 64;
/** The latest reconciliations of a partner that are read. */
const COMPARED_MAX = 100;
/** The latest keys that each scenario refused, which are read: a partner may leave any number of them without a retry. */
const REFUSED_MAX = 1_000;

/** One checklist is read at a time: it leaves the connections of its pool to the confirmations. */
const IN_TURN = { concurrency: 1, waitingMax: 256, waitMaxMs: 5_000 };

/** @param refusalOf What a checklist that waits is refused with instead of being read, by its partner. */
export function watchReadiness(
  database: Database,
  onError: (error: unknown) => void,
  refusalOf?: Places['refusalOf'],
): Readiness {
  const { pool } = database;
  const checkInTurn = oneByOne({ ...IN_TURN, refusalOf, run: (asked: Asked) => check(database, asked) });
  const recorded = new LRUCache<string, true>({ max: REMEMBERED_MAX, ttl: REMEMBERED_MS });
  let underWay = 0;
  const once = (name: string, work: () => Promise<void>) => {
    if (recorded.has(name) || underWay >= UNDER_WAY_MAX) return;
    recorded.set(name, true);
    underWay++;
    work()
      .catch((error: unknown) => {
        recorded.delete(name);
        onError(error);
      })
      .finally(() => underWay--);
  };
  const record: Readiness['record'] = (item, { partnerId, correlationId, subjectId = null }) =>
    once(`${partnerId} ${item}`, () => insertReadinessEvidence(pool, partnerId, { item, correlationId, subjectId }));
  const lookups = new Map<string, Map<string, string>>();
  const flush = async () => {
    const gathered = [...lookups];
    lookups.clear();
    await Promise.all(gathered.map(([partnerId, lookedUp]) => markLookedUp(pool, partnerId, lookedUp).catch(onError)));
  };
  const timer = setInterval(flush, GATHER_MS).unref();
  return {
    record,
    async close() {
      clearInterval(timer);
      await flush();
    },
    recordReplay: replayRecorder(record),
    recordLookup({ partnerId, contribution: { transactionId, points } }, correlationId) {
      if (points === EXACT_POINTS) record('exact_points', { partnerId, correlationId, subjectId: transactionId });
      const ofPartner = lookups.get(partnerId) ?? new Map<string, string>();
      if (ofPartner.size < LOOKUPS_MAX) ofPartner.set(transactionId, correlationId);
      if (lookups.size < PARTNERS_MAX) lookups.set(partnerId, ofPartner);
    },
    check: (partnerId, since) => checkInTurn({ partnerId, since }),
  };
}

function replayRecorder(record: Readiness['record']): Readiness['recordReplay'] {
  return ({ partnerId, contribution: { transactionId, status, points } }, correlationId) => {
    const evidence = { partnerId, correlationId, subjectId: transactionId };
    record('replayed_key', evidence);
    // The answer to a failed one is an error, which has no points.
    if (status !== 'failed' && points === EXACT_POINTS) record('exact_points', evidence);
  };
}

interface Asked {
  readonly partnerId: string;
  readonly since: Since;
}

/** One statement after another: a checklist never has more than one connection. */
async function check({ pool }: Database, { partnerId, since }: Asked): Promise<CheckedItem[]> {
  const recorded = await listReadinessEvidence(pool, partnerId, since);
  const recovered = await findRecovered(pool, partnerId, since);
  const retried = (scenario: RetriedScenario, waitedSeconds: number | null = null) =>
    findRetried(pool, partnerId, { scenario, since, waitedSeconds, limit: REFUSED_MAX });
  const repeated = (await retried('timeout_before_commit')) ?? (await retried('service_unavailable'));
  const waited = await retried('rate_limited', RATE_LIMIT_WAIT_SECONDS);
  const compared = await listCompletedComparisons(pool, partnerId, { since, limit: COMPARED_MAX });
  const of = (...items: ReadinessItem[]): readonly EvidenceView[] => {
    const found = recorded.filter(({ item }) => items.includes(item));
    return found.length === items.length ? found : [];
  };
  const evidence: Record<ReadinessCheck, readonly EvidenceView[]> = {
    replayed_key: repeated && of('replayed_key').length === 0 ? [repeated] : of('replayed_key'),
    recovered_lost_answer: recovered ? [recovered] : [],
    waited_out_rate_limit: waited ? [waited] : [],
    verified_signature: of('sample_accepted', 'bad_signature_refused'),
    acknowledged_repeated_event: of('acknowledged_repeated_event'),
    caught_up: of('caught_up'),
    reconciled_settlement: compared
      .filter(({ counts }) => isReconciled(counts))
      .slice(0, 1)
      .map(({ reconciliationId, endedAt }) => ({ correlationId: null, subjectId: reconciliationId, seenAt: endedAt })),
    exact_points: of('exact_points'),
  };
  return (Object.keys(READINESS_CHECKS) as ReadinessCheck[]).map((name) => ({
    check: name,
    evidence: evidence[name],
    whatToDo: name === 'reconciled_settlement' ? adviseOnLists(compared) : READINESS_CHECKS[name],
  }));
}

/** Names the latest list and what is wrong with it. */
function adviseOnLists([latest]: readonly CompletedComparison[]): string {
  const advice = READINESS_CHECKS.reconciled_settlement;
  if (!latest || isReconciled(latest.counts)) return advice;
  const { reconciliationId, settlementId, counts } = latest;
  const found = findWrongVerdicts(counts).join(', ') || 'no line is matched';
  return `${advice} Your latest list, ${reconciliationId} of ${settlementId}: ${found}.`;
}
