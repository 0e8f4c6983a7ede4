import { isLongIdentifier, isOurId, isShortIdentifier } from '../../domain/identifiers.ts';
import type { ContributionName } from '../../store/contributions/contribution-search.ts';

const NAMES: readonly ContributionName[] = ['partner_event_id', 'partner_order_ref', 'idempotency_key'];

/** The names that a text may be of. */
export function namesFor(text: string): readonly ContributionName[] {
  if (isOurId('txn', text)) return ['transaction_id'];
  return NAMES.filter((name) => (name === 'partner_order_ref' ? isShortIdentifier(text) : isLongIdentifier(text)));
}
