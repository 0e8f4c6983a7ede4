import { invalidRequest } from '../../domain/service-error.ts';
import { exactJson } from '../../wire/exact-json.ts';

/** What an admin attests: a record, and the form of it that was compared. */
export interface ShownRecord {
  /** The record as the admin saw it, whole, as `exactJson` writes it; without it nothing is compared. */
  readonly shown?: string | undefined;
  readonly reason: string;
}

/**
 * Call this under the lock of the record: whoever may edit the database may do so while a question stands, and the entry of what is attested
 * confirms the edit.
 *
 * @param field The name of the record's id, and the record in a sentence.
 * @throws ServiceError `invalid_request`, when the record is not as it was shown.
 */
export function requireAsShown(record: object, { shown }: ShownRecord, [field, name]: readonly [string, string]): void {
  if (shown === undefined || shown === exactJson(record)) return;
  const message = `The ${name} was changed after it was shown, so nothing was attested. Look at it again: repeat the command.`;
  throw invalidRequest([{ field, code: 'not_possible', message }]);
}
