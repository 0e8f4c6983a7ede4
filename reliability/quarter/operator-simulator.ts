import type { Config } from '../../src/config.ts';
import { ServiceError } from '../../src/domain/service-error.ts';
import {
  approveAdjustment,
  draftAdjustment,
  oppositeOf,
  postAdjustment,
  rejectAdjustment,
} from '../../src/operations/adjustments/manage-adjustment.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { configuredSettlementTools } from '../../src/service/keys/configured-seals.ts';
import { listWaitingReviews } from '../../src/store/contributions/waiting-review.ts';
import type { Database } from '../../src/store/database.ts';
import type { Random } from '../harness/random.ts';
import { HOUR_MS, PARTNERS } from './calendar.ts';
import type { SimulatedClock } from './clock.ts';
import { despiteMoves } from './despite-moves.ts';
import { billedText } from './money.ts';
import type { Operators } from './operators.ts';
import type { Entry, PartnerRecords, PostedAdjustment } from './partner-records.ts';
import { slack } from './writers.ts';

/** What nobody has decided on after so long fails by the schedule. */
const EXPIRY_MS = 72 * HOUR_MS;
const DECIDING = 4;
const PENDING_MAX = 1_000_000;
/** So far before the end of a settlement a contribution is on it for sure. */
const MARGIN_MS = 600_000;

export interface OperatorSimulatorOptions {
  readonly database: Database;
  readonly dataDirectory: string;
  readonly partnerRecords: PartnerRecords;
  readonly operators: Operators;
  readonly random: Random;
  readonly partnerIds: readonly string[];
  readonly clock: Pick<SimulatedClock, 'now' | 'earliestNow'>;
  readonly report: (violation: string, kind?: string) => void;
}

/** What operators decide, each as who they are: pending contributions, and adjustments by two people. */
export class OperatorSimulator {
  readonly counts = {
    confirmed: 0,
    failed: 0,
    expired: 0,
    drafted: 0,
    rejected: 0,
    posted: 0,
    restated: 0,
    reversed: 0,
    refusedSteps: 0,
  };
  readonly #options: OperatorSimulatorOptions;
  readonly #adjusted = new Set<Entry>();
  readonly #reversed = new Set<string>();

  constructor(options: OperatorSimulatorOptions) {
    this.#options = options;
  }

  get #tools() {
    const { dataDirectory } = this.#options;
    return configuredSettlementTools({ dataDirectory, auditKey: undefined } as Config);
  }

  /** Of those that were sent at this moment or before, whatever is not left to the schedule. */
  async decide(sentUntil: number): Promise<void> {
    const { partnerRecords } = this.#options;
    const waiting = [...partnerRecords.pending].filter(({ plan, sent }) => plan !== 'leave' && sent.to <= sentUntil);
    let next = 0;
    const work = async () => {
      for (let entry = waiting[next++]; entry; entry = waiting[next++]) await this.#decideOne(entry);
    };
    await Promise.all(Array.from({ length: DECIDING }, work));
  }

  async #decideOne(entry: Entry): Promise<void> {
    const { database, operators, partnerRecords, partnerIds, clock } = this.#options;
    const id = { partnerId: partnerIds[entry.partner] as string, transactionId: entry.transactionId };
    const isConfirmed = entry.plan === 'confirm';
    const resolve = isConfirmed ? confirmPendingContribution : failPendingContribution;
    const from = clock.earliestNow();
    const reason = isConfirmed ? 'looked at: as the order says' : 'looked at: the order was cancelled';
    await despiteMoves(async () => resolve(database, await operators.operator.actor(database), id, reason));
    partnerRecords.decide(entry, isConfirmed ? 'confirmed' : 'failed', { from, to: clock.now() });
    this.counts[isConfirmed ? 'confirmed' : 'failed']++;
  }

  /**
   * Enters what the schedule has failed, and looks that it failed what it had to and nothing else.
   *
   * @param ranAt When it last looked, or before.
   */
  async noteExpired(ranAt: number): Promise<void> {
    const { partnerRecords, clock, report } = this.#options;
    const waiting = [...partnerRecords.pending];
    const pending = await this.#listPending();
    for (const entry of waiting) {
      const isPending = pending.has(entry.transactionId);
      const sent = slack(entry.sent);
      if (isPending && sent.to < ranAt - EXPIRY_MS) report(`${entry.transactionId} did not expire in 72 hours`, 'not expired');
      if (isPending) continue;
      if (sent.from > clock.now() - EXPIRY_MS)
        report(`${entry.transactionId} is no longer pending, and no operator decided on it`, 'ended early');
      partnerRecords.decide(entry, 'failed', { from: ranAt, to: clock.now() });
      this.counts.expired++;
    }
  }

  /** Ids that the service shows to operators. */
  async #listPending(): Promise<Set<string>> {
    const { database, partnerIds } = this.#options;
    const order = { by: 'opened_at', isDescending: false } as const;
    const page = { order, after: undefined, limit: PENDING_MAX };
    const ofPartner = (partnerId: string) => listWaitingReviews(database.pool, { partnerId }, page);
    const reviews = await Promise.all(partnerIds.map(ofPartner));
    return new Set(reviews.flat().map(({ transactionId }) => transactionId));
  }

  /**
   * Corrects contributions of settlements that are closed: parts of their points, their amount, and what was corrected before.
   *
   * @param settledUntil By partner, where its last closed settlement ends.
   */
  async adjust(count: number, settledUntil: readonly number[]): Promise<void> {
    const { partnerRecords, random } = this.#options;
    const settled = partnerRecords.entries.filter((entry) => this.#isSettled(entry, settledUntil) && !this.#adjusted.has(entry));
    for (let number = 0; number < count && settled.length > 0; number++) {
      const [entry] = settled.splice(random.whole(0, settled.length - 1), 1);
      if (entry) await this.#adjustOne(entry, number);
    }
    const undoable = [...partnerRecords.adjustments.values()].filter(
      ({ reversalOf, adjustmentId }) => !reversalOf && !this.#reversed.has(adjustmentId),
    );
    for (const adjustment of undoable.filter((_each, index) => index % 5 === 4)) await this.#reverse(adjustment);
  }

  /** Takes back all points of the settled contribution that has most. */
  async takeBackMost(partner: number, settledUntil: readonly number[]): Promise<void> {
    const { partnerRecords } = this.#options;
    const settled = partnerRecords.entries.filter(
      (entry) => entry.partner === partner && this.#isSettled(entry, settledUntil) && !this.#adjusted.has(entry),
    );
    const most = settled.reduce<Entry | undefined>(
      (found, entry) => (found && found.points >= entry.points ? found : entry),
      undefined,
    );
    if (!most) return;
    this.#adjusted.add(most);
    await this.#post({
      entry: most,
      pointsDelta: -most.points,
      amountDelta: null,
      reasonCode: 'duplicate_report',
      reversalOf: null,
    });
  }

  #isSettled({ partner, state, confirmed }: Entry, settledUntil: readonly number[]): boolean {
    return state === 'confirmed' && confirmed !== undefined && confirmed.to < (settledUntil[partner] as number) - MARGIN_MS;
  }

  async #adjustOne(entry: Entry, number: number): Promise<void> {
    const { random } = this.#options;
    this.#adjusted.add(entry);
    const parts = BigInt(random.whole(1, 100));
    const restated = number % 4 === 3 ? this.#partOfAmount(entry, parts) : undefined;
    const isRestated = restated !== undefined;
    const pointsDelta = isRestated ? 0n : -((entry.points * parts + 99n) / 100n);
    const amountDelta = restated ?? null;
    if (isRestated) await this.#expectBounds(entry);
    const reasonCode = isRestated ? 'conversion_restatement' : 'partner_reporting_error';
    const wanted = { entry, pointsDelta, amountDelta, reasonCode, reversalOf: null };
    if (number % 6 === 5) await this.#rejectInstead(wanted);
    else await this.#post(wanted);
  }

  /** In whole minor units, to be taken back; `undefined` where there is less than one, or no amount. */
  #partOfAmount(entry: Entry, parts: bigint): string | undefined {
    const { minorUnits } = PARTNERS[entry.partner] as (typeof PARTNERS)[number];
    const unit = 10n ** BigInt(12 - minorUnits);
    const part = (((this.#options.partnerRecords.amountOf(entry) ?? 0n) * parts) / 100n / unit) * unit;
    return part === 0n ? undefined : billedText(-part, minorUnits);
  }

  /** Nobody drafts a restatement of more than a contribution is worth, or of less than a minor unit. */
  async #expectBounds(entry: Entry): Promise<void> {
    const amount = this.#options.partnerRecords.amountOf(entry) as bigint;
    const beyond = [billedText(-amount - 10n ** 12n, 2), billedText(amount * 1_000n, 2), '-0.0005'];
    const wanted = { entry, pointsDelta: 0n, reasonCode: 'conversion_restatement', reversalOf: null };
    for (const amountDelta of beyond)
      await this.#expectRefusal('an amount out of bounds', () => this.#draft({ ...wanted, amountDelta }));
  }

  async #reverse(adjustment: PostedAdjustment): Promise<void> {
    const { database, partnerIds } = this.#options;
    const { adjustmentId, entry, reasonCode } = adjustment;
    this.#reversed.add(adjustmentId);
    const opposite = await oppositeOf(database.pool, { partnerId: partnerIds[entry.partner] as string, adjustmentId });
    await this.#post({ entry, ...opposite, reasonCode });
    this.counts.reversed++;
  }

  async #post(wanted: Wanted): Promise<void> {
    const { database, operators, partnerRecords, clock } = this.#options;
    const id = await this.#draft(wanted);
    await this.#expectRefusal('the one who drafted it', async () =>
      approveAdjustment(database, await operators.operator.actor(database), id, this.#tools),
    );
    await this.#expectRefusal('nobody yet', async () =>
      postAdjustment(database, await operators.operator.actor(database), id, this.#tools),
    );
    await approveAdjustment(database, await operators.approver.actor(database), id, this.#tools);
    const from = clock.earliestNow();
    await postAdjustment(database, await operators.operator.actor(database), id, this.#tools);
    const { adjustmentId } = id;
    partnerRecords.adjustments.set(adjustmentId, { ...wanted, adjustmentId, posted: { from, to: clock.now() } });
    this.counts.posted++;
    if (wanted.amountDelta !== null) this.counts.restated++;
  }

  async #draft({ entry, ...wanted }: Wanted): Promise<{ partnerId: string; adjustmentId: string }> {
    const { database, operators, partnerIds } = this.#options;
    const partnerId = partnerIds[entry.partner] as string;
    const reasons = { reasonEn: 'Reported twice by a shop.', reasonAr: 'أُبلغ عنها مرتين.' };
    const draft = { partnerId, transactionId: entry.transactionId, ...wanted, ...reasons };
    const { adjustmentId } = await draftAdjustment(database, await operators.operator.actor(database), draft, this.#tools);
    this.counts.drafted++;
    return { partnerId, adjustmentId };
  }

  async #rejectInstead(wanted: Wanted): Promise<void> {
    const { database, operators } = this.#options;
    const id = await this.#draft(wanted);
    await rejectAdjustment(database, await operators.approver.actor(database), id, 'the shop was right after all');
    this.counts.rejected++;
    await this.#expectRefusal('anybody', async () =>
      postAdjustment(database, await operators.operator.actor(database), id, this.#tools),
    );
  }

  async #expectRefusal(whom: string, step: () => Promise<unknown>): Promise<void> {
    const { report } = this.#options;
    const refused = await step().then(
      () => false,
      (error: unknown) => error instanceof ServiceError,
    );
    if (refused) this.counts.refusedSteps++;
    else report(`an adjustment was taken a step further by ${whom}`, 'second person');
  }
}

type Wanted = Pick<PostedAdjustment, 'entry' | 'pointsDelta' | 'amountDelta' | 'reasonCode' | 'reversalOf'>;
