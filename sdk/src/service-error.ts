import {
  AssociationConflictError,
  CalculationMismatchError,
  ContributionFinalFailureError,
  ContributionNotFoundError,
  ContributionPendingError,
  EstimateExpiredError,
  EstimateNotFoundError,
  ForbiddenError,
  IdempotencyConflictError,
  InvalidDistanceError,
  InvalidPointAmountError,
  InvalidRequestError,
  PartnerEventConflictError,
  PartnerOrderConflictError,
  PartnerSuspendedError,
  RateLimitedError,
  ServiceError,
  type ServiceErrorFields,
  ServiceUnavailableError,
  UnauthorizedError,
  UnsupportedVehicleError,
} from './errors.ts';

type ServiceErrorClass = new (fields: ServiceErrorFields) => ServiceError;

const CLASSES: Readonly<Record<string, ServiceErrorClass>> = {
  invalid_request: InvalidRequestError,
  invalid_point_amount: InvalidPointAmountError,
  unsupported_vehicle: UnsupportedVehicleError,
  invalid_distance: InvalidDistanceError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  partner_suspended: PartnerSuspendedError,
  contribution_not_found: ContributionNotFoundError,
  estimate_not_found: EstimateNotFoundError,
  idempotency_conflict: IdempotencyConflictError,
  partner_event_conflict: PartnerEventConflictError,
  partner_order_conflict: PartnerOrderConflictError,
  association_conflict: AssociationConflictError,
  contribution_pending: ContributionPendingError,
  estimate_expired: EstimateExpiredError,
  calculation_mismatch: CalculationMismatchError,
  contribution_final_failure: ContributionFinalFailureError,
  rate_limited: RateLimitedError,
  internal_service_unavailable: ServiceUnavailableError,
};

export function serviceError(fields: ServiceErrorFields): ServiceError {
  const known = Object.hasOwn(CLASSES, fields.code) ? CLASSES[fields.code] : undefined;
  return new (known ?? ServiceError)(fields);
}
