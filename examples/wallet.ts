/** A partner's wallet in SQLite, with the gifts of points that are under way. It knows nothing of HTTP. */
import { DatabaseSync } from 'node:sqlite';
import type { Intent, RestorationPermit } from '@partner-impact/sdk';

/** Longer than a confirmation takes: only then is a gift that says nothing taken up again. */
const FIRST_DUE_MS = 90_000;

/** What became due in one outage is not asked for at one moment, and not all at once. */
const JITTER_MS = 30_000;
const DUE_MAX = 100;

export class Wallet {
  readonly #database: DatabaseSync;
  #underWay = 0;

  /** @param points What a new file begins with; an account that is there keeps its points. */
  constructor(path: string, points: bigint) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`pragma busy_timeout = 5000; pragma synchronous = full;
      create table if not exists account (points integer not null check (points >= 0));
      create table if not exists gift (event_id text primary key, order_ref text not null, intent text not null,
        status text not null, due_ms integer, transaction_id text unique);
      -- A second click on the same order deducts nothing. After a failure the order is free again.
      create unique index if not exists one_gift_of_an_order on gift (order_ref) where status <> 'restored';
      create index if not exists due_gifts on gift (due_ms)`);
    this.#database.prepare('select transaction_id from gift'); // a file without it ends the program here, and after no deduction
    this.#database.prepare('insert into account select ? where not exists (select * from account)').run(points);
  }

  /** Deducts the points and stores the intent, both or neither: before anything is sent. */
  deduct(intent: Intent): void {
    this.#inTransaction(() => {
      const insert = "insert into gift (event_id, order_ref, intent, status, due_ms) values (?, ?, ?, 'stored', ?)";
      const { eventId, orderRef, points } = intent;
      this.#database.prepare(insert).run(eventId, orderRef, JSON.stringify(intent), Date.now() + FIRST_DUE_MS);
      this.#change('update account set points = points - ?', points);
    });
  }

  /**
   * Gives the points back, once: a gift that is restored or confirmed never changes again. An event has the points that are recorded:
   * where other points were deducted, nothing is given back, and `confirm` says to whoever looks what differs.
   */
  restore(permit: RestorationPermit, eventId: string): void {
    this.#inTransaction(() => {
      const gift = this.#database.prepare('select intent from gift where event_id = ?').get(eventId);
      if (gift && BigInt(JSON.parse(String(gift['intent'])).points) !== permit.points)
        return this.held(eventId, 'recorded_with_other_values', new Date());
      if (!this.#move(eventId, 'restored', null, permit.transactionId)) return this.#tellIfOther(eventId, 'restored');
      this.#change('update account set points = points + ?', permit.points);
    });
  }

  confirmed(eventId: string, transactionId: string): void {
    if (!this.#move(eventId, 'confirmed', null, transactionId)) this.#tellIfOther(eventId, 'confirmed');
  }

  /** @param retryAt When to confirm the intent again: no gift that is neither confirmed nor restored is ever left without one. */
  held(eventId: string, status: string, retryAt: Date): void {
    this.#move(eventId, status, retryAt.getTime() + Math.floor(Math.random() * JITTER_MS), null);
  }

  /**
   * Settles again what is due. Of all looks together no more than DUE_MAX are under way. A look that fails, as on a full disk, is printed:
   * the next one finds the same.
   */
  settleDue(settle: (intent: Intent) => Promise<unknown>): void {
    try {
      for (const intent of this.due(new Date(), DUE_MAX - this.#underWay)) {
        this.#underWay += 1;
        settle(intent)
          .catch((error) => console.error(intent.eventId, error))
          .finally(() => {
            this.#underWay -= 1;
          });
      }
    } catch (error) {
      console.error(error);
    }
  }

  /**
   * The intents to confirm again, those that wait longest first. The rest is due at the next look: each of these is due again when its
   * confirmation has ended, and one whose confirmation ends with an error holds no other up.
   */
  due(until = new Date(), max = DUE_MAX): Intent[] {
    return this.#inTransaction(() => {
      const select = 'select event_id, intent from gift where due_ms <= ? order by due_ms limit ?';
      const rows = this.#database.prepare(select).all(until.getTime(), max);
      const take = this.#database.prepare('update gift set due_ms = ? where event_id = ?');
      for (const { event_id: eventId } of rows) take.run(Date.now() + FIRST_DUE_MS, String(eventId));
      return rows.map(({ intent }) => JSON.parse(String(intent)));
    });
  }

  /** An update that finds no account is an error, so that nothing is given that was not deducted. */
  #change(update: string, points: string | bigint): void {
    if (this.#database.prepare(update).run(BigInt(points)).changes !== 1) throw new Error('There is no account.');
  }

  #move(eventId: string, status: string, dueMs: number | null, transactionId: string | null): boolean {
    const update = this.#database.prepare(
      "update gift set status = ?, due_ms = ?, transaction_id = ? where event_id = ? and status not in ('confirmed', 'restored')",
    );
    return update.run(status, dueMs, transactionId, eventId).changes === 1;
  }

  /** A final gift never changes again. After a restore of the service it may end otherwise there: nothing is given, and a person looks. */
  #tellIfOther(eventId: string, status: string): void {
    const stored = this.#database.prepare('select status from gift where event_id = ?').get(eventId)?.['status'];
    if (stored !== undefined && stored !== status)
      console.error(eventId, `would be ${status}, and is ${stored}: a person has to look`);
  }

  #inTransaction<T>(run: () => T): T {
    this.#database.exec('begin immediate');
    try {
      const result = run();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has ended the transaction itself.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }
}
