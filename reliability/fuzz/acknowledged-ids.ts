/** What was acknowledged, against what the database holds: after a refusal nothing is stored, after an acknowledgement all of it. */
import type { Pool } from 'pg';
import { failedContribution } from './told-outcomes.ts';
import type { WireAnswer } from './wire-format.ts';
import { onlyHeader } from './wire-format.ts';

// biome-ignore lint/suspicious/noExplicitAny: an acknowledgement is read as the JSON that it is
type Json = any;

type Table = 'contribution' | 'estimate' | 'emissions_link';

const ID_COLUMNS: Record<Table, string> = {
  contribution: 'transaction_id',
  estimate: 'calculation_id',
  emissions_link: 'association_id',
};

export class AcknowledgedIds {
  readonly acknowledged: Record<Table, Set<string>> = { contribution: new Set(), estimate: new Set(), emissions_link: new Set() };
  replays = 0;
  readonly #report: (violation: string) => void;

  constructor(report: (violation: string) => void) {
    this.#report = report;
  }

  /** Takes in the answer to a POST. */
  add({ status, ...answer }: WireAnswer, body: Json): void {
    if (status !== 201 && status !== 202) return;
    const isReplay = onlyHeader(answer, 'idempotent-replayed') === 'true';
    const { contribution, estimate, association } = body;
    if (isReplay) this.replays++;
    if (contribution) this.#enter('contribution', contribution.transaction_id, isReplay);
    if (estimate) this.#enter('estimate', estimate.calculation_id, isReplay);
    // A link made later shows in replays of nothing but its own call, so it is entered by that call alone.
    if (association?.link) this.#enter('emissions_link', association.link.association_id, isReplay);
  }

  /** An operator's part in the sandbox: of a contribution that is known, or one that is recorded as failed. */
  addRehearsed({ contribution }: Json): void {
    if (contribution) this.acknowledged.contribution.add(contribution.transaction_id);
  }

  /** A contribution that failed at once is recorded too; a replay tells of the same one. */
  addFailure({ error }: Json): void {
    const transactionId = failedContribution(error);
    if (transactionId !== undefined) this.acknowledged.contribution.add(transactionId);
  }

  /** @returns How many rows each table has. */
  async compare(pool: Pool): Promise<Record<Table, number>> {
    const counts = { contribution: 0, estimate: 0, emissions_link: 0 };
    for (const [table, column] of Object.entries(ID_COLUMNS) as [Table, string][]) {
      const { rows } = await pool.query<{ id: string }>(`select ${column} as id from ${table}`);
      counts[table] = rows.length;
      const stored = new Set(rows.map(({ id }) => id));
      const told = this.acknowledged[table];
      const untold = [...stored.difference(told)];
      const missing = [...told.difference(stored)];
      if (untold.length > 0) this.#report(`${untold.length} rows of ${table} that nobody was told of, such as ${untold[0]}`);
      if (missing.length > 0) this.#report(`${missing.length} acknowledged and not in ${table}, such as ${missing[0]}`);
    }
    return counts;
  }

  #enter(table: Table, id: string, isReplay: boolean): void {
    const known = this.acknowledged[table];
    if (!isReplay && known.has(id)) this.#report(`${id} was acknowledged twice without Idempotent-Replayed`);
    if (!isReplay) known.add(id);
  }
}
