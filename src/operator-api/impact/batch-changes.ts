import type { TProperties } from 'typebox';
import type { Role } from '../../domain/access/role.ts';
import { ENVIRONMENTAL_STATUSES, type EnvironmentalStatus } from '../../domain/impact/environmental-status.ts';
import { type BatchChange, changeImpactBatch } from '../../operations/impact/change-impact-batch.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { Database } from '../../store/database.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';
import { closed, idParams, integerText, oneOf, reasonOfChange } from '../schema-parts.ts';
import { BatchBody, batchToWire, expectedChangeNo, readExpected } from './impact-schemas.ts';
import { readTrees } from './read-trees.ts';

const expectedSettlementCount = Type.Optional(
  integerText(
    'How many settlements the operator has seen in the batch (`settlement_count`): where others were added, it is refused.',
  ),
);
const project = Type.String({ minLength: 1, maxLength: 64, description: 'The project.' });

type Wanted = BatchChange extends infer Change
  ? Change extends BatchChange
    ? Omit<Change, 'reason' | 'expectedChangeNo' | 'expectedSettlementCount'>
    : never
  : never;

type Stated = Readonly<Record<string, string>>;

interface OfEveryStep {
  readonly reason?: string;
  readonly expected_change_no?: string;
  readonly expected_settlement_count?: string;
}

interface Step {
  readonly operation: string;
  /** The end of the path. */
  readonly step: string;
  readonly summary: string;
  readonly description?: string;
  readonly leastRole?: Role;
  readonly needsRecentSignIn?: boolean;
  readonly body?: TProperties;
  readonly read: (body: Stated) => Wanted;
}

/** A change of a batch, with the batch as it is from then on. Partners with contributions in it get an event. */
function changeRoute({ step, body = {}, read, leastRole = changeImpactBatch.leastRole, ...route }: Step): OperatorRoute {
  return operatorRoute({
    ...route,
    method: 'POST',
    path: `/operator/v1/impact-batches/:impact_batch_id/${step}`,
    tag: 'Impact',
    leastRole,
    isFinal: true,
    deadlineMs: 20_000,
    params: idParams('impact_batch_id', 'The id of the batch.'),
    body: Type.Object(
      {
        ...body,
        reason: reasonOfChange,
        expected_change_no: expectedChangeNo,
        expected_settlement_count: expectedSettlementCount,
      },
      closed,
    ),
    answer: BatchBody,
    handle: ({ tools, actor, work, params: { impact_batch_id: id }, body: sent }) => {
      const {
        reason: why = null,
        expected_change_no: changeNo,
        expected_settlement_count: count,
        ...stated
      } = sent as OfEveryStep;
      const seen = { expectedChangeNo: readExpected(changeNo), expectedSettlementCount: readExpected(count) };
      const wanted = { ...read(stated as Stated), reason: why, ...seen } as BatchChange;
      return work.answer(tools.database, (database: Database) => changeImpactBatch(database, actor, id, wanted), batchToWire);
    },
  });
}

/** `verified` is a route of its own, because it takes another role. */
const STEPS = ENVIRONMENTAL_STATUSES.filter((status) => status !== 'recorded' && status !== 'verified');

export const advanceImpactBatch = changeRoute({
  operation: 'advanceImpactBatch',
  step: 'advance',
  summary: 'Record the next status of an impact batch, permanently',
  description: 'Partners with contributions in it get an event. `funded` says that its trees are paid for.',
  needsRecentSignIn: true,
  body: {
    to: oneOf(STEPS, 'The next status.'),
    project_id: Type.Optional(project),
  },
  read: ({ to, project_id: projectId }) => ({ changeType: 'advanced', to: to as EnvironmentalStatus, projectId }),
});

export const verifyImpactBatch = changeRoute({
  operation: 'verifyImpactBatch',
  step: 'verify',
  summary: 'Verify a delivered impact batch, permanently',
  description:
    'Four eyes: another person than who recorded the delivery, and than who last corrected its trees. It needs evidence. Partners get an event.',
  leastRole: 'approver',
  needsRecentSignIn: true,
  read: () => ({ changeType: 'advanced', to: 'verified' }),
});

export const delayImpactBatch = changeRoute({
  operation: 'delayImpactBatch',
  step: 'delay',
  summary: 'Record a delay of an impact batch',
  body: {
    expected_delivery_period: Type.String({
      minLength: 4,
      maxLength: 7,
      description: 'When delivery is expected: `2027`, `2027-Q2` or `2027-05`.',
    }),
  },
  read: ({ expected_delivery_period: period = '' }) => ({ changeType: 'delayed', expectedDeliveryPeriod: period }),
});

export const reallocateImpactBatch = changeRoute({
  operation: 'reallocateImpactBatch',
  step: 'reallocate',
  summary: 'Give an impact batch to another project, because the first cannot deliver',
  description: 'The batch is `allocated` again, and has to be funded again.',
  needsRecentSignIn: true,
  body: { project_id: project },
  read: ({ project_id: projectId = '' }) => ({ changeType: 'reallocated', projectId }),
});

export const correctImpactBatch = changeRoute({
  operation: 'correctImpactBatch',
  step: 'correct',
  summary: 'Correct the number of trees of an impact batch',
  description: 'A verified batch is corrected by an approver, who is another person than who verified it.',
  needsRecentSignIn: true,
  body: { quantity: Type.String({ minLength: 1, maxLength: 20, description: 'Whole trees, in digits.' }) },
  read: ({ quantity = '' }) => ({ changeType: 'corrected', quantity: readTrees(quantity) }),
});
