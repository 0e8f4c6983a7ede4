import { invalidRequest } from '../../domain/service-error.ts';
import { Type } from '../../partner-api/schema-type.ts';

/** In the query of a list of settlements of all partners. */
export const ofPeriod = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Only those of this month, such as `2026-11`, with every period in it; or of one period, such as `2026-11-2`.',
  }),
);

/** In the query of a list that is of all partners, of one, or of one of its settlements. */
export const settlementFilter = {
  partner_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this partner.' })),
  settlement_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Only those of this settlement of the partner, which `partner_id` names.',
    }),
  ),
};

interface SentFilter {
  readonly partner_id?: string;
  readonly settlement_id?: string;
}

/** @throws ServiceError `invalid_request` for a settlement without its partner. */
export function readSettlementFilter({ partner_id: partnerId, settlement_id: settlementId }: SentFilter) {
  if (partnerId !== undefined || settlementId === undefined) return { partnerId, settlementId };
  const message = 'partner_id is missing. Send it with settlement_id.';
  throw invalidRequest([{ field: 'partner_id', code: 'missing', message }]);
}
