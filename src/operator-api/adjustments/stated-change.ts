import { NOT_OF_CONTRIBUTION } from '../../domain/adjustments/new-adjustment.ts';
import { POINTS_MAX } from '../../domain/numbers/points.ts';
import { type ErrorDetail, invalidRequest, refuseInvalid } from '../../domain/service-error.ts';
import { oppositeOf } from '../../operations/adjustments/manage-adjustment.ts';
import type { Queryable } from '../../store/database.ts';

/** What a request states of an adjustment. */
interface StatedChange {
  readonly partner_id: string;
  /** Not needed with `reversal_of`. */
  readonly transaction_id?: string | undefined;
  /** In digits. */
  readonly points_delta?: string | undefined;
  /** A signed decimal. */
  readonly amount_delta?: string | undefined;
  /** The id of the adjustment to reverse. */
  readonly reversal_of?: string | undefined;
}

/**
 * The contribution and the deltas that a request states, or those opposite to what it reverses.
 *
 * @throws ServiceError `invalid_request`, also for deltas beside `reversal_of`, and for the adjustment of another contribution.
 */
export async function readStated(db: Queryable, stated: StatedChange): ReturnType<typeof oppositeOf> {
  const { transaction_id: transactionId, points_delta: points, amount_delta: amountDelta, reversal_of: reversalOf } = stated;
  if (reversalOf === undefined)
    return {
      transactionId: transactionId ?? refuse('transaction_id', 'missing', 'transaction_id is missing. Send it, or reversal_of.'),
      pointsDelta: readDelta(points),
      amountDelta: amountDelta ?? null,
      reversalOf: null,
    };
  const opposite = await oppositeOf(db, { partnerId: stated.partner_id, adjustmentId: reversalOf });
  refuseInvalid(
    [
      transactionId !== undefined && transactionId !== opposite.transactionId && NOT_OF_CONTRIBUTION,
      points !== undefined && notExpected('points_delta'),
      amountDelta !== undefined && notExpected('amount_delta'),
    ].filter((found) => found !== false),
  );
  return opposite;
}

function readDelta(text = '0'): bigint {
  if (!/^-?\d+$/.test(text))
    return refuse('points_delta', 'wrong_form', 'points_delta must be a whole number in digits, such as -250.');
  const delta = BigInt(text);
  if (delta <= POINTS_MAX && delta >= -POINTS_MAX) return delta;
  return refuse('points_delta', 'out_of_bounds', `points_delta must be from -${POINTS_MAX} to ${POINTS_MAX}.`);
}

function notExpected(field: string): ErrorDetail {
  const message = `${field} must be left out beside reversal_of: a reversal has the opposite changes.`;
  return { field, code: 'not_expected', message };
}

function refuse(field: string, code: 'missing' | 'wrong_form' | 'out_of_bounds', message: string): never {
  throw invalidRequest([{ field, code, message }]);
}
