import { PARAMS, partnerId, settlementId } from './list-queries.ts';

/** What the pages of the console read, one after the other as a person opens them. */
export const PAGES: readonly (readonly string[])[] = [
  ['/overview', `/months/${PARAMS.month}`, `/months/${PARAMS.month}/partners?limit=10&sort=created_at`, '/jobs?sort=job'],
  [`/contributions?partner_id=${partnerId}&sort=-created_at`, `/partners/${partnerId}`],
  ['/search?q=order-31234'],
  ['/reviews?sort=opened_at', '/partners'],
  ['/settlements?sort=-closed_at'],
  [`/partners/${partnerId}/settlements/${settlementId}/lines?sort=line_no`],
  ['/endpoints?sort=created_at', '/endpoints?state=failing'],
  [`/partners/${partnerId}/deliveries?sort=-occurred_at&status=waiting`],
  ['/adjustments?sort=-drafted_at'],
  ['/audit?sort=-recorded_at'],
];
