// Written by `npm run sdk:types` from openapi/partner.json. A test fails when it is stale.

/** The link. It is present only with the status `associated`. */
export interface Link {
  /** The id of the link. The service assigns it. */
  readonly associationId: string;
  /** The id of the contribution. */
  readonly transactionId: string;
  /** The id of the estimate. */
  readonly calculationId: string;
  /** The partner's reference of the order. */
  readonly partnerOrderRef: string;
  /** The estimated emissions in kilograms of CO2e, exact. */
  readonly estimatedEmissionsKgco2e: string;
  /** The unit of the emissions: always `kgco2e`. */
  readonly estimatedEmissionsUnit: 'kgco2e';
  /** The distance in kilometres, as sent with the estimate. */
  readonly distanceKm: string;
  /** The unit of the distance: always `km`. */
  readonly distanceUnit: 'km';
  /** The vehicle of the delivery, as in the estimate. The list is open. */
  readonly vehicleCategory: string;
  /** The version of the calculation method. */
  readonly methodologyVersion: string;
  /** The version of the emission factors. */
  readonly emissionFactorVersion: string;
  /** When the service calculated the estimate, in UTC. */
  readonly calculatedAt: string;
  /** When the service linked the estimate, in UTC. */
  readonly associatedAt: string;
  /** The environment that the record belongs to. */
  readonly environment: 'sandbox' | 'production';
  /** Always `true`: these values stay as they were when the estimate was linked. */
  readonly immutable: true;
}

/** The reason. It is present only with the status `rejected`. */
export interface Rejection {
  /** Why the service did not link the estimate. The contribution is not affected. */
  readonly code: 'estimate_not_found' | 'estimate_expired' | 'calculation_mismatch' | 'association_conflict' | 'contribution_pending';
  /** A sentence for people: why the service did not link the estimate. */
  readonly message: string;
  /** The id of the estimate, as sent; `null` where it was not well formed. */
  readonly calculationId: string | null;
}

export interface Estimate {
  /** The id of the estimate. The service assigns it. */
  readonly calculationId: string;
  /** The partner's reference of the order. */
  readonly partnerOrderRef: string;
  /** Always `calculated`. For an expired estimate the service answers with the error `estimate_expired`. */
  readonly status: 'calculated';
  /** The distance in kilometres, as sent. */
  readonly distanceKm: string;
  /** The unit of the distance: always `km`. */
  readonly distanceUnit: 'km';
  /** The vehicle of the delivery: `motorcycle_gasoline` or `car_gasoline`. The list is open. */
  readonly vehicleCategory: string;
  /** The version of the calculation method. */
  readonly methodologyVersion: string;
  /** The version of the vehicle catalogue. */
  readonly vehicleCatalogVersion: string;
  /** The version of the emission factors. */
  readonly emissionFactorVersion: string;
  /** The emission factor in grams of CO2e per kilometre. */
  readonly emissionFactorGco2ePerKm: string;
  /** The emissions that are counted: always `well_to_wheel`. */
  readonly lifecycleBoundary: 'well_to_wheel';
  /** The estimated emissions in grams of CO2e, exact. */
  readonly rawEmissionsGco2e: string;
  /** The estimated emissions in kilograms of CO2e: `raw_emissions_gco2e` / 1000, exact. */
  readonly estimatedEmissionsKgco2e: string;
  readonly display: {
    /** Kilograms of CO2e with two decimals, rounded half up; `<0.01` below 0.01. */
    readonly kgco2eTwoDecimals: string;
    /** Whether the unrounded value is below 0.01. */
    readonly usesLessThanThreshold: boolean;
    /** The value and its unit, for English text. */
    readonly formattedEn: string;
    /** The value and its unit, for Arabic, right-to-left text. */
    readonly formattedAr: string;
  };
  /** The sentence in English to show beside the value. */
  readonly disclosureEn: string;
  /** The sentence in Arabic to show beside the value. */
  readonly disclosureAr: string;
  /** When the service calculated the estimate, in UTC. */
  readonly calculatedAt: string;
  /** When the estimate expires, in UTC: 24 hours after its calculation. A linked estimate stays readable. */
  readonly expiresAt: string;
  /** The environment that the record belongs to. */
  readonly environment: 'sandbox' | 'production';
}

export interface EmissionFactors {
  /** The version of the emission factors, as estimates name it. */
  readonly emissionFactorVersion: string;
  /** The version of the calculation method. */
  readonly methodologyVersion: string;
  /** The version of the vehicle catalogue. */
  readonly vehicleCatalogVersion: string;
  /** The emissions that are counted: always `well_to_wheel`. */
  readonly lifecycleBoundary: 'well_to_wheel';
  /** The unit of every factor: grams of CO2e per kilometre. */
  readonly unit: 'gco2e_per_km';
  /** A factor is for the whole vehicle. The service does not divide emissions between parcels. */
  readonly allocation: 'whole_vehicle';
  /** From when this version applies, in UTC; `null` for the first one. */
  readonly validFrom: string | null;
  /** Until when this version applies, in UTC, exclusive; `null` while no other follows. */
  readonly validUntil: string | null;
  /** One factor for each vehicle category. */
  readonly factors: readonly {
    /** The vehicle category, as in an estimate. The list is open. */
    readonly vehicleCategory: string;
    /** The emission factor in grams of CO2e per kilometre. */
    readonly emissionFactorGco2ePerKm: string;
  }[];
  /** The source of the factors as the operator named it; `null` without one. */
  readonly source: string | null;
}

export interface Calculation {
  /** The id of the estimate. */
  readonly calculationId: string;
  /** The distance in kilometres, as sent. */
  readonly distanceKm: string;
  /** The unit of the distance: always `km`. */
  readonly distanceUnit: 'km';
  /** The vehicle category, as in an estimate. The list is open. */
  readonly vehicleCategory: string;
  /** The emission factor in grams of CO2e per kilometre. */
  readonly emissionFactorGco2ePerKm: string;
  /** The unit of the factor: always `gco2e_per_km`. */
  readonly emissionFactorUnit: 'gco2e_per_km';
  /** The steps in order. The division begins with the result of the product, the threshold and the rounding with that of the division. */
  readonly steps: readonly ({
    /** The operation of this step. */
    readonly name: 'product' | 'division' | 'threshold' | 'rounding';
    /** The arithmetic of this step, to repeat by hand. */
    readonly expression: string;
    /** The exact result; for `rounding` the text that is shown. */
    readonly result: string;
    /** The unit of the result; `null` for the comparison with the threshold. */
    readonly unit: 'gco2e' | 'kgco2e' | null;
  })[];
  /** How the service rounds a value halfway between two others: up. */
  readonly roundingMode: 'half_up';
  /** The version of the calculation method. */
  readonly methodologyVersion: string;
  /** The version of the vehicle catalogue. */
  readonly vehicleCatalogVersion: string;
  /** The version of the emission factors. */
  readonly emissionFactorVersion: string;
  /** The emissions that are counted: always `well_to_wheel`. */
  readonly lifecycleBoundary: 'well_to_wheel';
}

export interface Settlement {
  /** The id of the settlement. The service assigns it. */
  readonly settlementId: string;
  /** The number of the settlement for this partner, without gaps. */
  readonly sequence: bigint;
  /** The status of the settlement. `closed` is terminal. */
  readonly status: 'open' | 'closed';
  /** The environment that the record belongs to. */
  readonly environment: 'sandbox' | 'production';
  /** The first moment of the period, in UTC. */
  readonly periodStart: string;
  /** The first moment after the period, in UTC. */
  readonly periodEnd: string;
  /** The time zone of the days of the period, such as `Asia/Riyadh`. */
  readonly periodTimezone: string;
  /** The name of the period, such as `2026-11`; `2026-11-2` after an early close. */
  readonly periodLabel: string;
  /** The number of contributions on the settlement. */
  readonly contributionCount: bigint;
  /** The number of adjustments on the settlement. */
  readonly adjustmentCount: bigint;
  /** The sum of the points of the contributions. */
  readonly grossPoints: bigint;
  /** The sum of the points of the adjustments. */
  readonly adjustmentPoints: bigint;
  /** The `carried_out_points` of the previous settlement: 0 or negative. */
  readonly carriedInPoints: bigint;
  /** The points of this period: `gross_points` plus `adjustment_points`. */
  readonly netPoints: bigint;
  /** `carried_in_points` plus `net_points` where that is positive, else 0. */
  readonly payablePoints: bigint;
  /** `carried_in_points` plus `net_points` where that is negative, else 0. The next settlement begins with it. */
  readonly carriedOutPoints: bigint;
  /** The `carried_out_amount` of the previous settlement: 0 or negative. This amount and the three that follow are rounded to the currency's minor unit, and are `null` without a point conversion. */
  readonly carriedInAmount: string | null;
  /** The amount of this period. Lines are exact, and the service rounds the total once: where fractions of a minor unit were carried in, it may differ by one minor unit from the rounded sum of the lines. */
  readonly netAmount: string | null;
  /** The amount to pay: `carried_in_amount` plus `net_amount` where that is positive, else 0. */
  readonly payableAmount: string | null;
  /** `carried_in_amount` plus `net_amount` where that is negative, else 0. The next settlement begins with it. */
  readonly carriedOutAmount: string | null;
  /** `payable_amount` or `carried_out_amount`, whichever is not 0, under an earlier name. Do not add up these amounts: they repeat what is carried from month to month. */
  readonly amount: string | null;
  /** The currency by ISO 4217; `null` without a point conversion. */
  readonly currency: string | null;
  /** The totals for each combination of versions. */
  readonly totalsByVersion: readonly ({
    /** The version of the contribution rule that the service applied. */
    readonly contributionRuleVersion: string;
    /** The version of the point conversion that the service applied. */
    readonly pointConversionVersion: string;
    /** The version of the tree cost that the service applied. */
    readonly treeCostVersion: string;
    /** The number of contributions with these versions. */
    readonly count: bigint;
    /** The net points of these contributions. */
    readonly points: bigint;
    /** The amount of these contributions, exact; `null` without a point conversion. */
    readonly amount: string | null;
  })[];
  /** When the service opened the settlement, in UTC. */
  readonly createdAt: string;
  /** When the settlement was closed, in UTC; `null` while it is open. */
  readonly closedAt: string | null;
  /** When the service computed the totals of an open settlement, in UTC; `null` once it is closed. */
  readonly asOf: string | null;
  /** The statement: all lines as CSV. `null` while the settlement is open. */
  readonly statement: {
    /** The SHA-256 of the statement, in lower-case hexadecimal digits. */
    readonly csvSha256: string;
    /** The number of lines, without the header row. */
    readonly lineCount: bigint;
    /** When the service wrote the statement, in UTC. */
    readonly generatedAt: string;
    /** The SHA-256 of the previous statement; `null` in the first one. */
    readonly previousCsvSha256: string | null;
  } | null;
  /** Whether the partner accepted or disputed the settlement. */
  readonly acknowledgement: {
    /** What the partner said of the settlement. It does not open the settlement again. */
    readonly status: 'pending' | 'accepted' | 'disputed';
    /** When the partner said it, in UTC; `null` while `pending`. */
    readonly acknowledgedAt: string | null;
    /** The partner's reference; `null` without one. */
    readonly reference: string | null;
    /** The partner's note; `null` without one. */
    readonly note: string | null;
  };
}

export interface Contribution {
  /** The id of the contribution. The service assigns it. */
  readonly transactionId: string;
  /** The partner's id of the contribution, with which a program finds it again. */
  readonly partnerEventId: string;
  /** The partner's reference of the order. */
  readonly partnerOrderRef: string;
  /** The points that the customer contributed, as sent. */
  readonly points: bigint;
  /** The reference of the customer, as sent; `null` without one. */
  readonly opaqueCustomerRef: string | null;
  /** The version of the contribution rule that the service applied. */
  readonly contributionRuleVersion: string;
  /** The version of the point conversion that the service applied. */
  readonly pointConversionVersion: string;
  /** The version of the tree cost that the service applied. */
  readonly treeCostVersion: string;
  /** What the contribution is expected to support. The service writes it when it records the contribution, and never changes it. */
  readonly expectedEnvironmentalSupport: {
    /** The sentence in English. */
    readonly summaryEn: string;
    /** The sentence in Arabic. */
    readonly summaryAr: string;
  };
  /** The environment that the record belongs to. */
  readonly environment: 'sandbox' | 'production';
  /** When the service recorded the contribution, in UTC. */
  readonly createdAt: string;
  /** When the contribution became confirmed, in UTC; `null` unless it is confirmed. */
  readonly confirmedAt: string | null;
  /** When the contribution failed, in UTC; `null` unless it failed. */
  readonly failedAt: string | null;
}

/** A line of the statement. A member that does not apply to the line is `null`. */
export interface SettlementLine {
  /** The number of the line, from 1, without gaps. */
  readonly lineNo: bigint;
  /** What the line records. */
  readonly lineType: 'contribution' | 'adjustment' | 'carried_forward';
  /** The id of the contribution. */
  readonly transactionId: string | null;
  /** The id of the adjustment. */
  readonly adjustmentId: string | null;
  /** The partner_event_id of the contribution. */
  readonly partnerEventId: string | null;
  /** The order of the contribution. */
  readonly partnerOrderRef: string | null;
  /** The points of the line; negative where an adjustment takes points back. For a line of type `carried_forward` they are a sum, which may be below the range of int64. */
  readonly points: bigint;
  /** The amount of the line, exact; `null` where the points have no value. */
  readonly amount: string | null;
  /** The currency by ISO 4217; `null` where the points have no value. */
  readonly currency: string | null;
  /** When the contribution became confirmed, in UTC. */
  readonly confirmedAtUtc: string | null;
  /** When an operator posted the adjustment, in UTC. */
  readonly postedAtUtc: string | null;
  /** The version of the contribution rule that the service applied. */
  readonly contributionRuleVersion: string | null;
  /** The version of the point conversion that the service applied. */
  readonly pointConversionVersion: string | null;
  /** The version of the tree cost that the service applied. */
  readonly treeCostVersion: string | null;
  /** The id of the linked estimate. */
  readonly calculationId: string | null;
  /** The status of the association when the settlement was closed. */
  readonly associationStatus: string | null;
  /** The reason of an adjustment; `late` for a contribution that came after the settlement of its own period was closed. */
  readonly reasonCode: string | null;
  /** The settlement that has the contribution of an adjustment, or from which a negative total was carried forward. */
  readonly originalSettlementId: string | null;
}

/** Whether the partner accepted or disputed the settlement. */
export interface SettlementAcknowledgement {
  /** What the partner said of the settlement. It does not open the settlement again. */
  readonly status: 'pending' | 'accepted' | 'disputed';
  /** When the partner said it, in UTC; `null` while `pending`. */
  readonly acknowledgedAt: string | null;
  /** The partner's reference; `null` without one. */
  readonly reference: string | null;
  /** The partner's note; `null` without one. */
  readonly note: string | null;
}

export interface Reconciliation {
  /** The id of the reconciliation. The service assigns it. */
  readonly reconciliationId: string;
  /** The settlement with which the service compares the list. */
  readonly settlementId: string;
  /** `done` and `failed` are terminal. */
  readonly status: 'receiving' | 'comparing' | 'done' | 'failed';
  /** Why the reconciliation failed; `null` otherwise. */
  readonly problem: string | null;
  /** The path of the reconciliation. */
  readonly path: string;
  /** The format of the list. */
  readonly format: 'csv' | 'json';
  /** Whether the list is a statement of the service: then adjustments and lines of type `carried_forward` are compared too. It is final once the list has arrived. */
  readonly isStatement: boolean;
  /** The number of lines of the list that the service has read. */
  readonly listedLines: bigint;
  /** The number of lines of the settlement that the service has looked for in the list. */
  readonly comparedSettlementLines: bigint;
  /** The number of lines by verdict. The numbers are final once the status is `done`. */
  readonly counts: {
    /** The number of lines with the verdict `matched`. */
    readonly matched: bigint;
    /** The number of lines with the verdict `missing_in_service`. */
    readonly missingInService: bigint;
    /** The number of lines with the verdict `missing_in_partner_file`. */
    readonly missingInPartnerFile: bigint;
    /** The number of lines with the verdict `points_mismatch`. */
    readonly pointsMismatch: bigint;
    /** The number of lines with the verdict `order_ref_mismatch`. */
    readonly orderRefMismatch: bigint;
    /** The number of lines with the verdict `duplicate_in_file`. */
    readonly duplicateInFile: bigint;
    /** The number of lines with the verdict `other_settlement`. */
    readonly otherSettlement: bigint;
    /** The number of lines with the verdict `malformed`. */
    readonly malformed: bigint;
  };
  /** How many contributions matched with which points. One without adjustments counts as `gross`. */
  readonly matchedPoints: {
    /** The number of contributions that matched with their gross points. */
    readonly gross: bigint;
    /** The number of contributions that matched with their net points. */
    readonly net: bigint;
  };
  /** When the list arrived, in UTC. */
  readonly createdAt: string;
  /** When the reconciliation ended, in UTC; `null` before that. */
  readonly endedAt: string | null;
  /** When the service removed the lines, in UTC: after 30 days; `null` before that. The counts stay. */
  readonly linesRemovedAt: string | null;
}

export interface ReconciliationLine {
  /** The position of the line among all lines. */
  readonly position: bigint;
  /** In CSV the line of the file, where the header row is 1; in JSON the place in the array, from 1. `null` for a line that is missing in the list. */
  readonly lineNo: bigint | null;
  /** The result of the comparison. */
  readonly verdict: 'matched' | 'missing_in_service' | 'missing_in_partner_file' | 'points_mismatch' | 'order_ref_mismatch' | 'duplicate_in_file' | 'other_settlement' | 'malformed';
  /** What the line records; `null` for a malformed line without a type. A list of yours has contributions alone. */
  readonly lineType: 'contribution' | 'adjustment' | 'carried_forward' | null;
  /** The value of the list where it is well formed; `null` for a line of type `carried_forward`. */
  readonly partnerEventId: string | null;
  /** The value of the list where it is well formed. */
  readonly partnerOrderRef: string | null;
  /** The id of the adjustment, for an adjustment in a statement. */
  readonly adjustmentId: string | null;
  /** The value of the list where it is well formed. */
  readonly points: bigint | null;
  /** Which points of the contribution the list has: `gross` also where both are the same; `null` for neither. */
  readonly matchedPoints: 'gross' | 'net' | null;
  /** The contribution that the service has for the partner_event_id. */
  readonly transactionId: string | null;
  /** The order of that contribution. */
  readonly recordedOrderRef: string | null;
  /** The gross points of that contribution; for an adjustment and a line of type `carried_forward` the points of the line. */
  readonly recordedPoints: bigint | null;
  /** The points of that contribution with its adjustments: those up to this settlement where the list has that number, else all posted ones. */
  readonly recordedNetPoints: bigint | null;
  /** The settlement that has the contribution; `null` while none has it. */
  readonly recordedSettlementId: string | null;
  /** What is wrong with a malformed line; for a line that is missing in the service, what the partner may and should do. */
  readonly details: readonly {
    readonly field: string;
    readonly code: string;
    readonly message: string;
  }[];
}

export interface EnvironmentalStatus {
  /** The id of the contribution, which environmental status does not change. */
  readonly transactionId: string;
  /** The closed settlement that has the contribution; `null` while none has it. */
  readonly settlementId: string | null;
  /** The impact batch that has the contribution; `null` while none has it. */
  readonly impactBatchId: string | null;
  /** `recorded` before the contribution is in an impact batch; `null` unless the contribution is confirmed. */
  readonly status: 'recorded' | 'allocated' | 'funded' | 'in_progress' | 'delivered' | 'verified' | null;
  /** When the status began, in UTC. */
  readonly statusAt: string | null;
  /** The quantity of the impact batch; `null` before the contribution is in one. */
  readonly quantity: {
    /** The number of trees. */
    readonly value: bigint;
    /** The unit of the quantity: always `tree`. */
    readonly unit: 'tree';
  } | null;
  /** The project; `null` before the impact batch is allocated. */
  readonly project: {
    /** The id of the project. The service assigns it. */
    readonly projectId: string;
    /** The name of the project in English. */
    readonly nameEn: string;
    /** The name of the project in Arabic. */
    readonly nameAr: string;
    /** The country of the project by ISO 3166-1. */
    readonly country: string;
  } | null;
  /** Every file of evidence of the impact batch, the oldest first: after the batch was given to another project, also those of the project before. */
  readonly evidence: readonly {
    /** The kind of evidence, such as `photo`. */
    readonly type: string;
    /** The address of the evidence. */
    readonly url: string;
    /** The SHA-256 of the bytes at that address. */
    readonly sha256: string;
    /** When the evidence was made, in UTC. */
    readonly capturedAt: string;
  }[];
  /** When an operator recorded a delay, in UTC; `null` without one. */
  readonly delayedAt: string | null;
  /** After a delay, when the trees are expected: a year, a quarter or a month, such as `2027`, `2027-Q2` or `2027-05`. */
  readonly expectedDeliveryPeriod: string | null;
  /** The status as a sentence in English. */
  readonly summaryEn: string | null;
  /** The status as a sentence in Arabic. */
  readonly summaryAr: string | null;
}

export interface ContributionAdjustment {
  /** An operator posted a correction of settled points or of their amount. */
  readonly change: 'adjustment';
  /** The id of the adjustment. The service assigns it. */
  readonly adjustmentId: string;
  /** The id of the contribution, which an adjustment does not change. */
  readonly transactionId: string;
  /** The partner_event_id of the contribution. */
  readonly partnerEventId: string;
  /** The order of the contribution. */
  readonly partnerOrderRef: string;
  /** Why an operator corrected the settled points or their amount. */
  readonly reasonCode: 'duplicate_report' | 'partner_reporting_error' | 'operator_error' | 'conversion_restatement' | 'tree_cost_restatement' | 'compliance' | 'other';
  /** The reason in English. */
  readonly reasonEn: string;
  /** The reason in Arabic. */
  readonly reasonAr: string;
  /** The change of the settled points; negative where they become fewer. */
  readonly pointsDelta: bigint;
  /** The change of the settled amount by a restatement; `null` otherwise. */
  readonly amountDelta: string | null;
  /** The settled points before the adjustment. */
  readonly settledPointsBefore: bigint;
  /** The settled points after the adjustment: 0 to the contribution's points. */
  readonly settledPointsAfter: bigint;
  /** The settlement that has the adjustment; `null` until it is closed. */
  readonly settlementId: string | null;
  /** The settlement that has the contribution; `null` while none has it. */
  readonly originalSettlementId: string | null;
  /** The adjustment that this one reverses; `null` otherwise. */
  readonly reversalOf: string | null;
  /** When an operator posted the adjustment, in UTC. */
  readonly postedAt: string;
  /** The environment that the record belongs to. */
  readonly environment: 'sandbox' | 'production';
}

export interface EnvironmentalStatusChange {
  /** The id of the impact batch: the contributions of one or more closed settlements, pooled for a project. */
  readonly impactBatchId: string;
  /** The status of the impact batch. `verified` is terminal. */
  readonly status: 'recorded' | 'allocated' | 'funded' | 'in_progress' | 'delivered' | 'verified';
  /** The status before the change; `null` without one. */
  readonly previousStatus: 'recorded' | 'allocated' | 'funded' | 'in_progress' | 'delivered' | 'verified' | null;
  /** What changed. `reallocated`: another project takes the place of one that could not deliver. */
  readonly changeType: 'advanced' | 'delayed' | 'reallocated' | 'evidence_added' | 'corrected';
  /** The quantity of the whole impact batch. */
  readonly quantity: {
    /** The number of trees. */
    readonly value: bigint;
    /** The unit of the quantity: always `tree`. */
    readonly unit: 'tree';
  };
  /** The project; `null` before the impact batch is allocated. */
  readonly project: {
    /** The id of the project. The service assigns it. */
    readonly projectId: string;
    /** The name of the project in English. */
    readonly nameEn: string;
    /** The name of the project in Arabic. */
    readonly nameAr: string;
    /** The country of the project by ISO 3166-1. */
    readonly country: string;
  } | null;
  /** Every file of evidence of the impact batch, the oldest first: after the batch was given to another project, also those of the project before. */
  readonly evidence: readonly {
    /** The kind of evidence, such as `photo`. */
    readonly type: string;
    /** The address of the evidence. */
    readonly url: string;
    /** The SHA-256 of the bytes at that address. */
    readonly sha256: string;
    /** When the evidence was made, in UTC. */
    readonly capturedAt: string;
  }[];
  /** The number of contributions of this partner in the impact batch. */
  readonly affectedTransactionCount: bigint;
  /** The path that lists these contributions. */
  readonly transactionsPath: string;
  /** The status as a sentence in English. */
  readonly summaryEn: string;
  /** The status as a sentence in Arabic. */
  readonly summaryAr: string;
  /** When the change happened, in UTC. */
  readonly occurredAt: string;
}
