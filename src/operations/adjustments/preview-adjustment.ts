import { type AdjustmentReason, adjustmentAmount } from '../../domain/adjustments/adjustment.ts';
import {
  type AdjustmentEffect,
  checkEffect,
  effectOf,
  needsBeyondWorthReason,
  type SettledState,
} from '../../domain/adjustments/adjustment-effect.ts';
import { checkStatedDeltas, NOT_CONFIRMED } from '../../domain/adjustments/new-adjustment.ts';
import { readAmount } from '../../domain/numbers/money.ts';
import { type ErrorDetail, refuseInvalid } from '../../domain/service-error.ts';
import { isBeforeEnd } from '../../domain/settlements/settlement.ts';
import { nextPeriod } from '../../domain/settlements/settlement-period.ts';
import { addAdjustment, removeAdjustment, type SettlementTotals } from '../../domain/settlements/settlement-totals.ts';
import type { Partner } from '../../store/access/partner.ts';
import type { Adjustment } from '../../store/adjustments/adjustment.ts';
import { readClock } from '../../store/clock.ts';
import { findContributionsById } from '../../store/contributions/contribution.ts';
import type { Database } from '../../store/database.ts';
import { findOpenSettlement, findSettlement, type Settlement } from '../../store/settlements/settlement.ts';
import { getPartner } from '../access/manage-partner.ts';
import { type OpenTotals, TotalsUnderWayError } from '../settlements/open-totals.ts';
import { readSettlementView } from '../settlements/read-settlements.ts';
import type { PricesOf } from '../settlements/settlement-tools.ts';
import { findReversed, unknownContribution } from './manage-adjustment.ts';
import { readPointValues, readSettledState } from './settled-state.ts';

/** The effect of an adjustment: on its contribution, and on the settlement that has or will have its line. */
export interface AdjustmentPreview {
  /** The effect when it was posted, or now; `null` for a rejected one. */
  readonly effect: AdjustmentEffect | null;
  readonly currency: string | null;
  /** Why it cannot be posted now. */
  readonly problems: readonly ErrorDetail[];
  /** Whether one of the problems is none for an admin who gives a reason. */
  readonly needsBeyondWorthReason: boolean;
  /** `null` for a rejected one, when the partner has no settlement, and for a step that is done while the totals are being added up. */
  readonly settlement: PreviewedSettlement | null;
}

export interface PreviewedSettlement {
  /** `null` when it is not opened yet: the adjustment is posted after the end of the open one. */
  readonly settlementId: string | null;
  readonly periodLabel: string;
  /** The totals without the adjustment and with it; `null` unless the settlement is open. */
  readonly totals: { readonly before: SettlementTotals; readonly after: SettlementTotals } | null;
}

export interface PreviewTools {
  readonly pricesOf: PricesOf;
  /** Remembers what it has added up: a month of millions takes long. */
  readonly openTotals?: OpenTotals;
  /** A step of the adjustment is committed: its answer has no settlement rather than to fail while the totals are being added up. */
  readonly isDone?: boolean;
}

/**
 * Adjustments that are posted meanwhile may change it. What bounds an adjustment matters no more once it is rejected or posted: then it is
 * not read.
 *
 * @throws UnverifiedRecordError For one that is not decided, when a version of the partner's rules differs from the audit.
 */
export async function previewAdjustment(
  database: Database,
  adjustment: Adjustment,
  tools: PreviewTools,
): Promise<AdjustmentPreview> {
  const { status, partnerId, pointConversionVersion } = adjustment;
  const partner = await getPartner(database.pool, partnerId);
  if (status === 'draft' || status === 'approved') return previewUndecided(database, { adjustment, partner, tools });
  const { currency, values } = await tools.pricesOf(database.pool, partner);
  const decided = { currency, problems: [], needsBeyondWorthReason: false };
  if (status === 'rejected') return { ...decided, effect: null, settlement: null };
  const pointValue = values.get(pointConversionVersion) ?? null;
  const settlement = await previewSettlement(database, { adjustment, partner, pointValue, tools });
  return { ...decided, effect: recordedEffect(adjustment), settlement };
}

async function previewUndecided(
  database: Database,
  { adjustment, partner, tools }: { readonly adjustment: Adjustment; readonly partner: Partner; readonly tools: PreviewTools },
): Promise<AdjustmentPreview> {
  const { pool, auditKeys } = database;
  const { transactionId, contributionPoints: points, pointConversionVersion } = adjustment;
  const pointValues = await readPointValues(pool, partner, { pricesOf: tools.pricesOf, auditKeys });
  const settled = await readSettledState(pool, pointValues, { transactionId, points, pointConversionVersion });
  const { currency, pointValue } = settled;
  return {
    effect: effectOf(settled, adjustment),
    currency,
    problems: checkEffect(settled, adjustment),
    needsBeyondWorthReason: adjustment.beyondWorthReason === null && needsBeyondWorthReason(settled, adjustment),
    settlement: await previewSettlement(database, { adjustment, partner, pointValue, tools }),
  };
}

/** An adjustment of a contribution that nobody has drafted yet. */
export interface DraftChange {
  readonly partnerId: string;
  readonly transactionId: string;
  readonly reasonCode: AdjustmentReason;
  readonly pointsDelta: bigint;
  /** The change of the amount in the form that {@link NewAdjustment} has. */
  readonly amountDelta: string | null;
  readonly reversalOf: string | null;
}

/**
 * The effect that an adjustment would have if it were posted now. Nothing is stored.
 *
 * @throws ServiceError `invalid_request` for an unknown partner, for a contribution that it does not have (404), and for one that is not
 * confirmed.
 */
export async function previewDraft(
  database: Database,
  { partnerId, transactionId, reasonCode, pointsDelta, amountDelta, reversalOf }: DraftChange,
  tools: PreviewTools,
): Promise<AdjustmentPreview> {
  const { pool, auditKeys } = database;
  const { pricesOf } = tools;
  const partner = await getPartner(pool, partnerId);
  const [record] = await findContributionsById(pool, [{ partnerId, transactionId }]);
  if (!record) throw unknownContribution(transactionId);
  const { contribution } = record;
  refuseInvalid(contribution.status === 'confirmed' ? [] : [NOT_CONFIRMED]);
  const settled = await readSettledState(pool, await readPointValues(pool, partner, { pricesOf, auditKeys }), contribution);
  const { currency, pointValue } = settled;
  const reversed = reversalOf === null ? undefined : await findReversed(pool, partnerId, reversalOf);
  const stated = { pointsDelta, amountDelta, reversalOf };
  const problems = checkStatedDeltas(reasonCode, stated, { ...settled, transactionId, reversed });
  const deltas = { pointsDelta, amountDelta: amountDelta === null ? null : (readAmount(amountDelta) ?? 0n) };
  const needsReason = problems.length > 0 && needsBeyondWorthReason(settled, deltas);
  const found = { effect: effectOf(settled, deltas), currency, problems, needsBeyondWorthReason: needsReason };
  if (problems.length > 0 && !needsReason) return { ...found, settlement: null };
  const adjustment = { ...contribution, ...deltas, partnerId, settlementId: null, postedAt: null };
  return { ...found, settlement: await previewSettlement(database, { adjustment, partner, pointValue, tools }) };
}

function recordedEffect(posted: Adjustment): AdjustmentEffect {
  const { settledAmountBefore, settledAmountAfter, settledAmountMax } = posted;
  const [settledPointsBefore, settledPointsAfter] = [posted.settledPointsBefore ?? 0n, posted.settledPointsAfter ?? 0n];
  return { settledPointsBefore, settledPointsAfter, settledAmountBefore, settledAmountAfter, settledAmountMax };
}

type PreviewedAdjustment = Pick<
  Adjustment,
  | 'partnerId'
  | 'settlementId'
  | 'postedAt'
  | 'pointsDelta'
  | 'amountDelta'
  | 'contributionRuleVersion'
  | 'pointConversionVersion'
  | 'treeCostVersion'
>;

interface Previewed {
  readonly adjustment: PreviewedAdjustment;
  readonly partner: Partner;
  readonly pointValue: SettledState['pointValue'];
  readonly tools: PreviewTools;
}

/** The settlement of the period in which it is or would be posted. */
async function previewSettlement(
  database: Database,
  { adjustment, partner, pointValue, tools }: Previewed,
): Promise<PreviewedSettlement | null> {
  const { pool } = database;
  const { partnerId, settlementId, postedAt, pointsDelta: points } = adjustment;
  if (settlementId !== null) {
    const settlement = await findSettlement(pool, partnerId, settlementId);
    return settlement ? { settlementId, periodLabel: settlement.period.label, totals: null } : null;
  }
  const open = await findOpenSettlement(pool, partnerId);
  if (!open) return null;
  let { period } = open;
  const at = postedAt ?? (await readClock(pool));
  while (!isBeforeEnd(at, period)) period = nextPeriod(period, partner.timeZone);
  if (period !== open.period) return { settlementId: null, periodLabel: period.label, totals: null };
  const totals = await readTotals(database, open, tools);
  if (!totals) return null;
  const line = { ...adjustment, points, amount: adjustmentAmount(adjustment, pointValue) };
  return {
    settlementId: open.settlementId,
    periodLabel: period.label,
    totals:
      postedAt === null
        ? { before: totals, after: addAdjustment(totals, line) }
        : { before: removeAdjustment(totals, line), after: totals },
  };
}

/** @throws TotalsUnderWayError Before a step is done. */
async function readTotals(
  database: Database,
  open: Settlement,
  { pricesOf, openTotals, isDone = false }: PreviewTools,
): Promise<SettlementTotals | undefined> {
  try {
    return (await readSettlementView(database, pricesOf, open, openTotals)).totals;
  } catch (error) {
    if (isDone && error instanceof TotalsUnderWayError) return undefined;
    throw error;
  }
}
