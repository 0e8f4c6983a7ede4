import pg from 'pg';

/** SQLSTATE `query_canceled`. */
const CANCELLED = '57014';
const ATTEMPTS_MAX = 5;

/**
 * Does again what the server cancelled: to a statement that is under way while the time is moved, its time limit seems to be over. It has
 * stored nothing.
 */
export async function despiteMoves<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === CANCELLED) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}
