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
import { problemOf } from '../../store/database-problem.ts';
import { NodeReader } from '../../store/node-reader.ts';
import { namesBeginningWith } from '../contributions/contribution-names.ts';

/** What a text may mean. */
export interface SearchResult {
  readonly contributions: readonly (ContributionRecord & { readonly foundBy: readonly string[] })[];
  readonly partners: readonly Partner[];
  readonly records: readonly FoundRecord[];
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
 * It looks keys up, an id of our own once for each partner, and scans no contributions. While a node of a cluster is lost, an id is found
 * on the others.
 *
 * @throws Error Of the lost node, when it may have what was not found.
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
  const addNamed = async () => {
    if (isAnyId(text)) add('correlation_id', await searchByCorrelation(db, text));
    for (const name of namesBeginningWith(text))
      add(name, await searchContributions(db, { name, value: text, limit: FOUND_MAX }));
  };
  const nodes = new NodeReader(database);
  const records: FoundRecord[] = [];
  if (isAnyId(text)) {
    if (isOurId('txn', text)) add('transaction_id', await searchContributionsById(nodes, text));
    records.push(...(await searchRecordOwner(nodes, db, text)));
  }
  const partners = await searchPartners(db, text);
  // While a node is lost, an id of our own that is found names that record alone; anything else may be there, too.
  const isFound = isAnyId(text) && found.size + records.length + partners.length > 0;
  const [lost] = nodes.lost;
  if (lost && !isFound) throw lost.failure;
  if (!lost)
    await addNamed().catch((error: unknown) => {
      if (!isFound || problemOf(error)?.reason !== 'worker_lost') throw error;
    });
  const inOrder = [...found.values()].toSorted(wholeThenNewest);
  return { contributions: await readFound(database, inOrder.slice(0, FOUND_MAX)), partners, records };
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

async function readFound(database: Database, found: readonly Found[]): Promise<SearchResult['contributions']> {
  const records = await findListedContributions(database, found);
  const byId = new Map(records.map((record) => [record.contribution.transactionId, record]));
  return found.flatMap(({ transactionId, foundBy }) => {
    const record = byId.get(transactionId);
    return record ? [{ ...record, foundBy }] : [];
  });
}

async function searchByCorrelation(db: Queryable, text: string) {
  const madeAtMs = timeOfId('corr', text);
  if (madeAtMs === undefined) return [];
  const range = { fromId: idAt('txn', Math.max(0, madeAtMs - REQUEST_MS)), toId: idAt('txn', madeAtMs + REQUEST_MS) };
  return searchContributionsByCorrelation(db, { ...range, correlationId: text, limit: FOUND_MAX });
}

async function searchPartners(db: Queryable, text: string): Promise<Partner[]> {
  if (isOurId('ptn', text)) return [(await findPartner(db, text)) ?? []].flat();
  return listPartnersInOrder(
    db,
    { text },
    { order: { by: 'created_at', isDescending: true }, after: undefined, limit: PARTNERS_MAX },
  );
}
