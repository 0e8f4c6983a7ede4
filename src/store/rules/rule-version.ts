import { amountText, readAmount } from '../../domain/numbers/money.ts';
import type { RuleHead, RuleKind, RuleVersion } from '../../domain/rules/rule-versions.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import { run, type Statement } from '../query.ts';

/** A version with the times of its creation and its withdrawal. */
export type RuleRecord = RuleVersion & { readonly createdAt: Date; readonly withdrawnAt: Date | null };

/** A label belongs to one version of its kind. */
export type RuleName = Pick<RuleHead, 'kind' | 'version'>;

interface RuleRow extends Record<string, unknown> {
  readonly kind: RuleKind;
  readonly version: string;
  readonly partner_id: string | null;
  readonly starts_at: Date;
  readonly points_min: bigint;
  readonly points_max: bigint;
  readonly reviews_everything: boolean;
  readonly review_threshold: bigint | null;
  readonly daily_points_cap: bigint | null;
  readonly daily_count_cap: bigint | null;
  readonly point_value: string | null;
  readonly tree_cost: string | null;
  readonly currency: string | null;
  readonly created_at: Date;
  readonly withdrawn_at: Date | null;
}

const COLUMNS = `kind, version, partner_id, starts_at, points_min, points_max, reviews_everything, review_threshold, daily_points_cap,
    daily_count_cap, point_value, tree_cost, currency, created_at, withdrawn_at`;

function readRuleRow(row: RuleRow): RuleRecord {
  const head = {
    version: row.version,
    startsAt: row.starts_at,
    partnerId: row.partner_id,
    createdAt: row.created_at,
    withdrawnAt: row.withdrawn_at,
  };
  switch (row.kind) {
    case 'contribution_rule':
      return {
        ...head,
        kind: row.kind,
        pointsMin: row.points_min,
        pointsMax: row.points_max,
        reviewsEverything: row.reviews_everything,
        reviewThreshold: row.review_threshold,
        dailyPointsCap: row.daily_points_cap,
        dailyCountCap: row.daily_count_cap,
      };
    case 'point_conversion':
      return { ...head, kind: row.kind, pointValue: readPrice(row.point_value), currency: row.currency };
    case 'tree_cost':
      return { ...head, kind: row.kind, treeCost: readPrice(row.tree_cost), currency: row.currency };
    default:
      // A row of no kind, which somebody wrote into the table: in force for nobody; verifications report it.
      return { ...head, kind: row.kind } as never;
  }
}

function readPrice(text: string | null): bigint | null {
  const price = text === null ? null : readAmount(text);
  if (price === undefined) throw new Error(`Not a price with at most twelve decimals: ${text}`);
  return price;
}

const INSERT: Statement = {
  name: 'insert_rule_version',
  text: `insert into rule_version (kind, version, partner_id, starts_at, points_min, points_max, reviews_everything, review_threshold,
      daily_points_cap, daily_count_cap, point_value, tree_cost, currency, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, ${NOW}) returning ${COLUMNS}`,
};

/** In a transaction that has raised the revision. */
export async function insertRuleVersion(db: Queryable, rule: RuleVersion): Promise<RuleRecord> {
  const bounds = rule.kind === 'contribution_rule' ? rule : undefined;
  const pointValue = rule.kind === 'point_conversion' ? rule.pointValue : null;
  const treeCost = rule.kind === 'tree_cost' ? rule.treeCost : null;
  const [row] = await run<RuleRow>(db, INSERT, [
    rule.kind,
    rule.version,
    rule.partnerId,
    rule.startsAt,
    bounds?.pointsMin,
    bounds?.pointsMax,
    bounds?.reviewsEverything,
    bounds?.reviewThreshold,
    bounds?.dailyPointsCap,
    bounds?.dailyCountCap,
    pointValue === null ? null : amountText(pointValue),
    treeCost === null ? null : amountText(treeCost),
    rule.kind === 'contribution_rule' ? null : rule.currency,
  ]);
  return readRuleRow(row as RuleRow);
}

const FIND: Statement = {
  name: 'find_rule_version',
  text: `select ${COLUMNS} from rule_version where kind = $1 and version = $2`,
};

/** For any partner, withdrawn or not. */
export async function findRuleVersion(db: Queryable, kind: RuleKind, version: string): Promise<RuleRecord | undefined> {
  const [row] = await run<RuleRow>(db, FIND, [kind, version]);
  return row && readRuleRow(row);
}

const FIND_CONFLICTS: Statement = {
  name: 'find_rule_version_conflicts',
  text: `select ${COLUMNS} from rule_version where kind = $1 and version = $2
    union
    select ${COLUMNS} from rule_version
    where kind = $1 and coalesce(partner_id, '') = coalesce($3, '') and starts_at = $4 and withdrawn_at is null`,
};

/** The versions with the label of a new version, or with its start for the same partners. */
export async function findRuleVersionConflicts(
  db: Queryable,
  { kind, version, partnerId, startsAt }: RuleHead,
): Promise<RuleRecord[]> {
  const at = Number.isNaN(startsAt.getTime()) ? null : startsAt;
  return (await run<RuleRow>(db, FIND_CONFLICTS, [kind, version, partnerId, at])).map(readRuleRow);
}

const LIST = durableRead({
  name: 'list_rule_versions',
  text: `select ${COLUMNS} from rule_version order by kind, starts_at, version`,
});

/** Every version of every kind, withdrawn ones too, by kind and start. */
export async function listRuleVersions(db: Queryable): Promise<RuleRecord[]> {
  return (await run<RuleRow>(db, LIST, [])).map(readRuleRow);
}

/** The index has the versions that are not withdrawn, by kind and partner. */
const LIST_OF_PARTNER: Statement = {
  name: 'list_rule_versions_of_partner',
  text: `select ${COLUMNS} from unnest($2::text[]) as wanted (wanted_kind) cross join unnest(array['', $1::text]) as owner (owner_id)
    cross join lateral (
      select * from rule_version where kind = wanted_kind and coalesce(partner_id, '') = owner_id and withdrawn_at is null
      order by starts_at offset 0
    ) r
    order by kind, coalesce(partner_id, ''), starts_at`,
};

/** The versions of these kinds that are meant for a partner, its own and those for all, without the withdrawn ones. */
export async function listRuleVersionsOf(db: Queryable, partnerId: string, kinds: readonly RuleKind[]): Promise<RuleRecord[]> {
  return (await run<RuleRow>(db, LIST_OF_PARTNER, [partnerId, kinds])).map(readRuleRow);
}

const FIND_NAMED: Statement = {
  name: 'find_rule_versions',
  text: `select ${COLUMNS} from unnest($1::text[], $2::text[]) as wanted (wanted_kind, wanted_version)
    cross join lateral (select * from rule_version where kind = wanted_kind and version = wanted_version limit 1) r`,
};

/** The existing ones of these, withdrawn or not, in any order. */
export async function findRuleVersions(db: Queryable, names: readonly RuleName[]): Promise<RuleRecord[]> {
  const values = [names.map(({ kind }) => kind), names.map(({ version }) => version)];
  return names.length === 0 ? [] : (await run<RuleRow>(db, FIND_NAMED, values)).map(readRuleRow);
}

const WITHDRAW: Statement = {
  name: 'update_rule_version_withdrawn',
  text: `update rule_version set withdrawn_at = ${NOW} where kind = $1 and version = $2 returning ${COLUMNS}`,
};

/** The database refuses it for a version that has started, or is about to. In a transaction that has raised the revision. */
export async function updateRuleVersionWithdrawn(db: Queryable, kind: RuleKind, version: string): Promise<RuleRecord> {
  const [row] = await run<RuleRow>(db, WITHDRAW, [kind, version]);
  return readRuleRow(row as RuleRow);
}

const RAISE: Statement = {
  name: 'update_rule_revision',
  text: "update rule_revision set revision = revision + 1 where only_row returning date_trunc('milliseconds', clock_timestamp()) as now",
};

/**
 * Makes every process read the versions again, once the transaction is committed. Locks the versions until then, so that what the
 * transaction reads stays true.
 *
 * @returns The database's time.
 */
export async function raiseRuleRevision(db: Queryable): Promise<Date> {
  const [row] = await run<{ now: Date }>(db, RAISE, []);
  if (!row) throw new Error('The table rule_revision has lost its row.');
  return row.now;
}

const READ: Statement = {
  name: 'read_rule_revision',
  text: "select revision, date_trunc('milliseconds', clock_timestamp()) as now from rule_revision where only_row",
};

/** Changes with the versions. `now` is the database's time at some moment of the call. */
export async function readRuleRevision(db: Queryable): Promise<{ readonly revision: bigint; readonly now: Date }> {
  const [row] = await run<{ revision: bigint; now: Date }>(db, READ, []);
  if (!row) throw new Error('The table rule_revision has lost its row.');
  return row;
}
