import pg from 'pg';

const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
const DEADLOCK_DETECTED = '40P01';
const UNIQUE_VIOLATION = '23505';
const RESTRICT_VIOLATION = '23001';
const INTERNAL_ERROR = 'XX000';
const UNDEFINED_TABLE = '42P01';

/** Citus reports a worker's error as an internal one when a statement has several parts; its message stays the same. */
const STATES_BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^canceling statement due to lock timeout/, LOCK_NOT_AVAILABLE],
  [/^deadlock detected/, DEADLOCK_DETECTED],
  [/^duplicate key value violates unique constraint/, UNIQUE_VIOLATION],
];

function sqlState(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  const { code, message } = error;
  return code === INTERNAL_ERROR ? (STATES_BY_WORDS.find(([words]) => words.test(message))?.[1] ?? code) : code;
}

/** The server answered a statement with an error, or ended the session with one. */
export function isFromServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

/** The server's own refusal of a statement: nothing of it is stored. */
export function isRefusedStatement(error: unknown): boolean {
  return /^(?:2[23]|P0)/.test(sqlState(error) ?? '');
}

/** A value has not the form of its type. */
export function isDataException(error: unknown): boolean {
  return sqlState(error)?.startsWith('22') ?? false;
}

/** A trigger of ours refused a change of an immutable record. */
export function isRestricted(error: unknown): boolean {
  return sqlState(error) === RESTRICT_VIOLATION;
}

export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

/** The statement took longer than its limit, or somebody ended it. */
export function isCanceled(error: unknown): boolean {
  return sqlState(error) === QUERY_CANCELED;
}

export function isUndefinedTable(error: unknown): boolean {
  return sqlState(error) === UNDEFINED_TABLE;
}

export function isDeadlock(error: unknown): boolean {
  return sqlState(error) === DEADLOCK_DETECTED;
}

/**
 * The unique constraint or index that a statement violated. On a distributed table the name ends with the number of the shard
 * (`contribution_order_holder_102020`), which is removed, and so is the ending of an index that is about to replace another.
 */
export function violatedKey(error: unknown): string | undefined {
  if (sqlState(error) !== UNIQUE_VIOLATION) return undefined;
  const { constraint, message } = error as pg.DatabaseError;
  return (constraint ?? /"(.+)"/.exec(message)?.[1])?.replace(/_\d+$/, '').replace(/(?:_named)?_next$/, '');
}

/** All connections of a pool were in use for longer than a caller waits for one: nothing was sent to the database. */
export function isPoolUsedUp(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}
