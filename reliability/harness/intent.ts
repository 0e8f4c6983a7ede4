/** What the partner keeps of a contribution before anything is sent, and what it learns of it afterwards. */
import type { Random } from './random.ts';

export interface Intent {
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly idempotencyKey: string;
  readonly points: bigint;
  readonly opaqueCustomerRef: string | null;
  /** Known once the estimate is made, which is before the confirmation is sent. */
  calculationId: string | undefined;
  readonly wants: Wishes;
  /** The bytes of the confirmation: a retry sends the identical ones. */
  body: string;
  readonly learned: Learned;
}

/** What this contribution puts the service to, beside being confirmed. */
export interface Wishes {
  readonly estimate: 'none' | 'with_confirmation' | 'afterwards';
  readonly isSentTwiceAtOnce: boolean;
  readonly isLookedUpAtOnce: boolean;
  readonly isReplayedLater: boolean;
  readonly isKeyMisused: boolean;
  readonly isEventRepeatedUnderAnotherKey: boolean;
}

/** The service's word, as far as the partner has it. */
export interface Learned {
  outcome: 'open' | 'confirmed' | 'order_held_by_another' | 'refused_wrongly';
  // biome-ignore lint/suspicious/noExplicitAny: the contribution as it came, to be compared field by field
  contribution: any;
  // biome-ignore lint/suspicious/noExplicitAny: the association as the confirmation gave it
  association: any;
  // biome-ignore lint/suspicious/noExplicitAny: the link that a later association gave
  laterLink: any;
  isAcknowledged: boolean;
  /** A look-up said "not found": nothing was stored by a transaction that began before this time, in milliseconds since 1970. */
  absentUntilMs: number;
  /** Answers 201 without the mark of a replay: one at most may lack it. */
  unmarkedAnswers: number;
  replays: number;
}

const INT64_MAX = 2n ** 63n - 1n;
const SHARES = {
  contestedOrder: 0.04,
  nearInt64: 0.1,
  customer: 0.5,
  estimateWith: 0.12,
  estimateAfterwards: 0.06,
  twice: 0.15,
  lookup: 0.2,
  replay: 0.1,
  misusedKey: 0.04,
  repeatedEvent: 0.04,
};

/** So many contributions; some in pairs that want the same order, of which one can have it. */
export function makeIntents(count: number, random: Random, run: string): Intent[] {
  const intents: Intent[] = [];
  while (intents.length < count) {
    const order = `order-${run}-${intents.length}`;
    const isContested = intents.length + 1 < count && random.chance(SHARES.contestedOrder);
    for (let index = 0; index < (isContested ? 2 : 1); index++) intents.push(makeIntent(intents.length, order, { random, run }));
  }
  return intents;
}

function makeIntent(number: number, partnerOrderRef: string, { random, run }: { random: Random; run: string }): Intent {
  const name = `${run}-${String(number).padStart(6, '0')}`;
  const intent: Intent = {
    partnerEventId: `event-${name}`,
    partnerOrderRef,
    idempotencyKey: `key-${name}`,
    points: random.chance(SHARES.nearInt64) ? INT64_MAX - BigInt(random.whole(0, 1_000)) : BigInt(random.whole(1, 10_000)),
    opaqueCustomerRef: random.chance(SHARES.customer) ? `customer.${random.whole(1, 500)}` : null,
    calculationId: undefined,
    wants: assignWishes(random),
    body: '',
    learned: {
      outcome: 'open',
      contribution: undefined,
      association: undefined,
      laterLink: undefined,
      isAcknowledged: false,
      absentUntilMs: 0,
      unmarkedAnswers: 0,
      replays: 0,
    },
  };
  intent.body = confirmationBody(intent);
  return intent;
}

function assignWishes(random: Random): Wishes {
  const draw = random.fraction();
  const { estimateWith, estimateAfterwards } = SHARES;
  return {
    estimate: draw < estimateWith ? 'with_confirmation' : draw < estimateWith + estimateAfterwards ? 'afterwards' : 'none',
    isSentTwiceAtOnce: random.chance(SHARES.twice),
    isLookedUpAtOnce: random.chance(SHARES.lookup),
    isReplayedLater: random.chance(SHARES.replay),
    isKeyMisused: random.chance(SHARES.misusedKey),
    isEventRepeatedUnderAnotherKey: random.chance(SHARES.repeatedEvent),
  };
}

/** The confirmation's body, or that of one with other points. */
export function confirmationBody(intent: Intent, points = intent.points): string {
  const { partnerEventId, partnerOrderRef, opaqueCustomerRef, calculationId, wants } = intent;
  const members = [
    `"partner_event_id":"${partnerEventId}"`,
    `"partner_order_ref":"${partnerOrderRef}"`,
    `"points":${points}`,
    ...(opaqueCustomerRef === null ? [] : [`"opaque_customer_ref":"${opaqueCustomerRef}"`]),
    ...(wants.estimate === 'with_confirmation' && calculationId ? [`"calculation_id":"${calculationId}"`] : []),
  ];
  return `{${members.join(',')}}`;
}
