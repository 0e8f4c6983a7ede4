import { ServiceError } from '../../domain/service-error.ts';
import { UnverifiedRecordError } from '../../operations/audit/unverified-record.ts';

/**
 * Refuses a change for a record that was edited in the database. Nothing was changed, and the same request is refused until the record is
 * restored or attested: no outcome is in doubt.
 *
 * @throws ServiceError `invalid_request` with `record_modified`, which names the record and the next step; any other error as it is.
 */
export function refuseModified(error: unknown): never {
  if (!(error instanceof UnverifiedRecordError)) throw error;
  const { message } = error;
  throw new ServiceError('invalid_request', message, {
    details: [{ field: 'record', code: 'record_modified', message }],
    cause: error,
  });
}
