import { recordNotFound, type ServiceError } from '../../domain/service-error.ts';

export function factorsNotFound(): ServiceError {
  return recordNotFound(
    'emission_factor_version',
    'There is no version of the factors with this label. GET /v1/emissions/factors lists those that there are.',
  );
}
