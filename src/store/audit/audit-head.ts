import { setTimeout as sleep } from 'node:timers/promises';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import type { DatabaseSession } from '../database-session.ts';
import { run, type Statement } from '../query.ts';
import { USUAL_LOCK_TIMEOUT } from '../transaction.ts';

export interface AuditHead {
  /** 0 before the first entry. */
  readonly lastNo: bigint;
  readonly lastMac: string;
}

const FIND_HEAD: Statement = {
  name: 'find_audit_head',
  text: 'select last_no as "lastNo", last_mac as "lastMac" from audit_head where only_row',
};
const HEAD_TO_LOCK = `select last_no as "lastNo", last_mac as "lastMac", ${NOW} as now from audit_head where only_row for update`;
const LOCK_HEAD: Statement = { name: 'lock_audit_head', text: HEAD_TO_LOCK };
const LOCK_FREE_HEAD: Statement = { name: 'lock_free_audit_head', text: `${HEAD_TO_LOCK} skip locked` };
const LOCK_HEAD_NOW: Statement = { name: 'lock_audit_head_now', text: `${HEAD_TO_LOCK} nowait` };

interface LockedHead extends AuditHead {
  readonly now: Date;
}

/** The committed end of the chain; `undefined` when somebody removed the row. */
export async function findAuditHead(db: Queryable): Promise<AuditHead | undefined> {
  const [head] = await run<AuditHead>(db, FIND_HEAD, []);
  return head;
}

/**
 * Reads the end of the audit and locks it: nobody else appends until the transaction ends. `now` is the transaction's time, to the
 * millisecond.
 */
export async function lockAuditHead(db: Queryable): Promise<LockedHead> {
  const { transactionOf } = db as Partial<DatabaseSession>;
  const [head] = transactionOf?.isDistributed ? await lockHeadOfCluster(db) : await run<LockedHead>(db, LOCK_HEAD, []);
  if (!head)
    throw new Error('The table audit_head has no row, so no audited change is possible: run `partner-impact audit verify`.');
  return head;
}

const RETRY_MS = 5;

/**
 * Asks again and again instead of waiting in the database. For its search for deadlocks Citus takes all transactions that use no worker for one:
 * where one of them holds the row and another waits for it, beside one that uses a worker, Citus finds a circle and ends a transaction that is in none.
 *
 * @throws pg.DatabaseError 55P03 when another transaction still has the lock after the usual time-out.
 */
async function lockHeadOfCluster(db: Queryable): Promise<LockedHead[]> {
  const giveUpAtMs = performance.now() + USUAL_LOCK_TIMEOUT.lockTimeoutMs;
  while (performance.now() < giveUpAtMs) {
    const heads = await run<LockedHead>(db, LOCK_FREE_HEAD, []);
    if (heads.length > 0) return heads;
    await sleep(RETRY_MS * (0.5 + Math.random()));
  }
  return run<LockedHead>(db, LOCK_HEAD_NOW, []);
}

const MOVE_HEAD: Statement = {
  name: 'update_audit_head',
  text: 'update audit_head set last_no = $1, last_mac = $2 where only_row',
};

export async function updateAuditHead(db: Queryable, { lastNo, lastMac }: AuditHead): Promise<void> {
  await run(db, MOVE_HEAD, [lastNo, lastMac]);
}
