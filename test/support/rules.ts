import type { RuleKind } from '../../src/domain/rules/rule-versions.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { audit } from '../../src/operations/audit/audit.ts';
import { ruleToWire } from '../../src/operations/rules/rule-to-wire.ts';
import { ruleSubject } from '../../src/operations/rules/verified-rules.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import type { Database } from '../../src/store/database.ts';
import { findRuleVersion, type RuleRecord } from '../../src/store/rules/rule-version.ts';
import { inTransaction } from '../../src/store/transaction.ts';
import { OWNER } from './actor.ts';
import { uniqueId } from './client.ts';
import { OPEN_RATES, type TestPartner, type TestService, testService } from './service.ts';

export interface RuleRow {
  /** Of the partner alone; without it for all. */
  readonly partnerId?: string;
  readonly label?: string;
  /** How long from now, such as `-1 day`: time enters as data. */
  readonly starts?: string;
  readonly points_min?: bigint | number;
  readonly points_max?: bigint | number;
  readonly reviews_everything?: boolean;
  readonly review_threshold?: bigint | number;
  readonly daily_points_cap?: bigint | number;
  readonly daily_count_cap?: bigint | number;
}

/** A contribution rule as if it had been made long before. @returns Its label. */
export async function insertContributionRule(database: Database, rule: RuleRow): Promise<string> {
  const { partnerId = null, label = uniqueId('rule'), starts = '-1 day', points_min = 1, points_max = 2n ** 63n - 1n } = rule;
  const text = `insert into rule_version (kind, version, partner_id, starts_at, points_min, points_max, reviews_everything, review_threshold,
      daily_points_cap, daily_count_cap, created_at)
    values ('contribution_rule', $1, $2, date_trunc('milliseconds', now() + $3::interval), $4, $5, $6, $7, $8, $9, now() - interval '30 days') returning starts_at`;
  const caps = [rule.daily_points_cap, rule.daily_count_cap];
  const bounds = [points_min, points_max, rule.reviews_everything ?? false, rule.review_threshold];
  await insertProved(database, 'contribution_rule', { text, values: [label, partnerId, starts, ...bounds, ...caps] });
  return label;
}

interface PriceRow {
  readonly partnerId: string;
  readonly label: string;
  readonly starts: string | Date;
  readonly price: string | null;
  readonly currency?: string;
}

/** What a point is worth, or a tree costs, likewise. @returns Its start. */
export async function insertPrice(
  database: Database,
  kind: 'point_conversion' | 'tree_cost',
  { partnerId, label, starts, price, currency = 'SAR' }: PriceRow,
): Promise<Date> {
  const column = kind === 'tree_cost' ? 'tree_cost' : 'point_value';
  const start = starts instanceof Date ? '$3::timestamptz' : "date_trunc('milliseconds', now() + $3::interval)";
  const text = `insert into rule_version (kind, version, partner_id, starts_at, ${column}, currency, created_at)
    values ('${kind}', $1, $2, ${start}, $4, $5, now() - interval '30 days') returning starts_at`;
  return insertProved(database, kind, { text, values: [label, partnerId, starts, price, price === null ? null : currency] });
}

interface Insert {
  readonly text: string;
  /** The version first. */
  readonly values: readonly [version: string, ...unknown[]];
}

/**
 * With the audit entry that it would have, and so that every process reads it: at once, because a service takes a rule without an entry for
 * one that somebody put in. @returns Its start.
 */
function insertProved(database: Database, kind: RuleKind, { text, values }: Insert): Promise<Date> {
  return inTransaction(database, { lockTimeoutMs: 4_000 }, async (db) => {
    const { rows } = await db.query(text, [...values]);
    const after = (await findRuleVersion(db, kind, values[0])) as RuleRecord;
    const entry = { action: 'rule.create', partnerId: after.partnerId, subjectId: ruleSubject(after), before: null };
    await audit(db, OWNER, { ...entry, after: ruleToWire(after) });
    await db.query('update rule_revision set revision = revision + 1');
    return rows[0].starts_at;
  });
}

interface Served extends TestService {
  readonly usual: TestPartner;
  /** Contributions of 1,000 points or more are reviewed. */
  readonly reviewed: TestPartner;
  /** Contributions of more than 1,000 points are refused. */
  readonly bounded: TestPartner;
}

/** A service with a partner under the default rule and two under rules of their own. */
export async function serviceUnderRules(): Promise<Served> {
  const underRules: Partner[] = [];
  const service = await testService({
    async prepare(database) {
      for (const rule of [{ review_threshold: 1_000 }, { points_max: 1_000 }]) {
        const partner = await createPartner(database, OWNER, 'Under a rule', OPEN_RATES);
        await insertContributionRule(database, { partnerId: partner.partnerId, ...rule });
        underRules.push(partner);
      }
    },
  });
  const usual = await service.newPartner();
  const [reviewed, bounded] = (await Promise.all(underRules.map((of) => service.newPartner({ of })))) as [
    TestPartner,
    TestPartner,
  ];
  return { ...service, usual, reviewed, bounded };
}
