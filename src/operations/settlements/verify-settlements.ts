import {
  keyOfSeal,
  type SealedSettlement,
  type SealKeys,
  type Sign,
  sealClosed,
  sealOpened,
} from '../../domain/settlements/settlement-seal.ts';
import { type ChainedStatement, findChainBreak } from '../../domain/settlements/statement/statement-chain.ts';
import { eachMisplacedAdjustment } from '../../store/adjustments/adjustment-assignment.ts';
import type { Queryable } from '../../store/database.ts';
import { eachSettlement, findSettlement, type Settlement } from '../../store/settlements/settlement.ts';
import type { SealCheck } from '../audit/check-contributions.ts';
import { findSealStart, type SealStart } from '../audit/seal-start.ts';
import { problemAt, type SettlementProblem } from './settlement-problem.ts';
import { verifyAcknowledgements } from './verify-acknowledgements.ts';
import { type LineOptions, verifySettlementLines } from './verify-settlement-lines.ts';
import { type VerifiedDatabase, verifyUnsettled } from './verify-unsettled.ts';

export interface SettlementsVerdict {
  readonly settlements: number;
  readonly lines: number;
  readonly problems: readonly SettlementProblem[];
}

export interface VerifyOptions extends Pick<SealKeys, 'signLike'>, Pick<LineOptions, 'onProgress' | 'pause'> {}

/**
 * Verifies a partner's settlements, lines and statements, the contributions on the lines, and the partner's acknowledgements; and that
 * every confirmed contribution is on a line or will be. A change by a person who can write everything in the database is found too,
 * because the key of the seals is not in the database. Of each settlement it reports the first modified line, and the first modified
 * contribution before that line. `verifyAudit` verifies the audit.
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
    // An open settlement may have been closed after it was listed.
    const before = await rereadIfOpen(db, previous);
    const check = (settlement: Settlement) =>
      checkSettlement(db, settlement, {
        ...options,
        previous: before,
        linesBefore: lines,
        check: settledCheck(database, settlement, start),
      });
    const { settlement, count, problems: found } = await checkTwice(db, listed, check);
    lines += count;
    for (const problem of found) problems.push(problem);
    previous = settlement;
  }
  if (settlements > 0 && previous?.status !== 'open')
    problems.push(problemAt(previous, null, 'none_open', 'The last settlement is not open: the next one was removed.'));
  // There may be more of them than a call takes arguments.
  for (const { code, message } of await verifyUnsettled(database, partnerId, previous))
    problems.push(problemAt(undefined, null, code, message));
  for (const problem of await findMisplaced(db, partnerId)) problems.push(problem);
  return { settlements, lines, problems };
}

interface CheckedSettlement {
  readonly count: number;
  readonly problems: readonly SettlementProblem[];
}

/** Checks a settlement again that was closed while its lines were read. */
async function checkTwice(
  db: Queryable,
  listed: Settlement,
  check: (settlement: Settlement) => Promise<CheckedSettlement>,
): Promise<CheckedSettlement & { readonly settlement: Settlement }> {
  const settlement = (await rereadIfOpen(db, listed)) ?? listed;
  const found = await check(settlement);
  if (settlement.status === 'open' && found.count > 0) {
    const now = (await rereadIfOpen(db, settlement)) ?? settlement;
    return { settlement: now, ...(now.status === 'closed' ? await check(now) : found) };
  }
  return { settlement, ...found };
}

/** After all contributions were sealed, a settlement has no contribution without a seal. The seal of the settlement covers `closedAt`. */
function settledCheck(
  { contributionSeals }: VerifiedDatabase,
  { closedAt }: Settlement,
  start: SealStart | undefined,
): SealCheck {
  const isFromBefore = !start?.endedAt || closedAt === null || closedAt < start.endedAt;
  return { seals: contributionSeals, acceptsUnsealed: () => isFromBefore };
}

/** Reads an open settlement again. A closed one does not change. */
async function rereadIfOpen(db: Queryable, settlement: Settlement | undefined): Promise<Settlement | undefined> {
  if (settlement?.status !== 'open') return settlement;
  return findSettlement(db, settlement.partnerId, settlement.settlementId);
}

interface CheckOptions extends VerifyOptions, Pick<LineOptions, 'check' | 'linesBefore'> {
  readonly previous: Settlement | undefined;
}

async function checkSettlement(
  db: Queryable,
  settlement: Settlement,
  { previous, ...options }: CheckOptions,
): Promise<CheckedSettlement> {
  const sign = settlement.seal === null ? undefined : options.signLike(settlement.seal);
  const { count, problems } = await verifySettlementLines(db, settlement, { ...options, sign });
  const acknowledged = await verifyAcknowledgements(db, settlement);
  return {
    count,
    problems: [
      ...checkOrder(settlement, previous),
      ...checkSettlementSeal(settlement, previous, sign),
      ...problems,
      ...acknowledged.map(({ code, message }) => problemAt(settlement, null, code, message)),
    ],
  };
}

function checkOrder(settlement: Settlement, previous: Settlement | undefined): SettlementProblem[] {
  const expected = (previous?.sequence ?? 0n) + 1n;
  const problems: SettlementProblem[] = [];
  if (settlement.sequence !== expected)
    problems.push(
      problemAt(
        settlement,
        null,
        'sequence_gap',
        `Settlement ${settlement.sequence} is in the place of settlement ${expected}; one was removed.`,
      ),
    );
  if (previous && previous.status === 'open')
    problems.push(problemAt(previous, null, 'open_before_others', 'An open settlement precedes others.'));
  if (previous && previous.period.endsAt.getTime() !== settlement.period.startsAt.getTime())
    problems.push(problemAt(settlement, null, 'period_gap', 'The period does not start at the end of the previous one.'));
  const chain = [previous, settlement].flatMap((each) => (each?.statement ? [chained(each, each.statement)] : []));
  const broken = findChainBreak(chain);
  if (broken && broken.code !== 'sequence_gap' && broken.sequence === settlement.sequence)
    problems.push(problemAt(settlement, null, broken.code, broken.message));
  return problems;
}

function chained({ sequence }: Settlement, statement: Omit<ChainedStatement, 'sequence'>): ChainedStatement {
  return { ...statement, sequence };
}

function checkSettlementSeal(
  settlement: Settlement,
  previous: Settlement | undefined,
  sign: Sign | undefined,
): SettlementProblem[] {
  const { seal, status, totals, statement, closedAt } = settlement;
  if (status === 'open' && settlement.sequence === 1n) return [];
  if (seal !== null && !sign)
    return [
      problemAt(settlement, null, 'unknown_key', `It is sealed with the key "${keyOfSeal(seal)}", which is not in AUDIT_KEY.`),
    ];
  const expected =
    sign &&
    (status === 'open'
      ? sealOpened(sign, settlement, previous?.statement?.chainSha256 ?? '')
      : totals && statement && closedAt && sealClosed(sign, { ...settlement, totals, statement, closedAt } as SealedSettlement));
  if (seal !== null && seal === expected) return [];
  return [problemAt(settlement, null, 'wrong_seal', 'The settlement does not match its seal: a field was changed.')];
}

/** Adjustments whose line is missing, or is on another settlement. */
async function findMisplaced(db: Queryable, partnerId: string): Promise<SettlementProblem[]> {
  const problems: SettlementProblem[] = [];
  for await (const adjustmentId of eachMisplacedAdjustment(db, partnerId)) {
    const message = `The adjustment ${adjustmentId} names a settlement that does not have its line.`;
    problems.push(problemAt(undefined, null, 'adjustment_misplaced', message));
  }
  return problems;
}
