import { approveFailure, draftFailure, rejectFailure } from '../../operations/contributions/record-failure.ts';
import { findOperator } from '../../store/access/operator.ts';
import { type FailureDraft, listAllFailureDrafts, listFailureDrafts } from '../../store/contributions/failure-draft.ts';
import type { Queryable } from '../../store/database.ts';
import { failureToWire } from '../../wire/failure-to-wire.ts';
import { confirm, confirmAtTerminal, YES } from '../terminal/confirmation.ts';
import { integerReader } from '../terminal/options.ts';
import { formatTime, printFields, printJson, type Row } from '../terminal/output.ts';
import { type PageOptions, printPage, readAfterId } from '../terminal/page.ts';
import { readPartnerNames } from '../terminal/partner-names.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface DraftOptions {
  readonly partner: string;
  readonly partnerEventId: string;
  readonly order: string;
  readonly points: bigint;
  readonly reason: string;
  readonly json?: boolean;
}

interface Target {
  readonly partner: string;
  readonly failure: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const readPoints = integerReader('a whole number of points, 1 to 9223372036854775807');

export function failureCommand(): ProgramCommand {
  const failure = new ProgramCommand('failure').description('failures: refused events that two operators record as failed');
  failure
    .command('draft')
    .description('first operator: draft the failure of an event that can never be confirmed')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .requiredOption('--partner-event-id <id>', "the partner's id of the event")
    .formerly('event', 'partner-event-id')
    .requiredOption('--order <ref>', 'its partner_order_ref')
    .requiredOption('--points <n>', 'the points that the partner has deducted', readPoints)
    .requiredOption('--reason <text>', 'reason, stored with the change')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(draftFailure.leastRole, draft));
  failure
    .command('list')
    .description('drafts of a partner, the newest first')
    .requiredOption('--partner <partner>', 'id or name of the partner')
    .paged()
    .action(withOperator('viewer', list));
  const one = (name: string, description: string) =>
    failure
      .command(name)
      .description(description)
      .requiredOption('--partner <partner>', 'id or name of the partner')
      .requiredOption('--failure <id>', 'id of the draft')
      .option('--json', 'one JSON object, for programs');
  one('approve', 'second operator: record the event as failed, permanently; the partner may restore the points')
    .option(...YES)
    .action(withOperator(approveFailure.leastRole, approve));
  one('reject', 'reject a draft, permanently')
    .option(...YES)
    .action(withOperator(rejectFailure.leastRole, reject));
  return failure;
}

async function draft(
  { database, actor }: OperatorContext,
  { partner, partnerEventId, order, points, reason, json }: DraftOptions,
): Promise<void> {
  const never = { partnerId: partner, partnerEventId, partnerOrderRef: order, points, reason };
  print(await draftFailure(database, actor, never), json);
}

async function list({ database: { pool } }: OperatorContext, options: PageOptions & { partner: string }): Promise<void> {
  const page = { beforeId: readAfterId(options, 'fail'), limit: options.limit + 1 };
  const drafts = await listFailureDrafts(pool, options.partner, page);
  printPage(drafts, options, {
    cursorOf: ({ failureId }) => failureId,
    toJson: failureToWire,
    toRow,
    ifNone: 'There is no draft.',
  });
}

async function approve(
  { database, actor }: OperatorContext,
  { partner: partnerId, failure: failureId, yes, json }: Target,
): Promise<void> {
  const what = await describe(database.pool, failureId);
  await confirm(`Record ${what} as failed and authorise the partner to restore the points?`, 'final', yes);
  const approved = await approveFailure(database, actor, { partnerId, failureId });
  print(approved.draft, json);
}

/** The event, and who says on what grounds that it can never be confirmed. */
async function describe(db: Queryable, failureId: string): Promise<string> {
  const [draft] = await listAllFailureDrafts(db, { afterId: '', ids: [failureId], limit: 1 });
  if (!draft) return `the event of ${failureId}`;
  const { partnerId, partnerEventId, partnerOrderRef, points, draftedBy, reason } = draft;
  const partner = (await readPartnerNames(db, [partnerId]))(partnerId);
  const drafter = (await findOperator(db, draftedBy))?.name ?? draftedBy;
  return `the event ${partnerEventId} of ${partner} (order ${partnerOrderRef}, ${points} points; drafted by ${drafter}: ${reason})`;
}

async function reject(
  { database, actor }: OperatorContext,
  { partner: partnerId, failure: failureId, yes, json }: Target,
): Promise<void> {
  await confirmAtTerminal(`Reject the failure of ${await describe(database.pool, failureId)}?`, 'final', yes);
  print(await rejectFailure(database, actor, { partnerId, failureId }), json);
}

function print(failure: FailureDraft, asJson: boolean | undefined): void {
  if (asJson) printJson(failureToWire(failure));
  else printFields({ ...toRow(failure), reason: failure.reason, contribution: failure.transactionId ?? '-' });
}

function toRow(failure: FailureDraft): Row {
  return {
    failure: failure.failureId,
    status: failure.status,
    event: failure.partnerEventId,
    order: failure.partnerOrderRef,
    points: String(failure.points),
    'drafted by': failure.draftedBy,
    'decided by': failure.decidedBy ?? '-',
    drafted: formatTime(failure.draftedAt),
  };
}
