import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../domain/identifiers.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { getPartner } from '../../operations/access/manage-partner.ts';
import type { SettlementProblem } from '../../operations/settlements/settlement-problem.ts';
import { verifySettlements } from '../../operations/settlements/verify-settlements.ts';
import { readClock } from '../../store/clock.ts';
import type { OperatorApiTools } from '../app.ts';
import { operatorRoute } from '../route.ts';
import { count, idParams, listOf, nullableIntegerText, nullableText, nullableTime, oneOf, shape, text } from '../schema-parts.ts';

/** A verification under way, or the last one. It is kept in memory: it changes nothing, and can be made again. */
interface Verification {
  status: 'running' | 'done' | 'failed';
  readonly startedAt: Date;
  endedAt: Date | null;
  settlements: number;
  lines: number;
  problems: readonly SettlementProblem[];
}

const STATUSES = ['none', 'running', 'done', 'failed'] as const;
/** Each reads every line of a partner, on connections that people wait for. */
const RUNNING_MAX = 2;
const PROBLEMS_MAX = 100;

const known = new WeakMap<OperatorApiTools, Map<string, Verification>>();

function verificationsOf(tools: OperatorApiTools): Map<string, Verification> {
  const kept = known.get(tools) ?? new Map<string, Verification>();
  known.set(tools, kept);
  return kept;
}

function begin(tools: OperatorApiTools, partnerId: string, startedAt: Date): Verification {
  const all = verificationsOf(tools);
  const running = [...all].filter(([, { status }]) => status === 'running');
  const own = running.find(([id]) => id === partnerId)?.[1];
  if (own) return own;
  if (running.length >= RUNNING_MAX) throw tooMany();
  const begun: Verification = {
    status: 'running',
    startedAt,
    endedAt: null,
    settlements: 0,
    lines: 0,
    problems: [],
  };
  all.set(partnerId, begun);
  void run(tools, partnerId, begun);
  return begun;
}

async function run(tools: OperatorApiTools, partnerId: string, begun: Verification): Promise<void> {
  const { database, settlementTools, onUnexpectedError } = tools;
  const beganAtMs = performance.now();
  let since = beganAtMs;
  const options = {
    signLike: settlementTools.signLike,
    onProgress: (lines: number) => {
      begun.lines = lines;
    },
    // As long as the work before it: whoever clicks has the other half of the time.
    pause: async () => {
      await sleep(performance.now() - since);
      since = performance.now();
    },
  };
  try {
    Object.assign(begun, await verifySettlements(database, partnerId, options), { status: 'done' });
  } catch (error) {
    // It is about the database, and no problem of a record: the person begins again, and the log has the reason.
    begun.status = 'failed';
    onUnexpectedError(error, newId('corr'));
  }
  // By the same clock as its beginning, also while the database does not answer.
  begun.endedAt = new Date(begun.startedAt.getTime() + Math.round(performance.now() - beganAtMs));
}

function tooMany(): ServiceError {
  const message = `${RUNNING_MAX} verifications of other partners are in progress. Wait until one ends, then start this one again.`;
  return new ServiceError('rate_limited', message, { headers: { 'retry-after': '10' } });
}

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

function verificationToWire(one: Verification | undefined) {
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

export const verify = operatorRoute({
  ...shared,
  operation: 'verifySettlements',
  method: 'POST',
  summary: 'Verify the settlements of a partner: their lines, contributions, statements and acknowledgements',
  description:
    'It runs in the background, and changes nothing. The daily verification is the job `verify`. While one of this partner runs, that one is shown.',
  async handle({ tools, params: { partner_id: partnerId } }) {
    await getPartner(tools.database.pool, partnerId);
    return verificationToWire(begin(tools, partnerId, await readClock(tools.database.pool)));
  },
});

export const getVerification = operatorRoute({
  ...shared,
  operation: 'getVerification',
  method: 'GET',
  summary: 'Show the verification that runs, or the last one since the service started',
  async handle({ tools, params: { partner_id: partnerId } }) {
    return verificationToWire(verificationsOf(tools).get(partnerId));
  },
});
