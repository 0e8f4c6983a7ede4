/** What the fuzzer has learned from answers, so that later requests meet what is stored: replays, conflicts, links. */
import type { Draft } from './draft.ts';

export interface Pair {
  readonly transactionId: string;
  readonly calculationId: string;
}

const KEPT_MAX = 200;

export class Known {
  readonly transactionIds: string[] = [];
  readonly calculationIds: string[] = [];
  readonly partnerEventIds: string[] = [];
  readonly eventIds: string[] = [];
  readonly keys: string[] = [];
  readonly orderRefs: string[] = [];
  /** Places in lists, by the path of the list. */
  readonly places = new Map<string, string[]>();
  /** Requests that were acknowledged, to be sent again. */
  readonly acknowledged: Draft[] = [];
  /** Contributions and estimates of one order that may still be without a link. */
  readonly pairs: Pair[] = [];
  readonly #contributionOf = new Map<string, string>();
  readonly #estimateOf = new Map<string, string>();

  learnContribution({ transaction_id, partner_event_id, partner_order_ref }: Record<string, string>, draft: Draft): void {
    keep(this.transactionIds, transaction_id);
    keep(this.partnerEventIds, partner_event_id);
    this.#contributionOf.set(partner_order_ref as string, transaction_id as string);
    this.#learn(partner_order_ref as string, draft);
  }

  learnEstimate({ calculation_id, partner_order_ref }: Record<string, string>, draft: Draft): void {
    keep(this.calculationIds, calculation_id);
    this.#estimateOf.set(partner_order_ref as string, calculation_id as string);
    this.#learn(partner_order_ref as string, draft);
  }

  learnEvents(events: readonly { event_id: string }[]): void {
    for (const { event_id } of events) keep(this.eventIds, event_id);
  }

  learnPlace(path: string, nextAfter: string): void {
    const kept = this.places.get(path) ?? [];
    keep(kept, nextAfter);
    this.places.set(path, kept);
  }

  #learn(orderRef: string, draft: Draft): void {
    keep(this.orderRefs, orderRef);
    keep(this.acknowledged, draft);
    keep(this.keys, draft.headers.find(([name]) => name === 'Idempotency-Key')?.[1]);
    const transactionId = this.#contributionOf.get(orderRef);
    const calculationId = this.#estimateOf.get(orderRef);
    if (transactionId && calculationId) keep(this.pairs, { transactionId, calculationId });
  }
}

function keep<T>(kept: T[], value: T | undefined): void {
  if (value === undefined) return;
  kept.push(value);
  if (kept.length > KEPT_MAX) kept.shift();
}
