import type { ContributionRecord } from '../../store/contributions/contribution.ts';

/** More wait for the relay only when it is behind: the first ones are read from the database then. */
const REMEMBERED_MAX = 2_048;

/**
 * Contributions that this process has just confirmed, until their events are written: what was in memory a moment ago need not be read
 * again. Each is as its commit stored it, and what the event of a confirmation says of it never changes.
 */
export class RecentContributions {
  readonly #records = new Map<string, ContributionRecord>();

  add(record: ContributionRecord): void {
    if (record.contribution.status !== 'confirmed') return;
    this.#records.set(record.contribution.transactionId, record);
    if (this.#records.size <= REMEMBERED_MAX) return;
    const [oldest] = this.#records.keys();
    if (oldest !== undefined) this.#records.delete(oldest);
  }

  /** Forgets it at once: it is asked for but once. */
  take(transactionId: string): ContributionRecord | undefined {
    const record = this.#records.get(transactionId);
    this.#records.delete(transactionId);
    return record;
  }
}
