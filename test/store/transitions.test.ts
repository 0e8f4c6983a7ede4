/** The tables of statuses in `src/domain/` and the triggers of the database allow the same steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { ADJUSTMENT_STATUSES, ADJUSTMENT_TRANSITIONS } from '../../src/domain/adjustments/adjustment.ts';
import { CONTRIBUTION_STATUSES, CONTRIBUTION_TRANSITIONS } from '../../src/domain/contributions/contribution-status.ts';
import {
  ENVIRONMENTAL_CHANGE_TYPES,
  ENVIRONMENTAL_CHANGES,
  ENVIRONMENTAL_STATUSES,
  type EnvironmentalStatus,
  environmentalStatusAfter,
} from '../../src/domain/impact/environmental-status.ts';
import { SETTLEMENT_STATUSES, SETTLEMENT_TRANSITIONS } from '../../src/domain/settlements/settlement.ts';
import { testDatabase } from '../support/postgres/database.ts';

const RESTRICT_VIOLATION = '23001';
const BATCH = 'ibt_1';
const { pool } = await testDatabase();

interface Guarded {
  readonly table: string;
  readonly statuses: readonly string[];
  readonly transitions: Readonly<Record<string, readonly string[]>>;
  /** Further columns that the trigger reads, with their values and what an update sets. */
  readonly also?: { readonly columns: string; readonly values: string; readonly set: string };
}

const GUARDED: readonly Guarded[] = [
  { table: 'contribution', statuses: CONTRIBUTION_STATUSES, transitions: CONTRIBUTION_TRANSITIONS },
  { table: 'settlement', statuses: SETTLEMENT_STATUSES, transitions: SETTLEMENT_TRANSITIONS },
  { table: 'adjustment', statuses: ADJUSTMENT_STATUSES, transitions: ADJUSTMENT_TRANSITIONS },
  {
    table: 'impact_batch',
    statuses: ENVIRONMENTAL_STATUSES,
    transitions: Object.fromEntries(ENVIRONMENTAL_STATUSES.map((from) => [from, listAfter(from)])),
    also: { columns: ', impact_batch_id, change_no', values: `, '${BATCH}', 1`, set: ', change_no = change_no + 1' },
  },
];

for (const guarded of GUARDED)
  test(`the trigger of ${guarded.table} allows the steps of the table in the domain, and no other`, async () => {
    const { statuses, transitions } = guarded;
    const expected = statuses.flatMap((from) => (transitions[from] ?? []).map((to) => `${from} ${to}`));
    assert.deepEqual((await listAllowed(guarded)).toSorted(), expected.toSorted());
  });

/** The other statuses that a change of an impact batch leads to. */
function listAfter(from: EnvironmentalStatus): readonly EnvironmentalStatus[] {
  const possible = ENVIRONMENTAL_CHANGE_TYPES.filter((type) =>
    (ENVIRONMENTAL_CHANGES[type] as readonly EnvironmentalStatus[]).includes(from),
  );
  const after = new Set(possible.map((type) => environmentalStatusAfter(from, type)));
  return [...after].filter((to) => to !== from);
}

/** Tries every step on a table with the columns and the trigger of the real one, and without its constraints. */
async function listAllowed({ table, statuses, also }: Guarded): Promise<string[]> {
  const { columns, values, set } = also ?? { columns: '', values: '', set: '' };
  const copy = `${table}_copy`;
  const client = await pool.connect();
  try {
    // The trigger of a batch finds this table before the real one: it allows no batch to be verified without evidence.
    await client.query(`create temp table impact_evidence as select '${BATCH}' as impact_batch_id`);
    await client.query(`create temp table ${copy} as table ${table} with no data`);
    await client.query(
      `create trigger transition before update on ${copy} for each row execute function ${await guardOf(table)}()`,
    );
    const allowed: string[] = [];
    for (const from of statuses)
      for (const to of statuses.filter((status) => status !== from)) {
        await client.query(`delete from ${copy}`);
        await client.query(`insert into ${copy} (status${columns}) values ($1${values})`, [from]);
        if (await isDone(client.query(`update ${copy} set status = $1${set}`, [to]))) allowed.push(`${from} ${to}`);
      }
    return allowed;
  } finally {
    client.release(true);
  }
}

/** Whether the trigger allowed the statement. */
function isDone(statement: Promise<unknown>): Promise<boolean> {
  return statement.then(
    () => true,
    (error: pg.DatabaseError) => {
      assert.equal(error.code, RESTRICT_VIOLATION, error.message);
      return false;
    },
  );
}

/** The function of the real table's trigger, so that the test fails when the trigger is gone. */
async function guardOf(table: string): Promise<string> {
  const { rows } = await pool.query(
    `select f.proname as name from pg_trigger t join pg_proc f on f.oid = t.tgfoid
     where t.tgrelid = $1::regclass and t.tgname = $2 and t.tgenabled = 'O'`,
    [table, `${table}_transition`],
  );
  assert.equal(rows.length, 1, `${table} has no trigger of its transitions`);
  return rows[0].name;
}
