import type { SettlementLine } from '../../domain/settlements/settlement-line.ts';
import {
  keyOfSeal,
  lineProver,
  PROOF_BYTES,
  PROOFS_PER_ROW,
  type SealedSettlement,
  type SealKeys,
  type Sign,
  sealClosed,
  sealOpened,
} from '../../domain/settlements/settlement-seal.ts';
import { countTotals, type SettlementTotals } from '../../domain/settlements/settlement-totals.ts';
import { type ChainedStatement, findChainBreak } from '../../domain/settlements/statement/statement-chain.ts';
import { digestStatement } from '../../domain/settlements/statement/write-statement.ts';
import { eachMisplacedAdjustment } from '../../store/adjustments/adjustment-assignment.ts';
import type { Queryable } from '../../store/database.ts';
import { writeVersions } from '../../store/settlements/exact-totals.ts';
import { eachSettlement, findSettlement, type Settlement } from '../../store/settlements/settlement.ts';
import { eachSettlementLine } from '../../store/settlements/settlement-line.ts';
import { findLineProofs } from '../../store/settlements/settlement-line-proof.ts';
import type { SealCheck } from '../audit/check-contributions.ts';
import { findSealStart, type SealStart } from '../audit/seal-start.ts';
import { compareSettledContributions } from './compare-settled-contributions.ts';
import { verifyAcknowledgements } from './verify-acknowledgements.ts';
import { type VerifiedDatabase, verifyUnsettled } from './verify-unsettled.ts';

/** One thing that is not as the service wrote it, and in which row. */
export interface SettlementProblem {
  readonly settlementId: string | null;
  readonly sequence: bigint | null;
  /** Of a line; `null` where the settlement itself is meant. */
  readonly lineNo: number | null;
  readonly code: string;
  readonly message: string;
}

export interface SettlementsVerdict {
  readonly settlements: number;
  readonly lines: number;
  readonly problems: readonly SettlementProblem[];
}

export interface VerifyOptions extends Pick<SealKeys, 'signLike'> {
  readonly onProgress?: (lines: number) => void;
  /** Awaited after each thousand lines. */
  readonly pause?: () => Promise<void>;
}

const REPORT_EVERY = 100_000;

/**
 * Whether a partner's settlements, lines and statements are as the service wrote them, the contributions on the lines and what the
 * partner said still are what was recorded, and every confirmed contribution is on a line or will be. A change by whoever may write
 * everything in the database is found as well, because seals, proofs and the audit are made with a key that is not in it. Of each
 * settlement the first wrong line is told, and the first before it whose contribution is another; the audit itself is `verifyAudit`'s affair.
 */
export async function verifySettlements(
  database: VerifiedDatabase,
  partnerId: string,
  options: VerifyOptions,
): Promise<SettlementsVerdict> {
  const db = database.pool;
  const start = await findSealStart(db, database);
  const problems: SettlementProblem[] = [];
  let [settlements, lines] = [0, 0];
  let previous: Settlement | undefined;
  for await (const listed of eachSettlement(db, partnerId)) {
    settlements++;
    // What was open when it was listed, or read, may have been closed while lines were read.
    const before = await reread(db, previous);
    const check = (settlement: Settlement) =>
      checkSettlement(db, settlement, {
        ...options,
        previous: before,
        linesBefore: lines,
        check: settledCheck(database, settlement, start),
      });
    let settlement = (await reread(db, listed)) ?? listed;
    let found = await check(settlement);
    if (settlement.status === 'open' && found.count > 0) {
      settlement = (await reread(db, settlement)) ?? settlement;
      if (settlement.status === 'closed') found = await check(settlement);
    }
    lines += found.count;
    problems.push(...found.problems);
    previous = settlement;
  }
  if (settlements > 0 && previous?.status !== 'open')
    problems.push(at(previous, null, 'none_open', 'The last settlement is not open: the next one was removed.'));
  problems.push(
    ...(await verifyUnsettled(database, partnerId, previous)).map(({ code, message }) => at(undefined, null, code, message)),
  );
  problems.push(...(await findMisplaced(db, partnerId)));
  return { settlements, lines, problems };
}

/** Once all contributions were sealed, none was settled without a seal. When a settlement was closed is under its own seal. */
function settledCheck(
  { contributionSeals }: VerifiedDatabase,
  { closedAt }: Settlement,
  start: SealStart | undefined,
): SealCheck {
  const isFromBefore = !start?.endedAt || closedAt === null || closedAt < start.endedAt;
  return { seals: contributionSeals, acceptsUnsealed: () => isFromBefore };
}

/** An open one as it is now; a closed one changes no more. */
async function reread(db: Queryable, settlement: Settlement | undefined): Promise<Settlement | undefined> {
  if (settlement?.status !== 'open') return settlement;
  return findSettlement(db, settlement.partnerId, settlement.settlementId);
}

interface CheckOptions extends VerifyOptions {
  readonly check: SealCheck;
  readonly previous: Settlement | undefined;
  readonly linesBefore: number;
}

async function checkSettlement(
  db: Queryable,
  settlement: Settlement,
  { previous, ...options }: CheckOptions,
): Promise<{ count: number; problems: SettlementProblem[] }> {
  const sign = settlement.seal === null ? undefined : options.signLike(settlement.seal);
  const { count, problems } = await checkLines(db, settlement, { ...options, sign });
  const said = await verifyAcknowledgements(db, settlement);
  return {
    count,
    problems: [
      ...checkOrder(settlement, previous),
      ...checkSeal(settlement, previous, sign),
      ...problems,
      ...said.map(({ code, message }) => at(settlement, null, code, message)),
    ],
  };
}

function checkOrder(settlement: Settlement, previous: Settlement | undefined): SettlementProblem[] {
  const expected = (previous?.sequence ?? 0n) + 1n;
  const problems: SettlementProblem[] = [];
  if (settlement.sequence !== expected)
    problems.push(
      at(
        settlement,
        null,
        'sequence_gap',
        `Settlement ${settlement.sequence} is in the place of settlement ${expected}; one was removed.`,
      ),
    );
  if (previous && previous.status === 'open')
    problems.push(at(previous, null, 'open_before_others', 'An open settlement precedes others.'));
  if (previous && previous.period.endsAt.getTime() !== settlement.period.startsAt.getTime())
    problems.push(at(settlement, null, 'period_gap', 'The period does not start at the end of the previous one.'));
  const chain = [previous, settlement].flatMap((each) => (each?.statement ? [chained(each, each.statement)] : []));
  const broken = findChainBreak(chain);
  if (broken && broken.code !== 'sequence_gap' && broken.sequence === settlement.sequence)
    problems.push(at(settlement, null, broken.code, broken.message));
  return problems;
}

function chained({ sequence }: Settlement, statement: Omit<ChainedStatement, 'sequence'>): ChainedStatement {
  return { ...statement, sequence };
}

function checkSeal(settlement: Settlement, previous: Settlement | undefined, sign: Sign | undefined): SettlementProblem[] {
  const { seal, status, totals, statement, closedAt } = settlement;
  if (status === 'open' && settlement.sequence === 1n) return [];
  if (seal !== null && !sign)
    return [at(settlement, null, 'unknown_key', `It is sealed with the key "${keyOfSeal(seal)}", which is not in AUDIT_KEY.`)];
  const expected =
    sign &&
    (status === 'open'
      ? sealOpened(sign, settlement, previous?.statement?.chainSha256 ?? '')
      : totals && statement && closedAt && sealClosed(sign, { ...settlement, totals, statement, closedAt } as SealedSettlement));
  if (seal !== null && seal === expected) return [];
  return [at(settlement, null, 'wrong_seal', 'The settlement does not match its seal: a field was changed.')];
}

interface CheckedLines {
  readonly count: number;
  readonly problems: readonly SettlementProblem[];
}

async function checkLines(
  db: Queryable,
  settlement: Settlement,
  { sign, onProgress, pause, linesBefore, check: sealCheck }: Omit<CheckOptions, 'previous'> & { sign: Sign | undefined },
): Promise<CheckedLines> {
  // Without its key a line is told by what the statement and the totals say of all together.
  const prove = sign && lineProver(sign, settlement);
  const counter = countTotals();
  const contributions = compareSettledContributions(db, settlement.partnerId, sealCheck);
  let count = 0;
  let problem: SettlementProblem | undefined;
  let proofs: Buffer | undefined;
  const check = async (line: SettlementLine) => {
    const place = count % PROOFS_PER_ROW;
    if (place === 0) await pause?.();
    if (place === 0) proofs = await findLineProofs(db, { ...settlement, firstLineNo: count + 1 });
    count++;
    if (problem) return;
    if (line.lineNo !== count)
      problem = at(settlement, count, 'line_missing', `Line ${count} is missing: line ${line.lineNo} is in its place.`);
    else if (prove && !proofs?.subarray(place * PROOF_BYTES, (place + 1) * PROOF_BYTES).equals(prove(line)))
      problem = at(settlement, count, 'line_changed', `Line ${count} was changed.`);
    // From a line that was changed on, contributions would be blamed for being others.
    else await contributions.add(line);
    if ((linesBefore + count) % REPORT_EVERY === 0) onProgress?.(linesBefore + count);
  };
  const lines = async function* () {
    for await (const line of eachSettlementLine(db, settlement)) {
      await check(line);
      counter.add(line);
      yield problem ? { ...line, lineNo: count } : line;
    }
  };
  const { csvSha256 } = await digestStatement(lines());
  const differing = await contributions.end();
  const problems = problem ? [problem] : checkWhole(settlement, { count, csvSha256, totals: counter.totals() });
  if (differing) problems.push(at(settlement, differing.lineNo, differing.code, differing.message));
  return { count, problems };
}

/** What all lines come to together. */
function checkWhole(
  settlement: Settlement,
  { count, csvSha256, totals: sums }: { count: number; csvSha256: string; totals: SettlementTotals },
): SettlementProblem[] {
  const { statement, totals } = settlement;
  if (!statement) return count === 0 ? [] : [at(settlement, 1, 'line_of_open', 'An open settlement has lines.')];
  if (count !== statement.lineCount)
    return [at(settlement, count + 1, 'line_missing', `There are ${count} lines instead of ${statement.lineCount}.`)];
  const problems: SettlementProblem[] = [];
  if (csvSha256 !== statement.csvSha256)
    problems.push(
      at(settlement, null, 'other_statement', 'The lines give another statement: its SHA-256 differs from the stored one.'),
    );
  const isSum =
    sums.contributionCount === totals?.contributionCount &&
    sums.netPoints === totals.netPoints &&
    sums.totalPoints === totals.totalPoints &&
    sums.amount === totals.amount &&
    writeVersions(sums.byVersion) === writeVersions(totals.byVersion);
  if (!isSum) problems.push(at(settlement, null, 'other_totals', 'The lines do not add up to the totals.'));
  return problems;
}

/** Adjustments whose line is missing, or is not where they say. */
async function findMisplaced(db: Queryable, partnerId: string): Promise<SettlementProblem[]> {
  const problems: SettlementProblem[] = [];
  for await (const adjustmentId of eachMisplacedAdjustment(db, partnerId)) {
    const message = `The adjustment ${adjustmentId} names a settlement that does not have its line.`;
    problems.push(at(undefined, null, 'adjustment_misplaced', message));
  }
  return problems;
}

function at(settlement: Settlement | undefined, lineNo: number | null, code: string, message: string): SettlementProblem {
  return { settlementId: settlement?.settlementId ?? null, sequence: settlement?.sequence ?? null, lineNo, code, message };
}
