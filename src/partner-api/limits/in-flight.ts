import { StandingQueue } from './standing-queue.ts';

/** The most requests of a partner that count for other partners. */
const COUNTED_FOR_OTHERS_MAX = 128;

interface PartnerCount {
  readonly partnerId: string;
  /** Requests that arrived completely. */
  whole: number;
  /** Requests whose bodies are arriving. */
  arriving: number;
}

/** A request in flight. */
export interface Counted {
  readonly partner: PartnerCount;
  hasArrived: boolean;
}

/**
 * Counts requests in flight: all of a partner's own, and at most 128 of each other partner, so that no partner alone fills the service
 * for others. A request counts when its key is known, and for others when it has arrived completely: a client that sends half a request,
 * or none with a key, takes no place of others.
 *
 * @see docs/spec/decisions.md#6-rate-limits.
 */
export class InFlight {
  readonly #partners = new Map<string, PartnerCount>();
  /** The sum of what each partner counts for others. */
  #counted = 0;
  #whole = 0;
  readonly #queue = new StandingQueue();

  /** All requests in flight that arrived completely. */
  get whole(): number {
    return this.#whole;
  }

  /** How many requests in flight count for a request of this partner, or for one whose key is not known yet. */
  countFor(partnerId: string | undefined): number {
    const own = partnerId === undefined ? undefined : this.#partners.get(partnerId);
    return own ? this.#counted + Math.max(0, own.whole - COUNTED_FOR_OTHERS_MAX) + own.arriving : this.#counted;
  }

  /** Whether a request of this partner, or one whose key is not known yet, exceeds `max` in flight. */
  isFull(partnerId: string | undefined, max: number): boolean {
    if (this.countFor(partnerId) >= max) return true;
    const own = partnerId === undefined ? undefined : this.#partners.get(partnerId);
    return own !== undefined && own.whole >= this.#queue.limitOf(max);
  }

  /** Counts a request of a known partner until {@link end}. */
  begin(partnerId: string, hasArrived: boolean): Counted {
    const partner = this.#partners.get(partnerId) ?? { partnerId, whole: 0, arriving: 0 };
    if (partner.whole + partner.arriving === 0) this.#partners.set(partnerId, partner);
    if (hasArrived) this.#addWhole(partner, 1);
    else partner.arriving++;
    return { partner, hasArrived };
  }

  /** The request has arrived completely. */
  arrive(counted: Counted): void {
    if (counted.hasArrived) return;
    counted.hasArrived = true;
    counted.partner.arriving--;
    this.#addWhole(counted.partner, 1);
  }

  /** The answer is sent, or the connection is gone. Call it once for each request. */
  end({ partner, hasArrived }: Counted): void {
    if (hasArrived) {
      this.#queue.countEnd();
      this.#addWhole(partner, -1);
    } else partner.arriving--;
    if (partner.whole + partner.arriving === 0) this.#partners.delete(partner.partnerId);
  }

  #addWhole(partner: PartnerCount, change: 1 | -1): void {
    const before = Math.min(partner.whole, COUNTED_FOR_OTHERS_MAX);
    partner.whole += change;
    this.#counted += Math.min(partner.whole, COUNTED_FOR_OTHERS_MAX) - before;
    this.#whole += change;
    this.#queue.observe(this.#whole, performance.now());
  }
}
