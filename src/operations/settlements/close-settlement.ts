import type { Actor } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import { recordNotFound, ServiceError } from '../../domain/service-error.ts';
import { closesAt } from '../../domain/settlements/closing-delay.ts';
import { lineProver, PROOFS_PER_ROW } from '../../domain/settlements/line-proof.ts';
import type { SettlementLine } from '../../domain/settlements/settlement-line.ts';
import { closedPeriod, nextPeriod, type SettlementPeriod } from '../../domain/settlements/settlement-period.ts';
import { sealClosed, sealOpened } from '../../domain/settlements/settlement-seal.ts';
import { carriedForward, countTotals, type SettlementTotals } from '../../domain/settlements/settlement-totals.ts';
import { chainValue } from '../../domain/settlements/statement/statement-chain.ts';
import { digestStatement } from '../../domain/settlements/statement/write-statement.ts';
import { findPartner, type Partner } from '../../store/access/partner.ts';
import { type AssignedAdjustments, assignAdjustments } from '../../store/adjustments/adjustment-assignment.ts';
import { readClock, waitForLaterClock } from '../../store/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { isLockTimeout } from '../../store/database-errors.ts';
import { allowLongStatements, type LongStatements } from '../../store/query.ts';
import type { Prices } from '../../store/settlements/price-of-points.ts';
import {
  findSettlementBySequence,
  insertSettlement,
  type KeptStatement,
  lockOpenSettlement,
  type NewSettlement,
  type Settlement,
} from '../../store/settlements/settlement.ts';
import { type Assigned, assignContributions, deleteSettledCandidates } from '../../store/settlements/settlement-assignment.ts';
import { updateSettlementClosed } from '../../store/settlements/settlement-close.ts';
import { eachSettlementLine, insertCarriedLine } from '../../store/settlements/settlement-line.ts';
import { insertLineProofs } from '../../store/settlements/settlement-line-proof.ts';
import { eachLeft } from '../../store/settlements/unsettled-contribution.ts';
import { databaseOf, inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { PARTNER } from '../audit/audited-kinds.ts';
import { editedContribution, findUnverified } from '../audit/check-contributions.ts';
import { requireAllAudited } from '../audit/require-audited.ts';
import { adoptUnsealed, sealedOnly } from '../audit/seal-contributions.ts';
import { ensureSealStart } from '../audit/seal-start.ts';
import { UnverifiedRecordError, WHAT_TO_DO } from '../audit/unverified-record.ts';
import { withRole } from '../with-role.ts';
import { compareSettledContributions } from './compare-settled-contributions.ts';
import { asOpened, enqueueClosedEvent, enqueueOpenedEvent, reread } from './open-settlement.ts';
import { totalsOfOpen } from './open-totals.ts';
import { requireVerifiedAdjustments } from './require-verified-adjustments.ts';
import type { DoubtOf, SettlementTools } from './settlement-tools.ts';

/** A month of many million lines; only another closing of the same partner waits for it. */
const LONG: LongStatements = { timeoutMs: 3_600_000 };

export interface ClosingRequest {
  readonly partnerId: string;
  /** Closes before the end of the period, for an operator. Otherwise only a due settlement is closed. */
  readonly isEarly: boolean;
  /** The settlement that the operator means: when it is no longer open, its successor is not closed. */
  readonly settlementId?: string | undefined;
  /** Replaces the database's clock: the clock of the partner in a sandbox, and that of a test. */
  readonly now?: Date | undefined;
  /** The id of the settlement that is opened; a new one by default. */
  readonly nextSettlementId?: string | undefined;
}

export interface Closed {
  readonly closed: Settlement;
  readonly opened: Settlement;
}

/**
 * Closes the open settlement of a partner, in one transaction: a line for every confirmed contribution and every posted adjustment before
 * the end that is on no line (closed early: everything that was answered before), the totals, the statement's hash, the next settlement, and the events of both. Of several concurrent
 * closings one succeeds. Every contribution is verified by its seal, and the partner, every adjustment and every price by the audit,
 * before they are settled.
 *
 * @returns `undefined` when there was nothing to close: it is not due, or another closing was faster.
 * @throws UnverifiedRecordError With the row that somebody edited in the database; nothing is closed then.
 * @throws ServiceError `forbidden` below the role approver; `invalid_request` when the period has not begun.
 */
export const closeSettlement = withRole(
  'approver',
  async (
    database: Database,
    actor: Actor,
    { partnerId, isEarly, settlementId, now, nextSettlementId = newId('stl') }: ClosingRequest,
    tools: SettlementTools,
  ): Promise<Closed | undefined> => {
    const found = await findPartner(database.pool, partnerId);
    if (!found) throw recordNotFound('partner_id', `There is no partner ${partnerId}. \`partner list\` shows all.`);
    await adoptUnsealed(database, partnerId, await ensureSealStart(database, actor));
    if (!now) await waitForLaterClock(database.pool);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const open = await lockOpenSettlement(db, partnerId).catch(explainLock);
      const at = now ?? (await readClock(db));
      if (!open || open.settlementId !== (settlementId ?? open.settlementId)) return undefined;
      if (!isEarly && at < closesAt(open.period)) return undefined;
      const [partner] = (await requireAllAudited(db, PARTNER, [found])) as [Partner];
      await allowLongStatements(db, LONG);
      const period = endAt(open.period, at);
      const prices = await tools.pricesOf(db, partner);
      const previous = await findPrevious(db, open);
      const outcome = await close(db, { open, period, previous, prices, at, partner, actor, nextSettlementId, tools });
      await audit(db, actor, {
        action: 'settlement.close',
        partnerId,
        subjectId: open.settlementId,
        before: { status: 'open', period_end: open.period.endsAt },
        after: { status: 'closed', period_end: period.endsAt, csv_sha256: outcome.closed.statement?.csvSha256 },
      });
      return outcome;
    });
  },
);

function explainLock(cause: unknown): never {
  if (!isLockTimeout(cause)) throw cause;
  throw new ServiceError('internal_service_unavailable', 'Another process is closing the settlement. Show it again.', {
    cause,
  });
}

function endAt(period: SettlementPeriod, at: Date): SettlementPeriod {
  if (at > period.startsAt) return closedPeriod(period, at);
  const since = period.startsAt.toISOString();
  throw new ServiceError('invalid_request', `The open settlement starts at ${since}; it cannot be closed before.`);
}

async function findPrevious(db: Queryable, { partnerId, sequence }: Settlement): Promise<Settlement | undefined> {
  return sequence === 1n ? undefined : findSettlementBySequence(db, partnerId, sequence - 1n);
}

interface Work {
  readonly open: Settlement;
  /** The period as it is closed. */
  readonly period: SettlementPeriod;
  readonly previous: Settlement | undefined;
  readonly prices: Prices;
  readonly at: Date;
  readonly partner: Partner;
  readonly actor: Actor;
  readonly nextSettlementId: string;
  readonly tools: SettlementTools;
}

async function close(db: Queryable, work: Work): Promise<Closed> {
  const { open, period, prices, previous } = work;
  const { partnerId, settlementId, followsEvent } = open;
  const { startsAt, endsAt } = period;
  const carried = previous?.totals ? carriedForward(previous.totals) : undefined;
  const afterLine = await carryForward(db, work, carried);
  const task = { partnerId, settlementId, followsEvent, startsAt, endsAt, afterLine, prices };
  const assigned = await assignContributions(db, task, LONG);
  const after = { partnerId, settlementId, endsAt, prices, afterLine: afterLine + Number(assigned.count) };
  const adjusted = await assignAdjustments(db, after, LONG);
  await requireVerifiedAdjustments(db, open);
  const lines = await readBack(db, work);
  await refuseUnverifiedLeft(db, open);
  refuseDifference({ assigned, adjusted, carried }, lines.totals);
  const closed = await storeClosed(db, work, lines);
  const opened = await openNext(db, work, { ...lines, followsEvent: assigned.followsEvent });
  return { closed, opened };
}

/** What the settlement before carries out; `undefined` when that is nothing. */
type Carried = ReturnType<typeof carriedForward>;

/**
 * @returns The number of the last line so far.
 */
async function carryForward(db: Queryable, { open, prices, previous }: Work, carried: Carried): Promise<number> {
  if (!previous || !carried) return 0;
  const { partnerId, settlementId } = open;
  const currency = carried.amount === null ? null : (previous.currency ?? prices.currency);
  const line = { lineNo: 1, ...carried, currency, originalSettlementId: previous.settlementId };
  await insertCarriedLine(db, { partnerId, settlementId, ...line });
  return 1;
}

async function storeClosed(db: Queryable, work: Work, { totals, statement }: ReadBack): Promise<Settlement> {
  const { open, period, prices, at, actor, tools } = work;
  const { partnerId, settlementId } = open;
  const { currency } = prices;
  const sealed = { ...open, period, closedAt: at, totals, currency, statement };
  const seal = sealClosed(tools.sign, sealed);
  const { endsAt } = period;
  await updateSettlementClosed(db, { partnerId, settlementId, endsAt, closedAt: at, totals, currency, statement, seal });
  await deleteSettledCandidates(db, partnerId, LONG);
  const closed = await reread(db, open);
  await enqueueClosedEvent(db, { settlement: closed, totals, currency, asOf: null }, actor.correlationId);
  return closed;
}

async function openNext(
  db: Queryable,
  work: Work,
  { totals, statement, followsEvent }: ReadBack & Pick<Assigned, 'followsEvent'>,
): Promise<Settlement> {
  const { open, period, prices, at, partner, actor, nextSettlementId, tools } = work;
  const { partnerId } = open;
  const draft = {
    partnerId,
    settlementId: nextSettlementId,
    sequence: open.sequence + 1n,
    createdAt: at,
    period: nextPeriod(period, partner.timeZone),
    followsEvent,
  };
  const next: NewSettlement = { ...draft, seal: sealOpened(tools.sign, draft, statement.chainSha256) };
  if (!(await insertSettlement(db, next))) throw new Error(`The partner ${partnerId} already has another open settlement.`);
  const opened = asOpened(next);
  const { currency } = prices;
  const openTotals = await totalsOfOpen(db, opened, { previous: totals, prices, long: LONG });
  await enqueueOpenedEvent(db, { settlement: opened, totals: openTotals, currency, asOf: at }, actor.correlationId);
  return opened;
}

/** A contribution for the next settlement must be later by its sealed record, and not by an edit of its time or its status. */
async function refuseUnverifiedLeft(db: Queryable, { partnerId, followsEvent }: Settlement): Promise<void> {
  const check = sealedOnly(databaseOf(db));
  for await (const transactionIds of eachLeft(db, { partnerId, followsEvent }, LONG)) {
    const [unverified] = await findUnverified(db, { partnerId, transactionIds }, { ...check, mustBeConfirmed: true });
    if (unverified) throw editedContribution(unverified);
  }
}

/** Each version is compared once, on its first line. */
function refuserOfDoubted(doubtOf: DoubtOf): (line: SettlementLine) => Promise<void> | undefined {
  const compared = new Set<string>();
  return (line) => {
    const { pointConversionVersion: version } = line;
    if (version === null || compared.has(version)) return undefined;
    compared.add(version);
    return doubtOf(version).then((doubt) => refuseDoubt(line, doubt));
  };
}

function refuseDoubt({ lineNo, pointConversionVersion, transactionId }: SettlementLine, doubt: string | undefined): void {
  if (doubt === undefined) return;
  throw new UnverifiedRecordError(
    `The value of a point ${JSON.stringify(pointConversionVersion)}, which prices ${transactionId} on line ${lineNo}, differs from the audit: ${doubt}. ${WHAT_TO_DO}`,
  );
}

interface ReadBack {
  readonly totals: SettlementTotals;
  readonly statement: KeptStatement;
}

/** Reads the stored lines once: for the totals, the statement's hash and the proofs. */
async function readBack(db: Queryable, { open, previous, partner, prices, tools }: Work): Promise<ReadBack> {
  const { partnerId, settlementId } = open;
  const counter = countTotals();
  const contributions = compareSettledContributions(db, partnerId, sealedOnly(databaseOf(db)));
  const refuseDoubted = refuserOfDoubted(tools.doubtsOf(db, partner, prices));
  const prove = lineProver(tools.sign, { partnerId, settlementId });
  const lines = async function* (): AsyncGenerator<SettlementLine> {
    let proofs: Buffer[] = [];
    let lineNo = 0;
    const keepProofs = async () => {
      const firstLineNo = lineNo - proofs.length + 1;
      await insertLineProofs(db, { partnerId, settlementId, firstLineNo, proofs: Buffer.concat(proofs) });
      proofs = [];
    };
    for await (const line of eachSettlementLine(db, { partnerId, settlementId })) {
      ({ lineNo } = line);
      counter.add(line);
      await refuseDoubted(line);
      await contributions.add(line);
      if (proofs.push(prove(line)) === PROOFS_PER_ROW) await keepProofs();
      yield line;
    }
    if (proofs.length > 0) await keepProofs();
  };
  const { csvSha256, lineCount, byteCount } = await digestStatement(lines());
  const unverified = await contributions.end();
  if (unverified) throw editedContribution(unverified);
  const statement = {
    csvSha256,
    lineCount,
    csvBytes: BigInt(byteCount),
    previousCsvSha256: previous?.statement?.csvSha256 ?? null,
    chainSha256: chainValue(previous?.statement?.chainSha256 ?? null, csvSha256),
  };
  return { totals: counter.totals(), statement };
}

interface Expected {
  readonly carried: Carried;
  readonly assigned: Assigned;
  readonly adjusted: AssignedAdjustments;
}

/** The sum of the lines must equal the sum of the contributions and adjustments; otherwise nothing is closed. */
function refuseDifference({ assigned, adjusted, carried }: Expected, totals: SettlementTotals): void {
  const amounts = [assigned.amount, adjusted.amount, carried?.amount ?? null].filter((amount) => amount !== null);
  const amount = amounts.length === 0 ? null : amounts.reduce((sum, each) => sum + each);
  const isSame =
    totals.contributionCount === assigned.count &&
    totals.grossPoints === assigned.points &&
    totals.adjustmentCount === adjusted.count &&
    totals.adjustmentPoints === adjusted.points &&
    totals.carriedPoints === (carried?.points ?? 0n) &&
    totals.amount === amount;
  if (!isSame)
    throw new Error(
      'The lines of the settlement do not add up to its contributions and adjustments; nothing was closed. `settlement verify` names what differs.',
    );
}
