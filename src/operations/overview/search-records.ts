import { ID_PREFIXES, idAt, isOurId, timeOfId } from '../../domain/identifiers.ts';
import { findPartner, listPartnersInOrder, type Partner } from '../../store/access/partner.ts';
import { type FoundRecord, searchRecordOwner } from '../../store/access/record-owner.ts';
import { type ContributionId, type ContributionRecord, findListedContributions } from '../../store/contributions/contribution.ts';
import {
  searchContributions,
  searchContributionsByCorrelation,
  searchContributionsById,
} from '../../store/contributions/contribution-search.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { NodeReader, partnersOn } from '../../store/node-reader.ts';
import { namesBeginningWith } from '../contributions/contribution-names.ts';

/** What a text may mean. */
export interface SearchResult {
  readonly contributions: readonly (ContributionRecord & { readonly foundBy: readonly string[] })[];
  readonly partners: readonly Partner[];
  readonly records: readonly FoundRecord[];
  /** Partners of which there may be more: on a cluster whose node does not answer. */
  readonly left: ReadonlySet<string>;
}

/** Many partners may use one name, such as `order-1`: then the partner has to be chosen. */
const FOUND_MAX = 20;
const PARTNERS_MAX = 10;
/** A request takes less long, and two processes' clocks differ by less. */
const REQUEST_MS = 15_000;

/**
 * Finds what an operator was given: a contribution by its id, by the beginning of its event, order or key, or by the correlation id of its
 * request where the service made that; a partner by its id or a part of its name; any other record by its id.
 *
 * It looks keys up, an id of our own once for each partner. By a correlation id it looks through the contributions of half a minute, and
 * through no others. While a node of a cluster is lost, it finds what is on the others.
 *
 * @throws Error Of the lost node, when nothing was found: it may be there.
 */
export async function searchRecords(database: Database, text: string): Promise<SearchResult> {
  const db = database.pool;
  const found = new Map<string, Found>();
  const add = (by: string, ids: readonly (ContributionId & { readonly isWhole?: boolean })[]) => {
    for (const { partnerId, transactionId, isWhole = true } of ids) {
      const entry = found.get(transactionId) ?? { partnerId, transactionId, foundBy: [], isWhole };
      found.set(transactionId, { ...entry, foundBy: [...entry.foundBy, by], isWhole: entry.isWhole || isWhole });
    }
  };
  const nodes = new NodeReader(database);
  const records: FoundRecord[] = [];
  if (isAnyId(text)) {
    if (isOurId('txn', text)) add('transaction_id', await searchContributionsById(nodes, text));
    records.push(...(await searchRecordOwner(nodes, db, text)));
  }
  const partners = await searchPartners(db, text);
  // An id of our own names one record.
  const isFoundById = isAnyId(text) && found.size + records.length + partners.length > 0;
  if (isAnyId(text)) add('correlation_id', await searchByCorrelation(nodes, text));
  for (const name of namesBeginningWith(text))
    add(name, await searchContributions(nodes, { name, value: text, limit: FOUND_MAX }));
  const lost = isFoundById ? [] : nodes.lost;
  if (lost[0] && found.size + records.length + partners.length === 0) throw lost[0].failure;
  const shown = [...found.values()].toSorted(wholeThenNewest).slice(0, FOUND_MAX);
  return { contributions: await readFound(database, shown, nodes), partners, records, left: partnersOn(lost) };
}

const isAnyId = (text: string) => Object.values(ID_PREFIXES).some((prefix) => text.startsWith(`${prefix}_`));

interface Found extends ContributionId {
  readonly foundBy: readonly string[];
  readonly isWhole: boolean;
}

/** An id begins with the time of its making. */
function wholeThenNewest(one: Found, other: Found): number {
  return Number(other.isWhole) - Number(one.isWhole) || (one.transactionId < other.transactionId ? 1 : -1);
}

async function readFound(
  database: Database,
  found: readonly Found[],
  { lost }: NodeReader,
): Promise<SearchResult['contributions']> {
  // What is of one partner is asked of that partner's node alone.
  const parts = lost.length === 0 ? [found] : [...Map.groupBy(found, ({ partnerId }) => partnerId).values()];
  const records = (await Promise.all(parts.map((part) => findListedContributions(database, part)))).flat();
  const byId = new Map(records.map((record) => [record.contribution.transactionId, record]));
  return found.flatMap(({ transactionId, foundBy }) => {
    const record = byId.get(transactionId);
    return record ? [{ ...record, foundBy }] : [];
  });
}

async function searchByCorrelation(nodes: NodeReader, text: string) {
  const madeAtMs = timeOfId('corr', text);
  if (madeAtMs === undefined) return [];
  const range = { fromId: idAt('txn', Math.max(0, madeAtMs - REQUEST_MS)), toId: idAt('txn', madeAtMs + REQUEST_MS) };
  return searchContributionsByCorrelation(nodes, { ...range, correlationId: text, limit: FOUND_MAX });
}

async function searchPartners(db: Queryable, text: string): Promise<Partner[]> {
  if (isOurId('ptn', text)) return [(await findPartner(db, text)) ?? []].flat();
  return listPartnersInOrder(
    db,
    { text },
    { order: { by: 'created_at', isDescending: true }, after: undefined, limit: PARTNERS_MAX },
  );
}
