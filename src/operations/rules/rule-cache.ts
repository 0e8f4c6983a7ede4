import { isDeepStrictEqual } from 'node:util';
import { openAgeClock } from '../../concurrency/age-clock.ts';
import type { ContributionRules } from '../../domain/rules/contribution-rules.ts';
import { type RuledPartner, type RuleVersion, rulesInForce } from '../../domain/rules/rule-versions.ts';
import { unavailable } from '../../domain/service-error.ts';
import type { Database } from '../../store/database.ts';
import { type RuleRecord, readRuleRevision } from '../../store/rules/rule-version.ts';
import { readVerifiedRuleEntries, readVerifiedRulesNamed, ruleNameOf, unverifiedRule } from './verified-rules.ts';

/**
 * The rules in force for a partner at a time of `performance.now()`. Returned at once from memory; after an outage of the database only
 * when the memory is current again.
 */
export type RulesOf = (partner: RuledPartner, atMs: number) => ContributionRules | Promise<ContributionRules>;

/** The versions of all rules in the memory of one process. */
export interface RuleCache {
  readonly rulesOf: RulesOf;
  close(): void;
}

export interface RuleCacheOptions {
  /** Called when the rules could not be read. */
  readonly onError: (error: unknown) => void;
  /**
   * Called for each version that differs from the audit, once after each change of the rules, and again where it differs in another way:
   * where it would be in force, nothing is confirmed.
   */
  readonly onUnverified: (error: Error) => void;
  /** Called when the rules of a partner were needed and not used, because one differs from the audit. */
  readonly onRefused: () => void;
  /** The clock for the times of requests; `performance` unless another is given. */
  readonly clock?: { now(): number };
  /** The clock for the age of the memory; a given {@link clock} unless another is given. */
  readonly ages?: { now(): number };
  /** Called after each read with the database's clock, in whole milliseconds, and with {@link clock} before it was read. */
  readonly onClock?: ((now: Date, askedAtMs: number) => void) | undefined;
}

const REFRESH_MS = 4_000;
/** Without a look in this time rules are not used, whatever keeps the database from answering. A version is created long enough before its start. */
const MEMORY_MAX_MS = 10_000;
/**
 * While all versions are read after a change, which takes seconds where there are tens of thousands, those from before it are used until
 * their last look is so long ago: a version that was created or withdrawn since starts a minute after that, or later.
 */
const WHILE_READ_MAX_MS = 30_000;
const PARTNERS_MAX = 10_000;

/** The rules in force for a partner of this currency, with their start and end, in milliseconds since 1970. */
interface Span {
  readonly currency: string | null;
  /** `undefined` when the versions in the database give other rules than their sealed audit entries: neither is used. */
  readonly rules: ContributionRules | undefined;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Those that are for all partners have the key `null`. A look at one partner's costs nothing for the versions of others. */
type VersionsByPartner = ReadonlyMap<string | null, readonly RuleVersion[]>;

interface Memory {
  readonly revision: bigint;
  /** `ages.now()` before the versions were read: they include everything committed until then. */
  readonly readAtMs: number;
  /** By `ages.now()`: afterwards the database is asked before these are used. */
  readonly usableUntilMs: number;
  /** How far the database's clock is ahead of `clock.now()`, slightly underestimated: a version is never in force before its start. */
  readonly aheadMs: number;
  readonly versions: VersionsByPartner;
  /** The content of these versions in their audit entries. */
  readonly sealed: VersionsByPartner;
  /** How versions differ from the audit, by their subject. */
  readonly doubts: Map<string, string>;
  /** The rules in force for each partner, with their span of time. */
  readonly spans: Map<string, Span>;
}

/**
 * Reads the versions, and again after each change: one look every four seconds, however many requests arrive. A version is in force from
 * its start on the database's clock, to about a millisecond, in every process alike: it was created a minute before, so that each process
 * knows it.
 */
export function openRuleCache(
  database: Database,
  { onError, onUnverified, onRefused, clock, ages = clock ?? openAgeClock(), onClock }: RuleCacheOptions,
): RuleCache {
  let memory: Memory | undefined;
  let reading: Promise<Memory> | undefined;
  const keep = (read: Memory): Memory => {
    memory = read;
    return read;
  };
  const refresh = (): Promise<Memory> => {
    const options = { clock: clock ?? performance, ages, known: memory, keep, onUnverified, onClock };
    reading ??= read(database, options).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const look = () => void refresh().catch(onError);
  const timer = setInterval(look, REFRESH_MS);
  timer.unref();
  look();
  const rulesOf: RulesOf = (partner, atMs) => {
    if (memory && ages.now() <= memory.usableUntilMs)
      return findRules(memory, partner, atMs) ?? refuseUnverified(partner, onRefused);
    return refresh().then(
      (fresh) => findRules(fresh, partner, atMs) ?? refuseUnverified(partner, onRefused),
      (cause: unknown) => {
        throw unavailable('The rules of the partner could not be read; whether the contribution is recorded is not known.', {
          cause,
        });
      },
    );
  };
  return { rulesOf, close: () => clearInterval(timer) };
}

async function refuseUnverified({ partnerId }: RuledPartner, onRefused: () => void): Promise<never> {
  onRefused();
  throw unavailable(`The rules of the partner ${partnerId} differ from the audit. \`rule verify\` names the version.`);
}

interface Reading extends Pick<RuleCacheOptions, 'onUnverified' | 'onClock'> {
  readonly clock: { now(): number };
  readonly ages: { now(): number };
  readonly known: Memory | undefined;
  /** Called with what was read, and before the versions are read with what is used until then. */
  readonly keep: (memory: Memory) => Memory;
}

async function read(database: Database, { clock, ages, known, keep, onUnverified, onClock }: Reading): Promise<Memory> {
  const [readAtMs, askedAtMs] = [ages.now(), clock.now()];
  const { revision, now } = await readRuleRevision(database.pool);
  const aheadMs = estimateAhead(known, { least: now.getTime() - clock.now(), most: now.getTime() - askedAtMs });
  onClock?.(now, askedAtMs);
  if (known?.revision === revision) {
    const same = keep({ ...known, readAtMs, usableUntilMs: readAtMs + MEMORY_MAX_MS, aheadMs });
    // Where that cannot be read, the others are used all the same, and the next look asks again.
    if (!(await isRestored(database, known).catch(() => false))) return same;
  }
  // It has everything from before its last look, and the database answers.
  if (known && ages.now() <= known.usableUntilMs) keep({ ...known, usableUntilMs: known.readAtMs + WHILE_READ_MAX_MS, aheadMs });
  // The read waits for a standby: no contribution carries the label of a version that a failover removes.
  const rules = await readVerifiedRuleEntries(database.pool, database.auditKeys);
  const told = known?.revision === revision ? known.doubts : undefined;
  for (const [subject, doubt] of rules.doubts) if (told?.get(subject) !== doubt) onUnverified(unverifiedRule(subject, doubt));
  const inUse = (rules: readonly RuleRecord[]): VersionsByPartner =>
    Map.groupBy(
      rules.filter(({ withdrawnAt }) => withdrawnAt === null),
      ({ partnerId }) => partnerId,
    );
  const [versions, sealed] = [inUse(rules.stored), inUse(rules.sealed)];
  // After a long read the next look is given its time too.
  const usableUntilMs = Math.min(ages.now() + MEMORY_MAX_MS, readAtMs + WHILE_READ_MAX_MS);
  return keep({ revision, readAtMs, usableUntilMs, aheadMs, versions, sealed, doubts: new Map(rules.doubts), spans: new Map() });
}

/** So many are compared in a turn of the event loop, which takes some milliseconds. */
const COMPARED_IN_LOOK = 100;

/**
 * Whether a version that differed from the audit does no longer: whoever restores it by SQL changes no revision. Of many versions each look
 * compares the next hundred.
 */
async function isRestored({ pool, auditKeys }: Database, { doubts }: Memory): Promise<boolean> {
  if (doubts.size === 0) return false;
  const next = [...doubts].slice(0, COMPARED_IN_LOOK);
  for (const [subject, doubt] of next) {
    doubts.delete(subject);
    doubts.set(subject, doubt);
  }
  const names = next.map(([subject]) => ruleNameOf(subject));
  const now = await readVerifiedRulesNamed(pool, auditKeys, names);
  return next.some(([subject, doubt]) => now.doubts.get(subject) !== doubt);
}

/** The most that two clocks drift apart between two looks. */
const DRIFT_MAX_MS = 0.2;

/**
 * The database's clock was read at some time during the look, so its lead lies between two bounds. A quick look is more exact than a slow
 * one: the best estimate stays, unless the database's clock was set.
 */
function estimateAhead(known: Memory | undefined, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.max(least, Math.min(most, (known?.aheadMs ?? least) - DRIFT_MAX_MS));
}

function findRules(
  { spans, versions, sealed, aheadMs }: Memory,
  partner: RuledPartner,
  atMs: number,
): ContributionRules | undefined {
  const at = atMs + aheadMs;
  const known = spans.get(partner.partnerId);
  if (known && known.currency === partner.currency && at >= known.fromMs && at < known.untilMs) return known.rules;
  const span = findSpan({ versions, sealed }, partner, at);
  if (spans.size >= PARTNERS_MAX) spans.clear();
  spans.set(partner.partnerId, span);
  return span.rules;
}

function findSpan({ versions, sealed }: Pick<Memory, 'versions' | 'sealed'>, partner: RuledPartner, at: number): Span {
  const [mine, mineSealed] = [versions, sealed].map((all) =>
    [null, partner.partnerId].flatMap((partnerId) => all.get(partnerId) ?? []),
  ) as [RuleVersion[], RuleVersion[]];
  const starts = [...mine, ...mineSealed].map(({ startsAt }) => startsAt.getTime());
  const rules = rulesInForce(mine, partner, new Date(at));
  return {
    currency: partner.currency,
    rules: isDeepStrictEqual(rules, rulesInForce(mineSealed, partner, new Date(at))) ? rules : undefined,
    fromMs: Math.max(Number.NEGATIVE_INFINITY, ...starts.filter((start) => start <= at)),
    untilMs: Math.min(Number.POSITIVE_INFINITY, ...starts.filter((start) => start > at)),
  };
}
