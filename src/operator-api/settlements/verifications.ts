import { getPartner } from '../../operations/access/manage-partner.ts';
import { readClock } from '../../store/clock.ts';
import { operatorRoute } from '../route.ts';
import { count, idParams, listOf, nullableIntegerText, nullableText, nullableTime, oneOf, shape, text } from '../schema-parts.ts';
import type { VerificationRun } from './verification-runs.ts';

const STATUSES = ['none', 'running', 'done', 'failed'] as const;
const PROBLEMS_MAX = 100;

const VerificationBody = shape('Verification', {
  status: oneOf(STATUSES, '`none` before the first since the service started; `failed` where the database did not answer.'),
  started_at: nullableTime('When it began.'),
  ended_at: nullableTime('When it ended; `null` before.'),
  settlements: count('How many settlements were verified.'),
  lines: count('How many lines were read.'),
  problem_count: count('How many modified records were found.'),
  problems: listOf(
    shape('SettlementProblem', {
      settlement_id: nullableText('The settlement; `null` for a record that is on none.'),
      line_no: nullableIntegerText('The line; `null` where it is about none.'),
      code: text('What is wrong, for programs.'),
      message: text('What is wrong.'),
    }),
    'The first 100 of them.',
  ),
});

function verificationToWire(one: VerificationRun | undefined) {
  const { problems = [] } = one ?? {};
  return {
    status: one?.status ?? 'none',
    started_at: one?.startedAt ?? null,
    ended_at: one?.endedAt ?? null,
    settlements: one?.settlements ?? 0,
    lines: one?.lines ?? 0,
    problem_count: problems.length,
    problems: problems.slice(0, PROBLEMS_MAX).map(({ settlementId, lineNo, code, message }) => ({
      settlement_id: settlementId,
      line_no: lineNo === null ? null : String(lineNo),
      code,
      message,
    })),
  };
}

const shared = {
  path: '/operator/v1/partners/:partner_id/verification',
  tag: 'Settlements',
  leastRole: 'viewer',
  params: idParams('partner_id', 'The id of the partner.'),
  answer: VerificationBody,
} as const;

export const verifySettlements = operatorRoute({
  ...shared,
  operation: 'verifySettlements',
  method: 'POST',
  summary: 'Verify the settlements of a partner: their lines, contributions, statements and acknowledgements',
  description:
    'It runs in the background, and changes nothing. The daily verification is the job `verify`. While one of this partner runs, that one is shown.',
  async handle({ tools, params: { partner_id: partnerId } }) {
    await getPartner(tools.database.pool, partnerId);
    return verificationToWire(tools.shared.verifications.begin(partnerId, await readClock(tools.database.pool)));
  },
});

export const getVerification = operatorRoute({
  ...shared,
  operation: 'getVerification',
  method: 'GET',
  summary: 'Show the verification that runs, or the last one since the service started',
  async handle({ tools, params: { partner_id: partnerId } }) {
    return verificationToWire(tools.shared.verifications.of(partnerId));
  },
});
