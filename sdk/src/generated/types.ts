// Written by `npm run sdk:types` from openapi/partner.json. A test fails when it is stale.

/** Only with `associated`. */
export interface Link {
  /** Assigned by the service. */
  readonly associationId: string;
  /** The contribution. */
  readonly transactionId: string;
  /** The estimate. */
  readonly calculationId: string;
  /** Reference of the order. */
  readonly partnerOrderRef: string;
  /** Kilograms of CO2e, exact. */
  readonly estimatedEmissionsKgco2e: string;
  /** Always `kgco2e`. */
  readonly estimatedEmissionsUnit: 'kgco2e';
  /** Kilometres, as sent with the estimate. */
  readonly distanceKm: string;
  /** Always `km`. */
  readonly distanceUnit: 'km';
  /** An open list; see the estimate. */
  readonly vehicleCategory: string;
  /** Version of the method. */
  readonly methodologyVersion: string;
  /** Version of the factors. */
  readonly emissionFactorVersion: string;
  /** UTC. */
  readonly calculatedAt: string;
  /** UTC. */
  readonly associatedAt: string;
  /** Environment of the record. */
  readonly environment: 'sandbox' | 'production';
  /** The snapshot is authoritative after association. */
  readonly immutable: true;
}

/** Only with `rejected`. */
export interface Rejection {
  /** Why the estimate was not linked. The contribution is not affected. */
  readonly code: 'estimate_not_found' | 'estimate_expired' | 'calculation_mismatch' | 'association_conflict' | 'contribution_pending';
  /** For people. */
  readonly message: string;
  /** As sent, when it was well formed. */
  readonly calculationId: string | null;
}

export interface Estimate {
  /** Assigned by the service. */
  readonly calculationId: string;
  /** Reference of the order. */
  readonly partnerOrderRef: string;
  /** Expiry is told by the error `estimate_expired`. */
  readonly status: 'calculated';
  /** Kilometres, as sent. */
  readonly distanceKm: string;
  /** Always `km`. */
  readonly distanceUnit: 'km';
  /** An open list: `motorcycle_gasoline` and `car_gasoline` so far. */
  readonly vehicleCategory: string;
  /** Version of the method. */
  readonly methodologyVersion: string;
  /** Version of the vehicle catalogue. */
  readonly vehicleCatalogVersion: string;
  /** Version of the factors. */
  readonly emissionFactorVersion: string;
  /** Grams of CO2e per kilometre. */
  readonly emissionFactorGco2ePerKm: string;
  /** Always `well_to_wheel`. */
  readonly lifecycleBoundary: 'well_to_wheel';
  /** Grams of CO2e, exact. */
  readonly rawEmissionsGco2e: string;
  /** Kilograms of CO2e: raw_emissions_gco2e / 1000, exact. */
  readonly estimatedEmissionsKgco2e: string;
  readonly display: {
    /** Two decimals, rounded half up; `<0.01` below the threshold. */
    readonly kgco2eTwoDecimals: string;
    /** The unrounded value is below 0.01. */
    readonly usesLessThanThreshold: boolean;
    /** For English text. */
    readonly formattedEn: string;
    /** For Arabic, right-to-left text. */
    readonly formattedAr: string;
  };
  /** To be shown beside the value. */
  readonly disclosureEn: string;
  /** To be shown beside the value. */
  readonly disclosureAr: string;
  /** UTC. */
  readonly calculatedAt: string;
  /** 24 hours after calculation. A linked estimate stays readable. */
  readonly expiresAt: string;
  /** Environment of the record. */
  readonly environment: 'sandbox' | 'production';
}

export interface EmissionFactors {
  /** The label that estimates carry. */
  readonly emissionFactorVersion: string;
  /** Version of the method. */
  readonly methodologyVersion: string;
  /** Version of the vehicle catalogue. */
  readonly vehicleCatalogVersion: string;
  /** Always `well_to_wheel`. */
  readonly lifecycleBoundary: 'well_to_wheel';
  /** Of every factor: grams of CO2e per kilometre. */
  readonly unit: 'gco2e_per_km';
  /** A factor is for the whole vehicle: nothing is shared out between the parcels. */
  readonly allocation: 'whole_vehicle';
  /** UTC; `null`: from the first estimate on. */
  readonly validFrom: string | null;
  /** UTC, exclusive; `null`: until another version follows. */
  readonly validUntil: string | null;
  /** One for each vehicle category. */
  readonly factors: readonly {
    /** An open list; see the estimate. */
    readonly vehicleCategory: string;
    /** Grams of CO2e per kilometre. */
    readonly emissionFactorGco2ePerKm: string;
  }[];
  /** Where the factors come from, in the words of the operator; `null` where that was not said. */
  readonly source: string | null;
}

export interface Calculation {
  /** The estimate. */
  readonly calculationId: string;
  /** Kilometres, as sent. */
  readonly distanceKm: string;
  /** Always `km`. */
  readonly distanceUnit: 'km';
  /** An open list; see the estimate. */
  readonly vehicleCategory: string;
  /** Grams of CO2e per kilometre. */
  readonly emissionFactorGco2ePerKm: string;
  /** Always `gco2e_per_km`. */
  readonly emissionFactorUnit: 'gco2e_per_km';
  /** In their order: each goes on with the result of the one before. */
  readonly steps: readonly ({
    /** What is done. */
    readonly name: 'product' | 'division' | 'threshold' | 'rounding';
    /** To be done by hand. */
    readonly expression: string;
    /** Exact; of the rounding what is shown. */
    readonly result: string;
    /** Of the result; `null` for the answer to a question. */
    readonly unit: 'gco2e' | 'kgco2e' | null;
  })[];
  /** How the rounding decides between two neighbours. */
  readonly roundingMode: 'half_up';
  /** Version of the method. */
  readonly methodologyVersion: string;
  /** Version of the vehicle catalogue. */
  readonly vehicleCatalogVersion: string;
  /** Version of the factors. */
  readonly emissionFactorVersion: string;
  /** Always `well_to_wheel`. */
  readonly lifecycleBoundary: 'well_to_wheel';
}

export interface Settlement {
  /** Assigned by the service. */
  readonly settlementId: string;
  /** Per partner, without gaps. */
  readonly sequence: bigint;
  /** `closed` is terminal. */
  readonly status: 'open' | 'closed';
  /** Environment of the record. */
  readonly environment: 'sandbox' | 'production';
  /** UTC; the first moment of the period. */
  readonly periodStart: string;
  /** UTC; the first moment after the period. */
  readonly periodEnd: string;
  /** By whose calendar the period runs, such as `Asia/Riyadh`. */
  readonly periodTimezone: string;
  /** Such as `2026-11`; `2026-11-2` after an early close. */
  readonly periodLabel: string;
  /** Contributions on it. */
  readonly contributionCount: bigint;
  /** Adjustments on it. */
  readonly adjustmentCount: bigint;
  /** Points of the contributions. */
  readonly grossPoints: bigint;
  /** Points of the adjustments. */
  readonly adjustmentPoints: bigint;
  /** What the settlement before it carried out: 0 or negative. */
  readonly carriedInPoints: bigint;
  /** Of this period: gross points and adjustment points together. */
  readonly netPoints: bigint;
  /** `carried_in_points` and `net_points` together, where that is positive; else 0. */
  readonly payablePoints: bigint;
  /** The same, where it is negative: the next settlement begins with it. Else 0. */
  readonly carriedOutPoints: bigint;
  /** What the settlement before it carried out: 0 or negative. In the currency's minor units, as the three that follow; `null` without a conversion. */
  readonly carriedInAmount: string | null;
  /** Of this period. Lines are exact and the total is rounded once: where fractions of a minor unit were carried in, it may differ from the rounded sum of the lines by one. */
  readonly netAmount: string | null;
  /** What is to be paid: `carried_in_amount` and `net_amount` together, where that is positive; else 0. */
  readonly payableAmount: string | null;
  /** The same, where it is negative: the next settlement begins with it. Else 0. */
  readonly carriedOutAmount: string | null;
  /** The earlier name of `payable_amount` and `carried_out_amount`: whichever is not 0. It repeats what is carried from month to month, so it is not for adding up. */
  readonly amount: string | null;
  /** ISO 4217; `null` without a conversion. */
  readonly currency: string | null;
  /** The totals, apart for each set of rules. */
  readonly totalsByVersion: readonly ({
    /** Version of the contribution rule applied. */
    readonly contributionRuleVersion: string;
    /** Version of the point conversion applied. */
    readonly pointConversionVersion: string;
    /** Version of the tree cost applied. */
    readonly treeCostVersion: string;
    /** Contributions under these versions. */
    readonly count: bigint;
    /** Their net points. */
    readonly points: bigint;
    /** Exact; `null` without a conversion. */
    readonly amount: string | null;
  })[];
  /** UTC. */
  readonly createdAt: string;
  /** UTC; `null` while open. */
  readonly closedAt: string | null;
  /** When the totals of an open settlement were computed; `null` once it is closed. */
  readonly asOf: string | null;
  /** The list of its lines; `null` while open. */
  readonly statement: {
    /** Of the statement, in lower-case hexadecimal digits. */
    readonly csvSha256: string;
    /** Lines without the header row. */
    readonly lineCount: bigint;
    /** UTC. */
    readonly generatedAt: string;
    /** Of the statement before it; `null` in the first. */
    readonly previousCsvSha256: string | null;
  } | null;
  /** What the partner said to it. */
  readonly acknowledgement: {
    /** It reopens nothing. */
    readonly status: 'pending' | 'accepted' | 'disputed';
    /** UTC; `null` while pending. */
    readonly acknowledgedAt: string | null;
    /** The partner's own reference. */
    readonly reference: string | null;
    /** The partner's own words. */
    readonly note: string | null;
  };
}

export interface Contribution {
  /** Assigned by the service. */
  readonly transactionId: string;
  /** The partner's idempotency and recovery key. */
  readonly partnerEventId: string;
  /** Reference of the order. */
  readonly partnerOrderRef: string;
  /** Whole points. */
  readonly points: bigint;
  /** As sent. */
  readonly opaqueCustomerRef: string | null;
  /** Version of the contribution rule applied. */
  readonly contributionRuleVersion: string;
  /** Version of the point conversion applied. */
  readonly pointConversionVersion: string;
  /** Version of the tree cost applied. */
  readonly treeCostVersion: string;
  /** Written when the contribution is made, never computed again. */
  readonly expectedEnvironmentalSupport: {
    /** English. */
    readonly summaryEn: string;
    /** Arabic. */
    readonly summaryAr: string;
  };
  /** Environment of the record. */
  readonly environment: 'sandbox' | 'production';
  /** UTC. */
  readonly createdAt: string;
  /** UTC; `null` unless confirmed. */
  readonly confirmedAt: string | null;
  /** UTC; `null` unless failed. */
  readonly failedAt: string | null;
}

/** A line; what does not apply to it is `null`. */
export interface SettlementLine {
  /** From 1, without gaps. */
  readonly lineNo: bigint;
  /** What the line stands for. */
  readonly lineType: 'contribution' | 'adjustment' | 'carried_forward';
  /** The contribution. */
  readonly transactionId: string | null;
  /** The adjustment. */
  readonly adjustmentId: string | null;
  /** Of the contribution. */
  readonly partnerEventId: string | null;
  /** Of the contribution. */
  readonly partnerOrderRef: string | null;
  /** Negative where an adjustment takes points back. Of a line of type `carried_forward` a sum, which may be below int64. */
  readonly points: bigint;
  /** Exact; `null` where the points have no value. */
  readonly amount: string | null;
  /** ISO 4217; `null` where the points have no value. */
  readonly currency: string | null;
  /** When the contribution was confirmed. */
  readonly confirmedAtUtc: string | null;
  /** When the adjustment was posted. */
  readonly postedAtUtc: string | null;
  /** Version of the contribution rule applied. */
  readonly contributionRuleVersion: string | null;
  /** Version of the point conversion applied. */
  readonly pointConversionVersion: string | null;
  /** Version of the tree cost applied. */
  readonly treeCostVersion: string | null;
  /** Of the linked estimate. */
  readonly calculationId: string | null;
  /** At the moment of closing. */
  readonly associationStatus: string | null;
  /** An adjustment's reason; `late` for a contribution that missed the settlement of its own period. */
  readonly reasonCode: string | null;
  /** Where the contribution of an adjustment was settled, or where a negative net comes from. */
  readonly originalSettlementId: string | null;
}

/** What the partner said to it. */
export interface SettlementAcknowledgement {
  /** It reopens nothing. */
  readonly status: 'pending' | 'accepted' | 'disputed';
  /** UTC; `null` while pending. */
  readonly acknowledgedAt: string | null;
  /** The partner's own reference. */
  readonly reference: string | null;
  /** The partner's own words. */
  readonly note: string | null;
}

export interface Reconciliation {
  /** Assigned by the service. */
  readonly reconciliationId: string;
  /** The settlement that the list is compared with. */
  readonly settlementId: string;
  /** `done` and `failed` are terminal. */
  readonly status: 'receiving' | 'comparing' | 'done' | 'failed';
  /** Why it failed; `null` otherwise. */
  readonly problem: string | null;
  /** Where this is found again. */
  readonly path: string;
  /** Of the list. */
  readonly format: 'csv' | 'json';
  /** The list is the service's own statement: adjustments and what is carried forward are compared too. Known when it has come. */
  readonly isStatement: boolean;
  /** Lines of the list that were read. */
  readonly listedLines: bigint;
  /** Lines of the settlement that were looked for in the list. */
  readonly comparedSettlementLines: bigint;
  /** By verdict; final once it is `done`. */
  readonly counts: {
    /** Lines that are `matched`. */
    readonly matched: bigint;
    /** Lines that are `missing_in_service`. */
    readonly missingInService: bigint;
    /** Lines that are `missing_in_partner_file`. */
    readonly missingInPartnerFile: bigint;
    /** Lines that are `points_mismatch`. */
    readonly pointsMismatch: bigint;
    /** Lines that are `order_ref_mismatch`. */
    readonly orderRefMismatch: bigint;
    /** Lines that are `duplicate_in_file`. */
    readonly duplicateInFile: bigint;
    /** Lines that are `other_settlement`. */
    readonly otherSettlement: bigint;
    /** Lines that are `malformed`. */
    readonly malformed: bigint;
  };
  /** Which points the list has. A contribution without adjustments counts as `gross`. */
  readonly matchedPoints: {
    /** Contributions that matched with their gross points. */
    readonly gross: bigint;
    /** Contributions that matched with their net points. */
    readonly net: bigint;
  };
  /** UTC. */
  readonly createdAt: string;
  /** UTC; `null` while it is under way. */
  readonly endedAt: string | null;
  /** UTC; `null` while the lines are there, for 30 days. The counts are kept. */
  readonly linesRemovedAt: string | null;
}

export interface ReconciliationLine {
  /** Where the line stands among all of them. */
  readonly position: bigint;
  /** CSV: the line of the file, the header row being 1. JSON: the place in the array, from 1. `null` for what is missing in the list. */
  readonly lineNo: bigint | null;
  /** What came of the comparison. */
  readonly verdict: 'matched' | 'missing_in_service' | 'missing_in_partner_file' | 'points_mismatch' | 'order_ref_mismatch' | 'duplicate_in_file' | 'other_settlement' | 'malformed';
  /** What the line stands for; `null` for a malformed line that does not say. A list of your own has contributions only. */
  readonly lineType: 'contribution' | 'adjustment' | 'carried_forward' | null;
  /** As listed, as far as it is well formed; `null` for what is carried forward. */
  readonly partnerEventId: string | null;
  /** As listed, as far as it is well formed. */
  readonly partnerOrderRef: string | null;
  /** Of an adjustment in a statement. */
  readonly adjustmentId: string | null;
  /** As listed, as far as they are well formed. */
  readonly points: bigint | null;
  /** Which points of the contribution the list has: `gross` also where both are the same; `null` where neither. */
  readonly matchedPoints: 'gross' | 'net' | null;
  /** The contribution that the service has under the event. */
  readonly transactionId: string | null;
  /** Of that contribution. */
  readonly recordedOrderRef: string | null;
  /** Of that contribution, gross; of an adjustment, or what is carried forward, those of its line. */
  readonly recordedPoints: bigint | null;
  /** Of that contribution with its adjustments: those up to this settlement where the list has that number, else all that are posted. */
  readonly recordedNetPoints: bigint | null;
  /** The settlement that it is on; `null` while it is on none. */
  readonly recordedSettlementId: string | null;
  /** What is wrong with a malformed line; of what is missing in the service, what may and should be done. */
  readonly details: readonly {
    readonly field: string;
    readonly code: string;
    readonly message: string;
  }[];
}

export interface EnvironmentalStatus {
  /** The contribution, which stays as it is. */
  readonly transactionId: string;
  /** The closed settlement that the contribution is on; `null` while it is on none. */
  readonly settlementId: string | null;
  /** The batch that it is pooled in; `null` while it is in none. */
  readonly impactBatchId: string | null;
  /** `recorded` before the contribution is in a batch; `null` unless it is confirmed. */
  readonly status: 'recorded' | 'allocated' | 'funded' | 'in_progress' | 'delivered' | 'verified' | null;
  /** When it came to this status. */
  readonly statusAt: string | null;
  /** `null` before the contribution is in a batch. */
  readonly quantity: {
    /** Whole trees. */
    readonly value: bigint;
    /** Always `tree`. */
    readonly unit: 'tree';
  } | null;
  /** `null` before the batch is allocated. */
  readonly project: {
    /** Assigned by the service. */
    readonly projectId: string;
    /** English. */
    readonly nameEn: string;
    /** Arabic. */
    readonly nameAr: string;
    /** ISO 3166-1. */
    readonly country: string;
  } | null;
  /** What shows it, the first added first. */
  readonly evidence: readonly {
    /** What it is, such as `photo`. */
    readonly type: string;
    /** Where it is. */
    readonly url: string;
    /** Of its bytes. */
    readonly sha256: string;
    /** UTC. */
    readonly capturedAt: string;
  }[];
  /** When a delay was recorded; `null` where none is. */
  readonly delayedAt: string | null;
  /** Since the delay: a year, a quarter or a month, such as `2027`, `2027-Q2` or `2027-05`. */
  readonly expectedDeliveryPeriod: string | null;
  /** English. */
  readonly summaryEn: string | null;
  /** Arabic. */
  readonly summaryAr: string | null;
}

export interface ContributionAdjustment {
  /** A correction of what is settled was posted. */
  readonly change: 'adjustment';
  /** Assigned by the service. */
  readonly adjustmentId: string;
  /** The contribution, which stays as it is. */
  readonly transactionId: string;
  /** Of the contribution. */
  readonly partnerEventId: string;
  /** Of the contribution. */
  readonly partnerOrderRef: string;
  /** Why. */
  readonly reasonCode: 'duplicate_report' | 'partner_reporting_error' | 'operator_error' | 'conversion_restatement' | 'tree_cost_restatement' | 'compliance' | 'other';
  /** English. */
  readonly reasonEn: string;
  /** Arabic. */
  readonly reasonAr: string;
  /** What is added to the settled points; negative where they become fewer. */
  readonly pointsDelta: bigint;
  /** What is added to the settled amount, by a restatement; `null` otherwise. */
  readonly amountDelta: string | null;
  /** Settled points before it. */
  readonly settledPointsBefore: bigint;
  /** Settled points after it: 0 to the contribution's points. */
  readonly settledPointsAfter: bigint;
  /** The settlement that it is on; `null` until one closes over it. */
  readonly settlementId: string | null;
  /** The settlement that the contribution is on; `null` while it is on none. */
  readonly originalSettlementId: string | null;
  /** The adjustment that it takes back. */
  readonly reversalOf: string | null;
  /** UTC. */
  readonly postedAt: string;
  /** Environment of the record. */
  readonly environment: 'sandbox' | 'production';
}

export interface EnvironmentalStatusChange {
  /** The contributions of one or more closed settlements, pooled for a project. */
  readonly impactBatchId: string;
  /** `verified` is terminal. */
  readonly status: 'recorded' | 'allocated' | 'funded' | 'in_progress' | 'delivered' | 'verified';
  /** `null` when there was none. */
  readonly previousStatus: 'recorded' | 'allocated' | 'funded' | 'in_progress' | 'delivered' | 'verified' | null;
  /** `reallocated`: the project could not deliver. */
  readonly changeType: 'advanced' | 'delayed' | 'reallocated' | 'evidence_added' | 'corrected';
  /** Of the batch. */
  readonly quantity: {
    /** Whole trees. */
    readonly value: bigint;
    /** Always `tree`. */
    readonly unit: 'tree';
  };
  /** `null` before the batch is allocated. */
  readonly project: {
    /** Assigned by the service. */
    readonly projectId: string;
    /** English. */
    readonly nameEn: string;
    /** Arabic. */
    readonly nameAr: string;
    /** ISO 3166-1. */
    readonly country: string;
  } | null;
  /** What shows it. */
  readonly evidence: readonly {
    /** What it is, such as `photo`. */
    readonly type: string;
    /** Where it is. */
    readonly url: string;
    /** Of its bytes. */
    readonly sha256: string;
    /** UTC. */
    readonly capturedAt: string;
  }[];
  /** Contributions of this partner in the batch. */
  readonly affectedTransactionCount: bigint;
  /** Where they are listed. */
  readonly transactionsPath: string;
  /** English. */
  readonly summaryEn: string;
  /** Arabic. */
  readonly summaryAr: string;
  /** UTC. */
  readonly occurredAt: string;
}
