import type { ServerResponse } from 'node:http';

/** So many requests of a partner count for the others; the rest are its own affair. */
const COUNTED_FOR_OTHERS_MAX = 128;

interface PartnerCount {
  /** Arrived whole. */
  whole: number;
  /** Their bodies are on the way. */
  arriving: number;
}

export interface Counted {
  /** The request has arrived whole. */
  arrive(): void;
}

export interface InFlight {
  /** How many requests in flight a request of this partner meets, or one whose key is not known yet. */
  countFor(partnerId: string | undefined): number;
  /** Counts a request of a known partner until its answer has left or its connection is gone. */
  begin(partnerId: string, response: ServerResponse, isWhole: boolean): Counted;
}

/**
 * Counts requests in flight: a partner's own all, those of another 128 at most, so that no partner alone fills the service for others.
 * A request counts when its key is known, and for others when it has arrived whole: who sends half a request, or none with a
 * key, takes nobody's place.
 *
 * @see decisions, section 6.
 */
export function countInFlight(): InFlight {
  const partners = new Map<string, PartnerCount>();
  /** The sum of what each partner counts for others. */
  let counted = 0;
  const addWhole = (own: PartnerCount, change: 1 | -1) => {
    counted -= Math.min(own.whole, COUNTED_FOR_OTHERS_MAX);
    own.whole += change;
    counted += Math.min(own.whole, COUNTED_FOR_OTHERS_MAX);
  };
  return {
    countFor(partnerId) {
      const own = partnerId === undefined ? undefined : partners.get(partnerId);
      return own ? counted + Math.max(0, own.whole - COUNTED_FOR_OTHERS_MAX) + own.arriving : counted;
    },
    begin(partnerId, response, isWhole) {
      const own = partners.get(partnerId) ?? { whole: 0, arriving: 0 };
      partners.set(partnerId, own);
      let hasArrived = isWhole;
      if (isWhole) addWhole(own, 1);
      else own.arriving++;
      response.once('close', () => {
        if (hasArrived) addWhole(own, -1);
        else own.arriving--;
        if (own.whole + own.arriving === 0) partners.delete(partnerId);
      });
      return {
        arrive() {
          if (hasArrived) return;
          hasArrived = true;
          own.arriving--;
          addWhole(own, 1);
        },
      };
    },
  };
}
