/**
 * A partner's server, written from the contract alone: points are deducted and the intent is kept before anything is sent;
 * after silence or a 503 it looks up by `partner_event_id`, and sends the identical request again when nothing is found.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Exchange, Outcome, Reply } from './exchange.ts';
import { confirmationBody, type Intent } from './intent.ts';

/** What the partner went through, for the table. */
export interface Tally {
  sent: number;
  sentTwiceAtOnce: number;
  silent: number;
  unavailable: number;
  foundByLookup: number;
  sentAgainAfterNotFound: number;
  replays: number;
  ordersHeld: number;
  keyConflicts: number;
  eventConflicts: number;
  linksAfterwards: number;
}

export interface PartnerOptions {
  readonly exchange: Exchange;
  /** Called with every confirmation that is handed to the network: what the kills are timed by. */
  readonly onSent: () => void;
  /** Called when a confirmation was acknowledged or found. */
  readonly onConfirmed: () => void;
  /**
   * Milliseconds since 1970: transactions that began before are over, because what ran them was killed and has ended. Whoever says
   * "not found" from now on has no excuse for a contribution of one of them. Without it nothing is known.
   */
  readonly settledUntilMs?: () => number;
  readonly report: (violation: string) => void;
}

const CONFIRMATIONS = '/v1/impact-transactions';
const PAUSE_MS = 25;
const LOOKUPS_MAX = 200;
/** A request that is still open after so long is a loss, whatever was killed meanwhile. */
const PATIENCE_MS = 60_000;

export class Partner {
  readonly tally: Tally = {
    sent: 0,
    sentTwiceAtOnce: 0,
    silent: 0,
    unavailable: 0,
    foundByLookup: 0,
    sentAgainAfterNotFound: 0,
    replays: 0,
    ordersHeld: 0,
    keyConflicts: 0,
    eventConflicts: 0,
    linksAfterwards: 0,
  };
  readonly #options: PartnerOptions;

  constructor(options: PartnerOptions) {
    this.#options = options;
  }

  /** Brings one contribution to its end and then puts it to what it wants. */
  async contribute(intent: Intent): Promise<void> {
    const { wants, learned } = intent;
    if (wants.estimate !== 'none') await this.#makeEstimate(intent);
    await this.#settle(intent);
    if (learned.outcome !== 'confirmed') return;
    if (wants.isLookedUpAtOnce) await this.lookUp(intent);
    if (wants.isKeyMisused) await this.#misuseKey(intent);
    if (wants.isEventRepeatedUnderAnotherKey) await this.#repeatEvent(intent);
    if (wants.estimate === 'afterwards') await this.#associate(intent);
    if (wants.isReplayedLater) this.#check(intent, await this.#confirm(intent));
  }

  /** Must find what was once confirmed, with the same contribution. @returns Whether there was an answer to judge. */
  async lookUp(intent: Intent): Promise<boolean> {
    const outcome = await this.#send({ path: lookupPath(intent) });
    if (isUnknown(outcome)) return false;
    if (outcome.status === 200) this.#learnContribution(intent, outcome, 'a look-up');
    else this.#violated(intent, `confirmed once, but a later look-up says ${describe(outcome)}`);
    return true;
  }

  /**
   * At the end: what was once confirmed is found by its event, and is still the same.
   *
   * @returns How many were looked up.
   */
  async lookUpConfirmed(intents: readonly Intent[]): Promise<number> {
    const confirmed = intents.filter(({ learned }) => learned.outcome === 'confirmed');
    for (const intent of confirmed) {
      let isAnswered = false;
      for (let attempt = 1; attempt <= LOOKUPS_MAX && !isAnswered; attempt++) {
        if (attempt > 1) await sleep(PAUSE_MS);
        isAnswered = await this.lookUp(intent);
      }
      if (!isAnswered) this.#violated(intent, 'no look-up was answered at the end');
    }
    return confirmed.length;
  }

  async #settle(intent: Intent): Promise<void> {
    const givesUpAt = performance.now() + PATIENCE_MS;
    while (intent.learned.outcome === 'open' && performance.now() < givesUpAt) {
      const outcomes = intent.wants.isSentTwiceAtOnce
        ? await Promise.all([this.#confirm(intent), this.#confirm(intent)])
        : [await this.#confirm(intent)];
      if (outcomes.length === 2) this.tally.sentTwiceAtOnce++;
      for (const outcome of outcomes) this.#check(intent, outcome);
      if (intent.learned.outcome === 'open') await this.#recover(intent, givesUpAt);
    }
    if (intent.learned.outcome === 'open') this.#violated(intent, `still open after ${PATIENCE_MS / 1000} s`);
  }

  /** Looks up until the service says that there is, or that there is not. Points stay deducted all the while. */
  async #recover(intent: Intent, givesUpAt: number): Promise<void> {
    while (performance.now() < givesUpAt) {
      const settledUntilMs = this.#options.settledUntilMs?.() ?? 0;
      const outcome = await this.#send({ path: lookupPath(intent) });
      if (isUnknown(outcome)) {
        await sleep(PAUSE_MS);
        continue;
      }
      if (outcome.status === 200) {
        this.tally.foundByLookup++;
        return this.#learnContribution(intent, outcome, 'the recovery');
      }
      if (outcome.status !== 404 || outcome.body.error.code !== 'contribution_not_found') {
        intent.learned.outcome = 'refused_wrongly';
        return this.#violated(intent, `the recovery was answered ${describe(outcome)}`);
      }
      this.tally.sentAgainAfterNotFound++;
      intent.learned.absentUntilMs = settledUntilMs;
      return;
    }
  }

  async #confirm(intent: Intent, idempotencyKey = intent.idempotencyKey, body = intent.body): Promise<Outcome> {
    this.tally.sent++;
    this.#options.onSent();
    return this.#send({ path: CONFIRMATIONS, idempotencyKey, body });
  }

  /** Takes in an answer to the confirmation itself. */
  #check(intent: Intent, outcome: Outcome): void {
    if (isUnknown(outcome)) return;
    const { learned } = intent;
    if (outcome.status === 201) {
      if (outcome.isReplay) {
        this.tally.replays++;
        learned.replays++;
      } else {
        learned.unmarkedAnswers++;
        if (learned.unmarkedAnswers > 1) this.#violated(intent, 'answered 201 more than once without Idempotent-Replayed');
      }
      learned.isAcknowledged = true;
      this.#learnContribution(intent, outcome, 'an acknowledgement');
      this.#learnAssociation(intent, outcome.body.association);
      return;
    }
    const isHeld = outcome.status === 409 && outcome.body.error.code === 'partner_order_conflict';
    if (!isHeld || learned.outcome === 'confirmed') {
      if (learned.outcome === 'open') learned.outcome = 'refused_wrongly';
      this.#violated(intent, `the confirmation was answered ${describe(outcome)}`);
      return;
    }
    if (learned.outcome === 'open') this.tally.ordersHeld++;
    learned.outcome = 'order_held_by_another';
  }

  #learnContribution(intent: Intent, { body }: Reply, source: string): void {
    const { learned } = intent;
    if (learned.outcome === 'order_held_by_another') this.#violated(intent, `refused for its order, then confirmed by ${source}`);
    const { contribution } = body;
    if (learned.contribution === undefined) {
      learned.contribution = contribution;
      this.#compareWithIntent(intent);
      if (Date.parse(contribution.created_at) < learned.absentUntilMs)
        this.#violated(
          intent,
          `created at ${contribution.created_at}, and a look-up after the kill behind that said "not found"`,
        );
    } else if (!isDeepStrictEqual(learned.contribution, contribution)) {
      this.#violated(intent, `${source} shows another contribution: ${show(learned.contribution)} was ${show(contribution)}`);
    }
    if (learned.outcome === 'open') this.#options.onConfirmed();
    learned.outcome = 'confirmed';
  }

  #learnAssociation(intent: Intent, association: unknown): void {
    const { learned, wants } = intent;
    learned.association ??= association;
    if (!isDeepStrictEqual(learned.association, association))
      this.#violated(intent, `a replay shows another association: ${show(association)} was ${show(learned.association)}`);
    const expected = wants.estimate === 'with_confirmation' ? 'associated' : 'not_requested';
    if (learned.association.status !== expected)
      this.#violated(intent, `the association is ${show(association)} and not ${expected}`);
  }

  #compareWithIntent(intent: Intent): void {
    const { contribution } = intent.learned;
    const echoed = {
      partner_event_id: intent.partnerEventId,
      partner_order_ref: intent.partnerOrderRef,
      points: intent.points,
      opaque_customer_ref: intent.opaqueCustomerRef,
      status: 'confirmed',
      non_refundable: true,
    };
    for (const [field, value] of Object.entries(echoed)) {
      if (contribution[field] !== value) this.#violated(intent, `${field} is ${contribution[field]} and should be ${value}`);
    }
  }

  async #makeEstimate(intent: Intent): Promise<void> {
    const { partnerOrderRef: order, partnerEventId } = intent;
    const body = `{"partner_order_ref":"${order}","distance_km":"12.345","distance_unit":"km","vehicle_category":"car_gasoline"}`;
    const request = { path: '/v1/emissions/estimates', idempotencyKey: `est-${partnerEventId}`, body };
    const reply = await this.#untilAnswered(intent, () => this.#send(request));
    if (reply?.status !== 201) return this.#violated(intent, `the estimate was answered ${reply ? describe(reply) : 'never'}`);
    intent.calculationId = reply.body.estimate.calculation_id;
    intent.body = confirmationBody(intent);
  }

  async #associate(intent: Intent): Promise<void> {
    const path = `${CONFIRMATIONS}/${intent.learned.contribution.transaction_id}/emissions-associations`;
    const body = `{"calculation_id":"${intent.calculationId}"}`;
    const request = { path, idempotencyKey: `asc-${intent.partnerEventId}`, body };
    const reply = await this.#untilAnswered(intent, () => this.#send(request));
    if (reply?.status !== 201) return this.#violated(intent, `the association was answered ${reply ? describe(reply) : 'never'}`);
    this.tally.linksAfterwards++;
    intent.learned.laterLink = reply.body.association.link;
  }

  async #misuseKey(intent: Intent): Promise<void> {
    const other = confirmationBody(intent, intent.points === 1n ? 2n : intent.points - 1n);
    const outcome = await this.#confirm(intent, intent.idempotencyKey, other);
    this.#expectRefusal(intent, outcome, 'idempotency_conflict');
  }

  async #repeatEvent(intent: Intent): Promise<void> {
    const outcome = await this.#confirm(intent, `other-${intent.idempotencyKey}`);
    this.#expectRefusal(intent, outcome, 'partner_event_conflict');
  }

  #expectRefusal(intent: Intent, outcome: Outcome, code: 'idempotency_conflict' | 'partner_event_conflict'): void {
    if (isUnknown(outcome)) return;
    if (outcome.status === 409 && outcome.body.error.code === code)
      this.tally[code === 'idempotency_conflict' ? 'keyConflicts' : 'eventConflicts']++;
    else this.#violated(intent, `${code} was due, and the answer was ${describe(outcome)}`);
  }

  /** The identical request, again and again, while its outcome is unknown: for what has a key and no look-up. */
  async #untilAnswered(intent: Intent, send: () => Promise<Outcome>): Promise<Reply | undefined> {
    for (const givesUpAt = performance.now() + PATIENCE_MS; performance.now() < givesUpAt; await sleep(PAUSE_MS)) {
      const outcome = await send();
      if (!isUnknown(outcome)) return outcome;
    }
    this.#violated(intent, `not answered within ${PATIENCE_MS / 1000} s`);
    return undefined;
  }

  async #send(request: Parameters<Exchange['send']>[0]): Promise<Outcome> {
    const outcome = await this.#options.exchange.send(request);
    if (outcome.kind === 'silent') this.tally.silent++;
    else if (outcome.status === 503) this.tally.unavailable++;
    return outcome;
  }

  #violated(intent: Intent, what: string): void {
    this.#options.report(`${intent.partnerEventId}: ${what}`);
  }
}

/** Silence and 503 mean the same: stored or not, as a whole. */
function isUnknown(outcome: Outcome): outcome is Exclude<Outcome, Reply> {
  return outcome.kind === 'silent' || outcome.status === 503;
}

function lookupPath({ partnerEventId }: Intent): string {
  return `${CONFIRMATIONS}?partner_event_id=${partnerEventId}`;
}

function describe({ status, body }: Reply): string {
  return `${status} ${show(body)}`;
}

function show(value: unknown): string {
  return JSON.stringify(value, (_name, member) => (typeof member === 'bigint' ? String(member) : member)) ?? 'nothing';
}
