import { CONTRIBUTION_STATUSES } from '../../domain/contributions/contribution-status.ts';
import { BEYOND_VERDICTS, DIFFERING_VERDICTS } from '../../domain/reconciliations/differing-points.ts';
import { MATCHED_POINTS, RECONCILIATION_VERDICTS } from '../../domain/reconciliations/line-verdict.ts';
import { recoveryVerdict } from '../../domain/recovery-verdict.ts';
import { LINE_TYPES } from '../../domain/settlements/settlement-line.ts';
import type { LineWithContribution } from '../../operations/reconciliations/list-lines-with-contributions.ts';
import type { ReconciliationOfPeriod } from '../../operations/reconciliations/list-reconciliations.ts';
import { RECONCILIATION_STATUSES } from '../../store/reconciliations/reconciliation.ts';
import { reconciliationLineToWire, reconciliationToWire } from '../../wire/reconciliation-to-wire.ts';
import {
  count,
  flag,
  integerText,
  listOf,
  nullableIntegerText,
  nullableOneOf,
  nullableShape,
  nullableText,
  nullableTime,
  oneOf,
  shape,
  text,
  time,
} from '../schema-parts.ts';

export const LINE_VERDICTS = [...RECONCILIATION_VERDICTS, 'malformed'] as const;

const counts = <Name extends string>(names: readonly Name[], what: string) =>
  Object.fromEntries(names.map((name) => [name, count(`${what} \`${name}\`.`)])) as Record<Name, ReturnType<typeof count>>;

const BothPoints = shape('BothPoints', {
  listed: integerText('The sum of the points that the list has.'),
  recorded: integerText(
    'The sum of the points that are settled, with adjustments where those of a line are known; 0 of lines that the settlement does not have.',
  ),
});

const OldBothPoints = nullableShape(
  BothPoints,
  'The settlement has no further line for them: `recorded` is 0. `null` of a list that an earlier release received.',
);

const Differing = shape('DifferingPoints', {
  ...(Object.fromEntries(DIFFERING_VERDICTS.map((name) => [name, BothPoints])) as Record<
    (typeof DIFFERING_VERDICTS)[number],
    typeof BothPoints
  >),
  ...(Object.fromEntries(BEYOND_VERDICTS.map((name) => [name, OldBothPoints])) as Record<
    (typeof BEYOND_VERDICTS)[number],
    typeof OldBothPoints
  >),
});

const Total = shape('TotalPoints', {
  listed: integerText('The sum of the points of the list, of every line whose points could be read.'),
  recorded: integerText(
    'The sum of the points of the settlement as contributed: of its contributions, and with a statement of all of its lines.',
  ),
  recorded_net: integerText(
    'The same with adjustments, each line by its `recorded_net_points`: with those up to this settlement where the list has that number, and with all that were posted before the comparison elsewhere.',
  ),
});

export const ReconciliationBody = shape('Reconciliation', {
  partner_id: text('The id of the partner.'),
  reconciliation_id: text('The id of the reconciliation.'),
  settlement_id: text('The settlement with which the list is compared.'),
  period_label: text('The period of the settlement.'),
  uploaded_by: nullableText('The operator who uploaded the list for the partner; `null` when the partner sent it.'),
  status: oneOf(RECONCILIATION_STATUSES, '`done` and `failed` are final.'),
  problem: nullableText('Why the reconciliation failed; `null` otherwise.'),
  format: oneOf(['csv', 'json'], 'The format of the list.'),
  is_statement: flag("Whether the list is the service's own statement: then its adjustments are compared too."),
  listed_lines: integerText('How many lines of the list were read.'),
  compared_settlement_lines: count('How many lines of the settlement were looked for in the list.'),
  counts: shape('VerdictCounts', counts(LINE_VERDICTS, 'Lines with the verdict'), {
    description: 'Final once the status is `done`.',
  }),
  matched_points: shape('MatchedPoints', counts(MATCHED_POINTS, 'Contributions that matched with their points'), {
    description: 'A contribution without adjustments counts as `gross`.',
  }),
  differing_points: nullableShape(
    Differing,
    'The points of the lines by which list and settlement differ; `null` of a list that an earlier release received.',
  ),
  total_points: nullableShape(
    Total,
    'The points of the list and of the settlement, final once the status is `done`; `null` of a list that an earlier release received.',
  ),
  created_at: time('When the list began to arrive.'),
  ended_at: nullableTime('When it ended; `null` before.'),
  lines_removed_at: nullableTime('When its lines were removed, 30 days later; `null` before. The counts stay.'),
});

const BEYOND_UNKNOWN = Object.fromEntries(BEYOND_VERDICTS.map((name) => [name, null]));

export function reconciliationOfPartner({ reconciliation, periodLabel }: ReconciliationOfPeriod) {
  const { path: _, ...shown } = reconciliationToWire(reconciliation);
  const { partnerId, uploadedBy, differing, total } = reconciliation;
  return {
    partner_id: partnerId,
    period_label: periodLabel,
    uploaded_by: uploadedBy,
    ...shown,
    differing_points: differing && { ...BEYOND_UNKNOWN, ...differing },
    total_points: total && { listed: total.listed, recorded: total.recorded, recorded_net: total.recordedNet },
  };
}

const points = (description: string) => nullableIntegerText(description);

export const ReconciliationLineBody = shape('ReconciliationLine', {
  position: integerText('The place of the line among all lines.'),
  line_no: points(
    'The line of the file, where the header row is 1, or the place in the array; `null` for one that the list lacks.',
  ),
  verdict: oneOf(LINE_VERDICTS, 'What the comparison found.'),
  line_type: nullableOneOf(LINE_TYPES, 'What it records; `null` for a malformed line without a type.'),
  partner_event_id: nullableText("The partner's id of the contribution, as the list has it, where it is well formed."),
  partner_order_ref: nullableText("The partner's reference of the order, as the list has it, where it is well formed."),
  adjustment_id: nullableText('The adjustment, in a statement.'),
  points: points('The points of the line as the list has them, where they are well formed.'),
  matched_points: nullableOneOf(MATCHED_POINTS, 'Which points of the contribution the list has; `null` for neither.'),
  transaction_id: nullableText('The contribution that the service has for it.'),
  contribution_status: nullableOneOf(
    CONTRIBUTION_STATUSES,
    'The status of that contribution now: only a confirmed one is settled. `null` without one.',
  ),
  recorded_order_ref: nullableText('The order of that contribution.'),
  recorded_points: points('The gross points of that contribution, or of the line.'),
  recorded_net_points: points(
    'The points of that contribution with its adjustments: those up to this settlement where the list has that number, else all posted ones.',
  ),
  settled_points: points(
    'The points of that contribution that are settled now, with every posted adjustment; `null` where it is not confirmed, and of a line of another type.',
  ),
  recorded_settlement_id: nullableText('The settlement that has it; `null` while none has.'),
  details: listOf(
    shape('LineDetail', { field: text('The field.'), code: text('The code.'), message: text('What is wrong, or what to do.') }),
    'What is wrong with a malformed line; of a line that the service lacks, what the partner may and should do.',
  ),
});

export function lineOfList({ line, contribution }: LineWithContribution) {
  const shown = reconciliationLineToWire(line);
  const status = contribution?.status ?? null;
  const hasFailed = line.verdict === 'missing_in_service' && status === 'failed';
  const details = hasFailed ? recoveryVerdict('contribution_final_failure', 'confirm') : shown.details;
  const isSettled = shown.line_type === 'contribution' && status === 'confirmed';
  const settled = isSettled ? (contribution?.netPoints ?? null) : null;
  return { ...shown, contribution_status: status, settled_points: settled, details };
}
