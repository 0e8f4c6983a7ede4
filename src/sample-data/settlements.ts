import { acknowledgementFingerprint } from '../domain/canonical-payloads.ts';
import { newId } from '../domain/identifiers.ts';
import { closesAt } from '../domain/settlements/closing-delay.ts';
import { calendarPeriod, nextPeriod } from '../domain/settlements/settlement-period.ts';
import { closeSettlement } from '../operations/settlements/close-settlement.ts';
import { findSettlementBySequence } from '../store/settlements/settlement.ts';
import { DAY_MS, HOUR_MS, type Plan } from './plan.ts';
import type { Sample, Scene } from './sample.ts';
import { PARTNERS, type SamplePartner, type Slug } from './sample-partners.ts';

/** What a partner says to a month, by the number of its settlement. */
interface Saying {
  readonly slug: Slug;
  readonly sequence: bigint;
  readonly afterDays: number;
  readonly status: 'accepted' | 'disputed';
  readonly note: string | null;
}

const MISSING = 'Two contributions of the last week are missing in our books, and one order was reported twice.';

const SAYINGS: readonly Saying[] = [
  ...PARTNERS.map(({ slug }, index) => accepted(slug, 1n, 1 + index)),
  accepted('brightline', 2n, 2),
  { slug: 'nordlicht', sequence: 2n, afterDays: 3, status: 'disputed', note: 'Order NO-100041 was returned before it was paid.' },
  accepted('nordlicht', 2n, 8),
  { slug: 'oasis', sequence: 2n, afterDays: 4, status: 'disputed', note: MISSING },
  accepted('brightline', 3n, 2),
];

/** Months are closed when they are over, and partners answer some of them. */
export function settlementScenes({ startsAt, endsAt }: Plan): Scene[] {
  return PARTNERS.flatMap((partner) => {
    const scenes: Scene[] = [];
    let period = calendarPeriod(startsAt, partner.timeZone);
    for (let sequence = 1n; closesAt(period) < endsAt; sequence++) {
      const at = new Date(closesAt(period).getTime() + 60_000);
      scenes.push({ at, run: (sample) => close(sample, partner, sequence) });
      for (const saying of SAYINGS)
        if (saying.slug === partner.slug && saying.sequence === sequence)
          scenes.push({
            at: new Date(at.getTime() + saying.afterDays * DAY_MS + 9 * HOUR_MS),
            run: (sample) => say(sample, saying),
          });
      period = nextPeriod(period, partner.timeZone);
    }
    return scenes;
  });
}

function accepted(slug: Slug, sequence: bigint, afterDays: number): Saying {
  return { slug, sequence, afterDays, status: 'accepted', note: null };
}

/** A closed settlement of a partner. */
export async function settlementOf(sample: Sample, slug: Slug, sequence: bigint): Promise<string> {
  const found = await findSettlementBySequence(sample.past.pool, await sample.partnerId(slug), sequence);
  if (!found) throw new Error(`The settlement ${sequence} of ${slug} is missing in the sample data.`);
  return found.settlementId;
}

/** Nothing to do when the schedule of a running service was faster. */
async function close(sample: Sample, { slug }: SamplePartner, sequence: bigint): Promise<void> {
  const [partnerId, settlementId] = [await sample.partnerId(slug), await settlementOf(sample, slug, sequence)];
  const closing = { partnerId, settlementId, isEarly: false };
  await closeSettlement(sample.past, sample.account('schedule'), closing, sample.tools.settlementTools);
}

async function say(sample: Sample, { slug, sequence, status, note }: Saying): Promise<void> {
  const [partnerId, settlementId] = [await sample.partnerId(slug), await settlementOf(sample, slug, sequence)];
  const reference = `${slug}-month-${sequence}`;
  await sample.operations.acknowledgeSettlement({
    partnerId,
    settlementId,
    idempotencyKey: `${reference}-${status}`,
    fingerprint: acknowledgementFingerprint(settlementId, { status, reference, note }),
    acknowledgement: { status, reference, note },
    author: { operatorId: await sample.resultOf(`key ${slug}`), role: 'partner', correlationId: newId('corr') },
  });
}
