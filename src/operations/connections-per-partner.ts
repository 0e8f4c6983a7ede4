import { LRUCache } from 'lru-cache';
import { oneByOne } from '../concurrency/one-by-one.ts';
import type { Connection, Database } from '../store/database.ts';

/** The most connections that one partner has at once: a second one lets it read while its own long change is under way. */
const AT_ONCE = 2;
const WAITING = { waitingMax: 256, waitMaxMs: 5_000 };
const PARTNERS_MAX = 10_000;

/** The database as one partner has it. */
export type DatabaseOf = (partnerId: string) => Database;

/**
 * Shares a pool between partners. Each has two of its connections at most, for a statement or for a whole transaction; what else it wants
 * waits outside of the queue of the pool, so that one partner leaves connections to the others, however slow its statements are.
 *
 * @see docs/spec/decisions.md#6-rate-limits: whatever is shared is shared per partner.
 */
export function shareConnections(database: Database): DatabaseOf {
  const shares = new LRUCache<string, Database>({ max: PARTNERS_MAX });
  return (partnerId) => {
    const share = shares.get(partnerId) ?? { ...database, pool: shareOf(database.pool, partnerId) };
    shares.set(partnerId, share);
    return share;
  };
}

function shareOf(pool: Database['pool'], partnerId: string): Database['pool'] {
  const inTurn = oneByOne<{ readonly partnerId: string; work(): Promise<unknown> }, unknown>({
    ...WAITING,
    concurrency: AT_ONCE,
    run: ({ work }) => work(),
  });
  const send = pool.query.bind(pool) as (...statement: unknown[]) => Promise<unknown>;
  const query = (...statement: unknown[]) => inTurn({ partnerId, work: () => send(...statement) });
  const connect = () =>
    new Promise<Connection>((resolve, reject) => {
      const work = async () => {
        const connection = await pool.connect();
        const released = untilRelease(connection);
        resolve(connection);
        await released;
      };
      inTurn({ partnerId, work }).catch(reject);
    });
  return Object.assign(Object.create(pool) as Database['pool'], { query, connect });
}

/** The pool sets the function anew whenever it gives the connection away. */
function untilRelease(connection: Connection): Promise<void> {
  const { release } = connection;
  return new Promise((resolve) => {
    connection.release = (failure) => {
      release.call(connection, failure);
      resolve();
    };
  });
}
