import type { Settlement } from '../../store/settlements/settlement.ts';

/** A record that is not as the service wrote it. */
export interface SettlementProblem {
  readonly settlementId: string | null;
  readonly sequence: bigint | null;
  /** `null` for the settlement itself. */
  readonly lineNo: number | null;
  readonly code: string;
  readonly message: string;
}

export function problemAt(
  settlement: Settlement | undefined,
  lineNo: number | null,
  code: string,
  message: string,
): SettlementProblem {
  return { settlementId: settlement?.settlementId ?? null, sequence: settlement?.sequence ?? null, lineNo, code, message };
}
