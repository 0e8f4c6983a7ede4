import { type RecordedSide, reconcileLine } from '../../domain/reconciliations/line-verdict.ts';
import type { ListEntry, ListedLine, ListedStatementLine } from '../../domain/reconciliations/partner-list.ts';
import type { Queryable } from '../../store/database.ts';
import type { ReconciliationLine } from '../../store/reconciliations/reconciliation-line.ts';
import {
  type ComparedList,
  findRecordedAdjustments,
  findRecordedCarried,
  findRecordedEvents,
  type RecordedAdjustment,
  type RecordedEvent,
  type RecordedStatementLine,
} from '../../store/reconciliations/recorded-line.ts';

/** The state of a list so far that its next lines depend on, besides its stored lines. */
export interface SeenOfList {
  /** The first line that is carried forward: a statement has at most one. */
  carriedAt: number | null;
}

interface Comparison {
  readonly of: ComparedList;
  readonly seen: SeenOfList;
}

export const EMPTY_LINE: Omit<ReconciliationLine, 'position' | 'verdict'> = {
  lineType: null,
  adjustmentId: null,
  partnerEventId: null,
  partnerOrderRef: null,
  points: null,
  transactionId: null,
  recordedOrderRef: null,
  recordedPoints: null,
  recordedNetPoints: null,
  matchedPoints: null,
  recordedSettlementId: null,
  problems: null,
};

/** The verdicts of consecutive lines of a list. Earlier lines are stored. */
export async function decideLines(
  db: Queryable,
  comparison: Comparison,
  batch: readonly ListEntry[],
): Promise<ReconciliationLine[]> {
  const { of, seen } = comparison;
  const recordedOf = await findRecorded(db, comparison, batch);
  const inBatch = new Map<string, number>();
  return batch.map((entry) => {
    const position = BigInt(entry.lineNo);
    if (!entry.listed) return { ...EMPTY_LINE, ...entry.readable, position, verdict: 'malformed', problems: entry.problems };
    const { lineNo, listed } = entry;
    const found = recordedOf(listed);
    const name = nameOf(listed);
    const before = found?.listedBeforeAt ?? inBatch.get(name) ?? (isCarried(listed) ? seen.carriedAt : null);
    if (!inBatch.has(name)) inBatch.set(name, lineNo);
    if (isCarried(listed)) seen.carriedAt ??= lineNo;
    const recorded = found?.side ?? null;
    const pair = { settlementId: of.settlementId, listed, recorded, listedBeforeAt: before === null ? null : Number(before) };
    const { verdict, matchedPoints } = reconcileLine(pair);
    const points = isContribution(listed) && recorded ? { matchedPoints, recordedNetPoints: netShown(listed, recorded) } : {};
    return { ...EMPTY_LINE, ...listed, ...found?.fields, ...points, position, verdict };
  });
}

/** Which net points the answer shows: those that the list has, otherwise the current ones. */
function netShown({ points }: ListedLine, { netPoints }: RecordedSide): bigint | null {
  return netPoints.find((net) => net === points) ?? netPoints.at(-1) ?? null;
}

/** The service's record beside one line. */
interface Found {
  readonly side: RecordedSide | null;
  readonly fields: Partial<ReconciliationLine>;
  readonly listedBeforeAt: bigint | null;
}

type FindFound = (listed: ListedLine) => Found | undefined;

async function findRecorded(db: Queryable, { of, seen }: Comparison, batch: readonly ListEntry[]): Promise<FindFound> {
  const lines = batch.flatMap(({ listed }) => listed ?? []);
  const eventIds = new Set(lines.filter(isContribution).map(({ partnerEventId }) => partnerEventId));
  const events = await findRecordedEvents(db, of, [...eventIds]);
  const adjustments = await findRecordedAdjustments(db, of, lines.filter(isAdjustment));
  // A statement has at most one line that is carried forward; any further one is a duplicate, whatever it says.
  const carried = seen.carriedAt === null ? lines.find(isCarried) : undefined;
  const carriedLine = carried && (await findRecordedCarried(db, of.partnerId, carried.originalSettlementId));
  return (listed) => {
    if (isAdjustment(listed)) return ofAdjustment(adjustments(listed));
    if (isCarried(listed)) return listed === carried ? ofStatement(carriedLine, null) : undefined;
    return ofEvent(events.get(listed.partnerEventId), listed);
  };
}

function ofEvent(found: RecordedEvent | undefined, listed: ListedLine): Found | undefined {
  if (!found) return undefined;
  const { transactionId, status, partnerOrderRef, points, netPoints, netPointsNow, settlementId, listedBeforeAt } = found;
  const fields = { transactionId, recordedOrderRef: partnerOrderRef, recordedPoints: points, recordedSettlementId: settlementId };
  if (status === null || partnerOrderRef === null || points === null) return { side: null, fields, listedBeforeAt };
  // In a statement, adjustments have lines of their own.
  const nets = 'lineType' in listed ? [] : [netPoints, netPointsNow].filter((net) => net !== null);
  return { side: { status, partnerOrderRef, points, settlementId, netPoints: nets }, fields, listedBeforeAt };
}

function ofAdjustment(found: RecordedAdjustment | undefined): Found | undefined {
  if (!found?.line) return found && { side: null, fields: {}, listedBeforeAt: found.listedBeforeAt };
  return ofStatement(found.line, found.listedBeforeAt);
}

function ofStatement(found: RecordedStatementLine | undefined, listedBeforeAt: bigint | null): Found | undefined {
  if (!found) return undefined;
  const { transactionId, partnerOrderRef, points, settlementId } = found;
  const side = { status: 'confirmed', points, settlementId, netPoints: [], ...(partnerOrderRef && { partnerOrderRef }) } as const;
  const fields = { transactionId, recordedOrderRef: partnerOrderRef, recordedPoints: points, recordedSettlementId: settlementId };
  return { side, fields, listedBeforeAt };
}

type Adjustment = Extract<ListedStatementLine, { readonly lineType: 'adjustment' }>;
type Carried = Extract<ListedStatementLine, { readonly lineType: 'carried_forward' }>;

function isAdjustment(listed: ListedLine): listed is Adjustment {
  return 'lineType' in listed && listed.lineType === 'adjustment';
}

function isCarried(listed: ListedLine): listed is Carried {
  return 'lineType' in listed && listed.lineType === 'carried_forward';
}

function isContribution(listed: ListedLine): listed is Exclude<ListedLine, Adjustment | Carried> {
  return !isAdjustment(listed) && !isCarried(listed);
}

/** The identifier that a list may contain once. */
function nameOf(listed: ListedLine): string {
  if (isCarried(listed)) return 'carried_forward';
  return isAdjustment(listed)
    ? `adjustment ${listed.adjustmentId} ${listed.partnerEventId}`
    : `contribution ${listed.partnerEventId}`;
}
