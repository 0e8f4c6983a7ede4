import type { SettlementPeriod } from '../../domain/settlements/settlement-period.ts';
import { UnverifiedRecordError } from '../audit/unverified-record.ts';

/** An open settlement. Its end tells it from the next one of the partner. */
export interface OpenPeriod extends Pick<SettlementPeriod, 'endsAt'> {
  readonly partnerId: string;
}

interface Refusal extends Pick<SettlementPeriod, 'endsAt'> {
  readonly error: UnverifiedRecordError;
  readonly untilMs: number;
}

/** As docs/operating.md says. */
const LEFT_ALONE_MS = 1_800_000;

/**
 * The closings that met a record which differs from the audit. Such a closing writes all lines of its settlement and takes them back, so
 * it is not attempted again for a while.
 */
export class RefusedClosings {
  readonly #leftAloneMs: number;
  readonly #refusals = new Map<string, Refusal>();

  constructor(leftAloneMs = LEFT_ALONE_MS) {
    this.#leftAloneMs = leftAloneMs;
  }

  /**
   * Closes the settlement, unless that was refused a while ago.
   *
   * @throws UnverifiedRecordError Of this attempt, or of the last one.
   */
  async attempt<Outcome>({ partnerId, endsAt }: OpenPeriod, close: () => Promise<Outcome>): Promise<Outcome> {
    const last = this.#refusals.get(partnerId);
    if (last && last.endsAt.getTime() === endsAt.getTime() && performance.now() < last.untilMs) throw last.error;
    this.#refusals.delete(partnerId);
    try {
      return await close();
    } catch (error) {
      const untilMs = performance.now() + this.#leftAloneMs;
      if (error instanceof UnverifiedRecordError) this.#refusals.set(partnerId, { endsAt, error, untilMs });
      throw error;
    }
  }
}
