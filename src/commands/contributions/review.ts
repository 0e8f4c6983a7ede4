import type { ReviewReason } from '../../domain/rules/contribution-rules.ts';
import { getReview, listOpenReviews, type ReviewedContribution } from '../../operations/contributions/list-reviews.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../operations/contributions/resolve-pending-contribution.ts';
import type { ContributionId, ContributionRecord } from '../../store/contributions/contribution.ts';
import type { Queryable } from '../../store/database.ts';
import { confirm, YES } from '../terminal/confirmation.ts';
import { formatTime, printFields, printJson, type Row } from '../terminal/output.ts';
import { type PageOptions, printPage, readAfterTime } from '../terminal/page.ts';
import { readPartnerNames } from '../terminal/partner-names.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { readDone } from '../terminal/read-done.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';
import { describeContribution } from './describe-contribution.ts';

interface Target {
  readonly partner: string;
  readonly transaction: string;
  readonly json?: boolean;
}

interface Decision extends Target {
  readonly reason: string;
  readonly yes?: boolean;
}

export function reviewCommand(): ProgramCommand {
  const review = new ProgramCommand('review').description('reviews: pending contributions that an operator confirms or fails');
  review
    .command('list')
    .description('pending contributions, the oldest first')
    .option('--partner <partner>', 'only of this partner')
    .paged()
    .action(withOperator('viewer', list));
  const one = (name: string, description: string) =>
    review
      .command(name)
      .description(description)
      .requiredOption('--partner <partner>', 'id or name of the partner')
      .requiredOption('--transaction <id>', 'id of the contribution')
      .option('--json', 'one JSON object, for programs');
  one('show', 'one contribution and its review').action(withOperator('viewer', show));
  one('confirm', 'confirm a pending contribution, permanently')
    .requiredOption('--reason <text>', 'reason, stored with the change')
    .option(...YES)
    .action(withOperator(confirmPendingContribution.leastRole, confirmPending));
  one('fail', 'fail a pending contribution, permanently; the partner may restore the points')
    .requiredOption('--reason <text>', 'reason, stored with the change')
    .option(...YES)
    .action(withOperator(failPendingContribution.leastRole, fail));
  return review;
}

async function list({ database }: OperatorContext, options: PageOptions & { partner?: string }): Promise<void> {
  const [, openedAt, transactionId = ''] = readAfterTime(options, /^(\S+)\/(txn\S+)$/) ?? [];
  const after = openedAt === undefined ? undefined : [openedAt, transactionId];
  const order = { by: 'opened_at', isDescending: false } as const;
  const filter = { partnerId: options.partner };
  const { page: reviews } = await listOpenReviews(database, filter, { order, after, limit: options.limit + 1 });
  const cursorOf = ({ record, review }: ReviewedContribution) =>
    `${review?.openedAt.toISOString()}/${record.contribution.transactionId}`;
  const names = await readPartnerNames(
    database.pool,
    reviews.map(({ record }) => record.partnerId),
  );
  const presentation = { cursorOf, toJson, toRow: (each: ReviewedContribution) => toRow(each, names) };
  printPage(reviews, options, { ...presentation, ifNone: 'No contribution is pending.' });
}

async function show(
  { database: { pool } }: OperatorContext,
  { partner: partnerId, transaction: transactionId, json }: Target,
): Promise<void> {
  print(await readShown(pool, { partnerId, transactionId }), json);
}

async function confirmPending(
  { database, actor }: OperatorContext,
  { partner: partnerId, transaction: transactionId, reason, yes, json }: Decision,
): Promise<void> {
  const id = { partnerId, transactionId };
  await confirm(`Confirm ${await describe(database.pool, id)}?`, 'final', yes);
  await printDecided(database.pool, await confirmPendingContribution(database, actor, id, reason), json);
}

async function fail(
  { database, actor }: OperatorContext,
  { partner: partnerId, transaction: transactionId, reason, yes, json }: Decision,
): Promise<void> {
  const id = { partnerId, transactionId };
  const what = await describe(database.pool, id);
  await confirm(`Fail ${what} and authorise the partner to restore the points?`, 'final', yes);
  await printDecided(database.pool, await failPendingContribution(database, actor, id, reason), json);
}

async function describe(db: Queryable, id: ContributionId): Promise<string> {
  return describeContribution(db, (await getReview(db, id)).record);
}

interface Shown {
  readonly reviewed: ReviewedContribution;
  readonly nameOf: (partnerId: string) => string;
}

async function readShown(db: Queryable, id: ContributionId): Promise<Shown> {
  const reviewed = await getReview(db, id);
  return { reviewed, nameOf: await readPartnerNames(db, [id.partnerId]) };
}

function print({ reviewed, nameOf }: Shown, asJson: boolean | undefined): void {
  if (asJson) printJson(toJson(reviewed));
  else printFields(toFields(reviewed, nameOf));
}

async function printDecided(
  db: Queryable,
  { partnerId, contribution: { transactionId, status } }: ContributionRecord,
  asJson: boolean | undefined,
): Promise<void> {
  const shown = await readDone('review show', () => readShown(db, { partnerId, transactionId }));
  if (shown) print(shown, asJson);
  else if (asJson) printJson({ partner_id: partnerId, transaction_id: transactionId, status });
}

function ageSeconds({ contribution: { createdAt } }: ReviewedContribution['record']): number {
  return Math.max(0, Math.round((Date.now() - createdAt.getTime()) / 1000));
}

function toJson({ record, review }: ReviewedContribution): object {
  const { partnerId, contribution, associationOutcome, rejectionCode, calculationId } = record;
  return {
    partner_id: partnerId,
    transaction_id: contribution.transactionId,
    partner_event_id: contribution.partnerEventId,
    partner_order_ref: contribution.partnerOrderRef,
    status: contribution.status,
    points: contribution.points,
    contribution_rule_version: contribution.contributionRuleVersion,
    calculation_id: calculationId,
    association: { status: associationOutcome, rejection_code: rejectionCode },
    review_reason: review?.reason ?? null,
    counted_on: review?.countedOn ?? null,
    age_seconds: ageSeconds(record),
    created_at: contribution.createdAt.toISOString(),
    resolved_at: review?.resolvedAt?.toISOString() ?? null,
    resolved_by: review?.resolvedBy ?? null,
    reason: review?.note ?? null,
  };
}

const REASONS: Record<ReviewReason, string> = {
  reviews_everything: 'all are reviewed',
  review_threshold: 'review threshold',
  daily_points_cap: 'daily cap on points',
  daily_count_cap: 'daily cap on contributions',
  sandbox_scenario: 'sandbox scenario',
};

function toRow({ record, review }: ReviewedContribution, nameOf: (partnerId: string) => string): Row {
  const { partnerId, contribution } = record;
  return {
    contribution: contribution.transactionId,
    partner: nameOf(partnerId),
    points: String(contribution.points),
    why: review ? REASONS[review.reason] : '-',
    age: formatAge(ageSeconds(record)),
    created: formatTime(contribution.createdAt),
  };
}

function toFields(reviewed: ReviewedContribution, nameOf: (partnerId: string) => string): Row {
  const { record, review } = reviewed;
  return {
    ...toRow(reviewed, nameOf),
    status: record.contribution.status,
    event: record.contribution.partnerEventId,
    order: record.contribution.partnerOrderRef,
    rule: record.contribution.contributionRuleVersion,
    'counted on': review?.countedOn ?? '-',
    estimate: record.calculationId ?? '-',
    resolved: formatTime(review?.resolvedAt ?? null),
    'resolved by': review?.resolvedBy ?? '-',
    reason: review?.note ?? '-',
  };
}

/** `3 h 20 min` */
function formatAge(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes} min`;
}
