import type { SimulatedReview } from '../../domain/sandbox/scenarios.ts';
import { insertListed, type ListedInsert, NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { run, type Statement } from '../query.ts';

/** How a pending contribution of a sandbox ends automatically. */
export interface SimulatedEnd {
  readonly partnerId: string;
  readonly transactionId: string;
  readonly outcome: 'confirmed' | 'failed';
}

type NewEnd = Omit<SimulatedEnd, 'outcome'> & SimulatedReview;

const ENDS: ListedInsert<NewEnd> = {
  table: 'sandbox_due',
  columns: [
    ['partner_id', 'text', (end) => end.partnerId],
    ['transaction_id', 'text', (end) => end.transactionId],
    ['outcome', 'text', (end) => end.outcome],
  ],
  computed: () => ({}),
  derived: ({ afterSeconds }) => ({ due_at: [afterSeconds, (seconds) => `${NOW} + make_interval(secs => ${seconds})`] }),
  onStored: 'fail',
  returning: 'transaction_id',
};

/** In the transaction of their contributions, so that one that is to end always has its end. */
export async function insertSimulatedEnds(db: Queryable, ends: readonly NewEnd[]): Promise<void> {
  await insertListed(db, ENDS, ends);
}

const LIST_DUE: OfAllPartners = {
  name: 'list_simulated_ends_due',
  write: (ofPartners) => `select partner_id as "partnerId", transaction_id as "transactionId", outcome from sandbox_due
    where ${ofPartners('partner_id')} and due_at <= now() and transaction_id <> all ($2::text[])
    order by due_at, transaction_id limit $1`,
};

/**
 * Lists the simulated ends of all partners that are due, the longest due first.
 *
 * @param without Contributions whose ends failed.
 */
export async function listSimulatedEndsDue(
  nodes: NodeReader,
  limit: number,
  without: readonly string[] = [],
): Promise<SimulatedEnd[]> {
  return nodes.read<SimulatedEnd>(LIST_DUE, [limit, without]);
}

const LIST_DUE_OF: Statement = {
  name: 'list_simulated_ends_due_of',
  text: `select partner_id as "partnerId", transaction_id as "transactionId", outcome from sandbox_due
    where partner_id = $1 and due_at <= now() order by due_at, transaction_id limit $2`,
};

/** Lists the simulated ends of one partner that are due, the longest due first. */
export async function listSimulatedEndsDueOf(db: Queryable, partnerId: string, limit: number): Promise<SimulatedEnd[]> {
  return run<SimulatedEnd>(db, LIST_DUE_OF, [partnerId, limit]);
}

const DELETE: Statement = {
  name: 'delete_simulated_end',
  text: 'delete from sandbox_due where partner_id = $1 and transaction_id = $2',
};

export async function deleteSimulatedEnd(
  db: Queryable,
  { partnerId, transactionId }: Omit<SimulatedEnd, 'outcome'>,
): Promise<void> {
  await run(db, DELETE, [partnerId, transactionId]);
}
