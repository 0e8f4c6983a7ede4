import { calculationSheet } from '../../domain/emissions/calculation-sheet.ts';
import { estimateNotFound } from '../../operations/emissions/get-delivery-emissions-estimate.ts';
import { Calculation, Estimate } from '../../partner-api/emissions/emissions-schemas.ts';
import { findEstimatesById } from '../../store/emissions/estimate.ts';
import { calculationToWire, estimateToWire } from '../../wire/estimate-to-wire.ts';
import { operatorRoute } from '../route.ts';
import { nullableText, partnerAnd, shape, time } from '../schema-parts.ts';

const Display = shape('EmissionsDisplay', Estimate.properties.display.properties);

export const getEstimate = operatorRoute({
  operation: 'getEstimate',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/estimates/:calculation_id',
  tag: 'Estimates',
  summary: 'Show an estimate with its calculation',
  description: 'An estimate that has expired is shown too: `ends_at` says when.',
  leastRole: 'viewer',
  params: partnerAnd('calculation_id', 'The id of the estimate.'),
  answer: shape('EstimateDetail', {
    estimate: shape('Estimate', { ...Estimate.properties, display: Display }),
    calculation: shape('Calculation', Calculation.properties),
    ends_at: time('When it expires without a link: `expires_at`, or the earlier time that the partner chose in a sandbox.'),
    transaction_id: nullableText('The contribution that it is linked to; `null` without a link.'),
  }),
  async handle({ tools: { database, environment }, params: { partner_id: partnerId, calculation_id: calculationId } }) {
    const [found] = await findEstimatesById(database.pool, [{ partnerId, calculationId }]);
    if (!found) throw estimateNotFound();
    const { estimate, link, endsAt } = found;
    return {
      estimate: estimateToWire(estimate, environment),
      calculation: calculationToWire(calculationSheet(estimate)),
      ends_at: endsAt,
      transaction_id: link?.transactionId ?? null,
    };
  },
});
