import type { EnvironmentalStatus } from './environmental-status.ts';
import type { Evidence } from './evidence.ts';
import type { Project } from './project.ts';

/** The contributions of closed settlements, pooled for a project. @see docs/spec/settlements.md#4-environmental-status. */
export interface ImpactBatch {
  readonly impactBatchId: string;
  /** For operators; partners do not get it. */
  readonly name: string;
  readonly status: EnvironmentalStatus;
  /** The number of its changes. */
  readonly changeNo: number;
  /** `null` until it is allocated. */
  readonly projectId: string | null;
  /** Whole trees. */
  readonly quantity: bigint;
  /** The time of the last delay, and the delivery period expected since; `null` without a delay. */
  readonly delayedAt: Date | null;
  readonly expectedDeliveryPeriod: string | null;
  readonly deliveredBy: string | null;
  readonly verifiedBy: string | null;
  readonly createdAt: Date;
  /** The time of the last change of its status. */
  readonly statusAt: Date;
}

/** The batch with its project and evidence. */
export interface ImpactBatchView {
  readonly batch: ImpactBatch;
  readonly project: Project | null;
  readonly evidence: readonly Evidence[];
}

/** One partner's share of a batch. */
export interface BatchShare {
  readonly partnerId: string;
  readonly settlementCount: number;
  readonly contributionCount: bigint;
}
