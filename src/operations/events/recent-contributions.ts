import type { ContributionRecord } from '../../store/contributions/contribution.ts';

/** When the relay is behind, more contributions wait; the oldest are then read from the database. */
const REMEMBERED_MAX = 2_048;
/** Partners whose events are sent nowhere; of any more the contributions are remembered too. */
const UNHEARD_MAX = 10_000;

/**
 * Contributions that this process has just confirmed, until their events are written, so that they are not read again. Each is as its
 * commit stored it, and the data of a confirmation's event never change.
 */
export class RecentContributions {
  readonly #records = new Map<string, ContributionRecord>();
  readonly #unheard = new Set<string>();

  /** @param partnerIds Partners with events, of which those are heard that have an endpoint: nobody takes the contributions of others. */
  setHeard(partnerIds: readonly string[], isHeard: boolean): void {
    for (const partnerId of partnerIds)
      if (isHeard) this.#unheard.delete(partnerId);
      else if (this.#unheard.size < UNHEARD_MAX) this.#unheard.add(partnerId);
  }

  add(record: ContributionRecord): void {
    if (record.contribution.status !== 'confirmed' || this.#unheard.has(record.partnerId)) return;
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
