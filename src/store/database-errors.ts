import pg from 'pg';

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';
const UNIQUE_VIOLATION = '23505';

/** The server's own verdict on a statement: it ran and was refused, so that nothing of it is stored. */
export function isRefusedStatement(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(?:2[23]|P0)/.test(error.code ?? '');
}

export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}

export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === DEADLOCK_DETECTED;
}

/**
 * The unique constraint or index that a statement violated. On a distributed table the name carries the number of the
 * shard (`contribution_order_holder_102020`), which is taken off.
 */
export function violatedKey(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) return undefined;
  return error.constraint?.replace(/_\d+$/, '');
}
