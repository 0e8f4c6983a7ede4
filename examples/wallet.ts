/** A partner's wallet in SQLite, with the gifts of points that are under way. It knows nothing of HTTP. */
import { DatabaseSync } from 'node:sqlite';
import type { Intent, RestorationPermit } from '@partner-impact/sdk';

/** Longer than a confirmation takes: only then is a gift that says nothing taken up again. */
const FIRST_DUE_MS = 90_000;

export class Wallet {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`pragma busy_timeout = 5000; pragma synchronous = full;
      create table if not exists account (points integer not null check (points >= 0));
      create table if not exists gift (order_ref text primary key, intent text not null, status text not null, due_ms integer, transaction_id text unique)`);
  }

  /** Deducts the points and stores the intent, both or neither: before anything is sent. */
  deduct(intent: Intent): void {
    this.#inTransaction(() => {
      const insert = this.#database.prepare("insert into gift (order_ref, intent, status, due_ms) values (?, ?, 'stored', ?)");
      insert.run(intent.orderRef, JSON.stringify(intent), Date.now() + FIRST_DUE_MS);
      this.#database.prepare('update account set points = points - ?').run(BigInt(intent.points));
    });
  }

  /** Gives the points back, once: a gift that is restored or confirmed never changes again. */
  restore(permit: RestorationPermit, orderRef: string): void {
    this.#inTransaction(() => {
      if (!this.#move(orderRef, 'restored', null, permit.transactionId)) return;
      this.#database.prepare('update account set points = points + ?').run(permit.points);
    });
  }

  confirmed(orderRef: string, transactionId: string): void {
    this.#move(orderRef, 'confirmed', null, transactionId);
  }

  /** @param retryAt When to confirm the intent again; `null` where a person has to act first. */
  held(orderRef: string, status: string, retryAt: Date | null): void {
    this.#move(orderRef, status, retryAt?.getTime() ?? null, null);
  }

  /** The intents to confirm again. */
  due(until = new Date()): Intent[] {
    const rows = this.#database.prepare('select intent from gift where due_ms <= ?').all(until.getTime());
    return rows.map(({ intent }) => JSON.parse(String(intent)));
  }

  #move(orderRef: string, status: string, dueMs: number | null, transactionId: string | null): boolean {
    const update = this.#database.prepare(
      "update gift set status = ?, due_ms = ?, transaction_id = ? where order_ref = ? and status not in ('confirmed', 'restored')",
    );
    return update.run(status, dueMs, transactionId, orderRef).changes === 1;
  }

  #inTransaction(run: () => void): void {
    this.#database.exec('begin immediate');
    try {
      run();
      this.#database.exec('commit');
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }
}
