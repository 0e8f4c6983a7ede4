import { ServiceError } from '../domain/service-error.ts';
import { reconcileForPartner } from '../operations/reconciliations/reconcile-for-partner.ts';
import { runByHand } from '../schedule/run-by-hand.ts';
import { eachSettlementLine } from '../store/settlements/settlement-line.ts';
import type { Plan } from './plan.ts';
import type { Sample, Scene } from './sample.ts';
import { settlementOf } from './settlements.ts';

/** At the end: the list of a disputed month is compared. It is received with the present time, so that nobody takes it for a lost one. */
export function endingScenes({ endsAt }: Plan): Scene[] {
  return [{ at: endsAt, run: reconcile }];
}

async function reconcile(sample: Sample): Promise<void> {
  const { operations, tools } = sample;
  const partnerId = await sample.partnerId('oasis');
  const settlementId = await settlementOf(sample, 'oasis', 2n);
  const list = Buffer.from(await listOf(sample, { partnerId, settlementId }));
  await reconcileForPartner(operations.reconcileSettlement, await sample.person('operator'), {
    partnerId,
    settlementId,
    idempotencyKey: 'list-of-the-dispute',
    format: 'csv',
    chunks: (async function* () {
      yield list;
    })(),
    requireSenderAllowed: async () => tools.signal.throwIfAborted(),
  });
}

/** What the partner has in its books: one order twice, one with other points, and two that the service has and the partner lacks. */
async function listOf(sample: Sample, settlement: { partnerId: string; settlementId: string }): Promise<string> {
  const rows: string[] = [];
  for await (const { lineType, partnerEventId, partnerOrderRef, points } of eachSettlementLine(sample.past.pool, settlement))
    if (lineType === 'contribution') rows.push(`${partnerEventId},${partnerOrderRef},${points}`);
  const [first = '', second = '', ...others] = rows.slice(0, -2);
  const different = second.replace(/\d+$/, (points) => String(BigInt(points) + 25n));
  const unknown = 'oasis-points-99001,OA-199001,310';
  return ['partner_event_id,partner_order_ref,points', first, first, different, ...others, unknown].join('\n');
}

/** Every job runs once, as somebody would begin it by hand: the verification is the newest. */
export async function runJobs(sample: Sample): Promise<void> {
  const { database, jobs, signal } = sample.tools;
  const admin = await sample.person('admin');
  const options = { stop: signal, onAlert: () => {} };
  for (const job of jobs) if (!signal.aborted) await runByHand(database, admin, job, options).catch(allowElsewhere);
}

/** The schedule of the service has just begun the same job. */
function allowElsewhere(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
}
