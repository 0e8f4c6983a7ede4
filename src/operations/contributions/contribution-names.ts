import { isLongIdentifier, isOurId, isShortIdentifier } from '../../domain/identifiers.ts';
import type { ContributionId } from '../../store/contributions/contribution.ts';
import { type ContributionName, searchContributionsOf } from '../../store/contributions/contribution-search.ts';
import type { Queryable } from '../../store/database.ts';

const NAMES: readonly ContributionName[] = ['partner_event_id', 'partner_order_ref', 'idempotency_key'];

/** The names that may begin with a text; none where it is an id of our own. */
export function namesBeginningWith(text: string): readonly ContributionName[] {
  return isOurId('txn', text) || !isShortIdentifier(text) ? [] : NAMES;
}

/** The names that a text may be of; none where it is an id of our own. */
function namesFor(text: string): readonly ContributionName[] {
  if (isOurId('txn', text)) return [];
  return NAMES.filter((name) => (name === 'partner_order_ref' ? isShortIdentifier(text) : isLongIdentifier(text)));
}

/**
 * The contributions of a partner with this order, event, key or id; one with two of these names is found twice. It looks keys up, and reads
 * no other contribution. Nothing is known yet of one that is named by its id.
 */
export async function findNamedOf(
  db: Queryable,
  partnerId: string,
  { text, limit }: { readonly text: string; readonly limit: number },
): Promise<ContributionId[]> {
  if (isOurId('txn', text)) return [{ partnerId, transactionId: text }];
  const looks = namesFor(text).map((name) => searchContributionsOf(db, partnerId, { name, value: text, limit }));
  return (await Promise.all(looks)).flat();
}
