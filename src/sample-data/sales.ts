import { associationFingerprint, confirmationFingerprint, estimateFingerprint } from '../domain/canonical-payloads.ts';
import { readDistanceKm } from '../domain/emissions/distance.ts';
import { newId } from '../domain/identifiers.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { Partner } from '../store/access/partner.ts';
import type { Plan, Sale } from './plan.ts';
import type { Sample, Scene } from './sample.ts';

/** Orders of a partner within this time are confirmed together. */
const TOGETHER_MS = 40 * 60_000;

/** Each order is confirmed by its partner, some with an estimate of the delivery. */
export function salesScenes({ sales }: Plan): Scene[] {
  const groups: Sale[][] = [];
  const open = new Map<string, Sale[]>();
  for (const sale of sales) {
    const group = open.get(sale.slug);
    const first = group?.[0];
    if (group && first && sale.at.getTime() - first.at.getTime() < TOGETHER_MS) group.push(sale);
    else {
      const next = [sale];
      open.set(sale.slug, next);
      groups.push(next);
    }
  }
  return groups.map((group) => ({
    at: (group.at(-1) as Sale).at,
    run: async (sample) => void (await Promise.all(group.map((sale) => sell(sample, sale)))),
  }));
}

async function sell(sample: Sample, sale: Sale): Promise<void> {
  const partner = await sample.partner(sale.slug);
  const calculationId = sale.distanceKm === undefined ? undefined : await estimate(sample, partner, sale, sale.distanceKm);
  const transactionId = await confirm(sample, partner, sale, sale.link === 'after' ? undefined : calculationId);
  if (calculationId !== undefined && sale.link === 'after')
    await associate(sample, partner, { sale, calculationId, transactionId });
}

async function estimate(sample: Sample, partner: Partner, sale: Sale, distanceKm: string): Promise<string> {
  const distanceMetres = readDistanceKm(distanceKm) as number;
  const vehicleCategory = distanceMetres < 6_000 ? 'motorcycle_gasoline' : 'car_gasoline';
  const partnerOrderRef = sale.link === 'other_order' ? `${sale.partnerOrderRef}-old` : sale.partnerOrderRef;
  const body = { partner_order_ref: partnerOrderRef, distance_unit: 'km', vehicle_category: vehicleCategory } as const;
  const { record } = await sample.operations.createDeliveryEmissionsEstimate({
    partnerId: partner.partnerId,
    isSuspended: false,
    partnerOrderRef,
    distanceKm,
    distanceMetres,
    idempotencyKey: `estimate-${sale.partnerEventId}`,
    fingerprint: estimateFingerprint(body, distanceMetres),
    vehicleCategory,
  });
  return record.estimate.calculationId;
}

async function confirm(sample: Sample, partner: Partner, sale: Sale, calculationId: string | undefined): Promise<string> {
  const { partnerId, currency, timeZone } = partner;
  const { partnerEventId, partnerOrderRef, points, opaqueCustomerRef, idempotencyKey } = sale;
  const { record } = await sample.operations.confirmContribution({
    partnerId,
    currency,
    timeZone,
    isSuspended: false,
    partnerEventId,
    partnerOrderRef,
    points,
    opaqueCustomerRef,
    calculationId,
    idempotencyKey,
    fingerprint: confirmationFingerprint({
      partner_event_id: partnerEventId,
      partner_order_ref: partnerOrderRef,
      points,
      calculation_id: calculationId,
      opaque_customer_ref: opaqueCustomerRef,
    }),
    correlationId: newId('corr'),
    arrivedAtMs: performance.now(),
  });
  return record.contribution.transactionId;
}

interface Link {
  readonly sale: Sale;
  readonly calculationId: string;
  readonly transactionId: string;
}

/** A contribution that waits for its review gets no link. */
async function associate(sample: Sample, { partnerId }: Partner, { sale, calculationId, transactionId }: Link): Promise<void> {
  const link = sample.operations.associateEmissionsEstimate({
    partnerId,
    isSuspended: false,
    transactionId,
    calculationId,
    idempotencyKey: `associate-${sale.partnerEventId}`,
    fingerprint: associationFingerprint(transactionId, { calculation_id: calculationId }),
    correlationId: newId('corr'),
    arrivedAtMs: performance.now(),
  });
  await link.catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
}
