/** A record in the database that is not what the service wrote; whatever rests on it was not done. */
export class UnsoundRecordError extends Error {
  override readonly name = 'UnsoundRecordError';
}

/** For an operator, behind the name of a row. */
export const WHAT_TO_DO =
  'Nothing was changed. Keep the database as it is, run `verify`, and put the row back as a backup has it; `attest`, `settlement attest` and `rule attest` are for what is right as it stands.';
