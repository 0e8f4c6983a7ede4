import type { SealPart } from '../../domain/audit/record-seal.ts';
import type { SealedContribution } from '../../domain/contributions/contribution-seal.ts';
import { millisecondsOf, NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, runLong, type Statement } from '../query.ts';
import { type ContributionId, type ContributionRow, readContributionFields, SEALED_COLUMNS } from './contribution.ts';

/** A time that may be absent; of columns only, because a distributed database accepts no clock in a condition. */
const millisecondsIfAny = (time: string) => `coalesce(${millisecondsOf(time)}, '')`;

/** A time that is known to be absent. */
export const ABSENT = 'absent';

/**
 * The seal in SQL: the database computes it with its own times. Three times: created, confirmed, failed. Everything except the clock is
 * immutable, as a distributed database requires for values computed from columns.
 *
 * @see {@link SealPart}
 */
export function sealOf(mac: string, times: readonly [createdAt: string, confirmedAt: string, failedAt: string]): string {
  const texts = times.map((time) => {
    if (time === ABSENT) return "''";
    return time === NOW || time.endsWith('created_at') ? millisecondsOf(time) : millisecondsIfAny(time);
  });
  return sealOfTexts(mac, texts);
}

/** The seal in SQL, from times that are text already: {@link millisecondsOf} each, or `''`. */
export function sealOfTexts(mac: string, times: readonly string[]): string {
  return `sha256(decode(${[mac, ...times].join(" || '/' || ")}, 'escape'))`;
}

interface SealedRow extends ContributionRow {
  readonly failure_reason: string | null;
  readonly failure_drafted_by: string | null;
  readonly failure_approved_by: string | null;
  readonly seal: Buffer | null;
  readonly seal_key: string | null;
  readonly linked_calculation_id: string | null;
}

/** A row with everything that its seal covers, and the estimate that is linked with it now. */
export interface StoredContribution extends SealedContribution {
  readonly linkedCalculationId: string | null;
}

function readSealedRow(row: SealedRow): StoredContribution {
  const { failure_reason: reason, failure_drafted_by: draftedBy, failure_approved_by: approvedBy } = row;
  return {
    ...readContributionFields(row),
    failure: { reason, draftedBy, approvedBy },
    seal: row.seal,
    sealKey: row.seal_key,
    linkedCalculationId: row.linked_calculation_id,
  };
}

const LIST: Statement = {
  name: 'list_sealed_contributions',
  text: `select ${SEALED_COLUMNS}, c.failure_reason, c.failure_drafted_by, c.failure_approved_by, c.seal, c.seal_key, (
        select k.calculation_id from emissions_link k where k.partner_id = $1 and k.transaction_id = c.transaction_id
      ) as linked_calculation_id
    from contribution c where c.partner_id = $1 and c.transaction_id = any($2)`,
};

const TIMEOUT_MS = 4_500;

/**
 * Finds contributions of one partner by their ids, in no order; missing ones are left out. Each is one look-up in the index of its key. It is planned for
 * the current rows, because with a plan from an almost empty table each might read all rows of the partner.
 */
export async function listSealedContributions(
  db: Queryable,
  partnerId: string,
  transactionIds: readonly string[],
): Promise<StoredContribution[]> {
  const long = { timeoutMs: TIMEOUT_MS };
  return (await runLong<SealedRow & Record<string, unknown>>(db, LIST, [partnerId, transactionIds], long)).map(readSealedRow);
}

const UPDATE_UNSEALED: Statement = {
  name: 'update_contributions_unsealed',
  text: `update contribution c set seal_key = $2, seal = ${sealOf('unsealed.mac', ['c.created_at', 'c.confirmed_at', 'c.failed_at'])}
    from unnest($3::text[], $4::text[], $5::text[]) as unsealed (transaction_id, status, mac)
    where c.partner_id = $1 and c.transaction_id = any ($3::text[]) and c.transaction_id = unsealed.transaction_id and c.seal is null and c.status = unsealed.status`,
};

/**
 * Seals rows of one partner, except those that were sealed, or changed their status, after they were read. Nothing else of a row changes.
 */
export async function updateContributionsUnsealed(
  db: Queryable,
  partnerId: string,
  unsealed: readonly {
    readonly contribution: Pick<SealedContribution['contribution'], 'transactionId' | 'status'>;
    readonly part: SealPart;
  }[],
): Promise<void> {
  const [first] = unsealed;
  if (!first) return;
  const ids = unsealed.map(({ contribution: { transactionId } }) => transactionId);
  const statuses = unsealed.map(({ contribution: { status } }) => status);
  const macs = unsealed.map(({ part: { mac } }) => mac);
  await runLong(db, UPDATE_UNSEALED, [partnerId, first.part.keyId, ids, statuses, macs], { timeoutMs: TIMEOUT_MS });
}

const UPDATE: Statement = {
  name: 'update_contribution_seal',
  text: `update contribution set seal_key = $3, seal = ${sealOf('$4::text', ['created_at', 'confirmed_at', 'failed_at'])}
    where partner_id = $1 and transaction_id = $2`,
};

/** Seals a row as it is; the caller has locked and checked it. */
export async function updateContributionSeal(
  db: Queryable,
  { partnerId, transactionId }: ContributionId,
  { keyId, mac }: SealPart,
): Promise<void> {
  await run(db, UPDATE, [partnerId, transactionId, keyId, mac]);
}

const ANY: Statement = { name: 'has_contributions', text: 'select transaction_id from contribution limit 1' };

/** Whether there is any, of any partner. */
export async function hasContributions(db: Queryable): Promise<boolean> {
  return (await run(db, ANY, [])).length > 0;
}
