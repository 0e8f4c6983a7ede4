/** What one partner may be told: read from the database itself, and from the answers that its own server got. */

import type { Database } from '../../src/store/database.ts';
import type { Intent } from '../harness/intent.ts';

export interface Truth {
  readonly partnerId: string;
  /** By transaction id. */
  readonly contributions: ReadonlyMap<string, TrueContribution>;
}

export interface TrueContribution {
  readonly isConfirmed: boolean;
  /** An estimate was linked after the confirmation, which is an event of its own. */
  readonly isLinkedLater: boolean;
  /** Members of events as answers had them; `undefined` where the partner got none. */
  readonly answered: Answered | undefined;
}

export interface Answered {
  readonly contribution: unknown;
  readonly association: unknown;
  readonly laterLink: unknown;
  readonly begunAtMs: number;
  readonly settledAtMs: number;
}

const SELECT = `select c.transaction_id, c.partner_event_id, c.status,
    l.transaction_id is not null and c.association_outcome <> 'associated' as is_linked_later
  from contribution c left join emissions_link l on l.partner_id = c.partner_id and l.transaction_id = c.transaction_id
  where c.partner_id = $1`;

interface Row {
  readonly transaction_id: string;
  readonly partner_event_id: string;
  readonly status: string;
  readonly is_linked_later: boolean;
}

interface Told {
  readonly partnerId: string;
  readonly intents: readonly Intent[];
  readonly times: ReadonlyMap<string, { readonly begunAtMs: number; readonly settledAtMs: number }>;
}

export async function readTruth({ pool }: Database, { partnerId, intents, times }: Told): Promise<Truth> {
  const byEvent = new Map(intents.map((intent) => [intent.partnerEventId, intent]));
  const { rows } = await pool.query<Row>(SELECT, [partnerId]);
  const contributions = rows.map((row): [string, TrueContribution] => {
    const intent = byEvent.get(row.partner_event_id);
    const time = times.get(row.partner_event_id);
    const answered = intent?.learned.outcome === 'confirmed' && time ? { ...intent.learned, ...time } : undefined;
    return [row.transaction_id, { isConfirmed: row.status === 'confirmed', isLinkedLater: row.is_linked_later, answered }];
  });
  return { partnerId, contributions: new Map(contributions) };
}

/** How many events the partner is told of in all. */
export function countEvents({ contributions }: Truth): number {
  const all = [...contributions.values()];
  return all.filter(({ isConfirmed }) => isConfirmed).length + all.filter(({ isLinkedLater }) => isLinkedLater).length;
}
