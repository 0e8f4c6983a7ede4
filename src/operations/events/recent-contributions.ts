import type { ContributionRecord } from '../../store/contributions/contribution.ts';

/** When the relay is behind, more contributions wait; the oldest are then read from the database. */
const REMEMBERED_MAX = 2_048;

/**
 * Contributions that this process has just confirmed, until their events are written, so that they are not read again. Each is as its
 * commit stored it, and the data of a confirmation's event never change.
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

  /** Removes the contribution: it is needed only once. */
  take(transactionId: string): ContributionRecord | undefined {
    const record = this.#records.get(transactionId);
    this.#records.delete(transactionId);
    return record;
  }
}
