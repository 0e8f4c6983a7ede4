/** A record in the database that is not what the service wrote; the operation that needed it was not done. */
export class UnverifiedRecordError extends Error {
  override readonly name = 'UnverifiedRecordError';
}

/** One of the records of a kind: the log counts those of a kind together, however many were modified at once. */
export class RecordDiffersError extends UnverifiedRecordError {
  readonly recursAs: string;

  constructor(kindName: string, subjectId: string, difference: string) {
    super(`The ${kindName} ${subjectId} differs from the audit: ${difference}. ${WHAT_TO_DO}`);
    this.recursAs = `a ${kindName} differs from the audit`;
  }
}

/** The row of one contribution differs from its seal: no other contribution is concerned. */
export class EditedContributionError extends UnverifiedRecordError {}

/** The advice for an operator, after the name of a row. */
export const WHAT_TO_DO =
  'Nothing was changed. Dump the database as it is, run `npx partner-impact verify`, then restore the row from a backup. If the row is correct, an admin attests it: `attest`, `settlement attest` or `rule attest`.';
