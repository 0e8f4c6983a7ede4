import type { EnvironmentalStatus } from './environmental-status.ts';
import type { Evidence } from './evidence.ts';
import type { Project } from './project.ts';

/** The contributions of closed settlements, pooled for a project. @see docs/spec/settlements.md#4-environmental-status. */
export interface ImpactBatch {
  readonly impactBatchId: string;
  /** For operators; partners do not see it. */
  readonly name: string;
  readonly status: EnvironmentalStatus;
  /** How many changes it has had. */
  readonly changeNo: number;
  /** `null` until it is allocated. */
  readonly projectId: string | null;
  /** Whole trees. */
  readonly quantity: bigint;
  /** When a delay was recorded last, and what is expected since; `null` where none holds. */
  readonly delayedAt: Date | null;
  readonly expectedDeliveryPeriod: string | null;
  readonly deliveredBy: string | null;
  readonly verifiedBy: string | null;
  readonly createdAt: Date;
  /** When it came to its status. */
  readonly statusAt: Date;
}

/** With all that is shown of it. */
export interface ImpactBatchView {
  readonly batch: ImpactBatch;
  readonly project: Project | null;
  readonly evidence: readonly Evidence[];
}

/** How much of a partner a batch has. */
export interface BatchShare {
  readonly partnerId: string;
  readonly settlementCount: number;
  readonly contributionCount: bigint;
}
