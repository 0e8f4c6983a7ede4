import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../domain/identifiers.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { SettlementProblem } from '../../operations/settlements/settlement-problem.ts';
import { verifySettlements } from '../../operations/settlements/verify-settlements.ts';
import type { OperatorApiOptions } from '../app.ts';

/** A verification under way, or the last one. It is kept in memory: it changes nothing, and can be made again. */
export interface VerificationRun {
  status: 'running' | 'done' | 'failed';
  readonly startedAt: Date;
  endedAt: Date | null;
  settlements: number;
  lines: number;
  problems: readonly SettlementProblem[];
}

/** Each reads every line of a partner, on connections that people wait for. */
const RUNNING_MAX = 2;

/** The verifications that operators began in the background: of each partner the last one. */
export class VerificationRuns {
  readonly #tools: OperatorApiOptions;
  readonly #runs = new Map<string, VerificationRun>();

  constructor(tools: OperatorApiOptions) {
    this.#tools = tools;
  }

  /** Of a partner, since the service started. */
  of(partnerId: string): VerificationRun | undefined {
    return this.#runs.get(partnerId);
  }

  /**
   * @returns The one that is under way for the partner, or a new one.
   * @throws ServiceError `rate_limited` while two of other partners are under way.
   */
  begin(partnerId: string, startedAt: Date): VerificationRun {
    const running = [...this.#runs].filter(([, { status }]) => status === 'running');
    const own = running.find(([id]) => id === partnerId)?.[1];
    if (own) return own;
    if (running.length >= RUNNING_MAX) throw tooMany();
    const begun: VerificationRun = { status: 'running', startedAt, endedAt: null, settlements: 0, lines: 0, problems: [] };
    this.#runs.set(partnerId, begun);
    void run(this.#tools, partnerId, begun);
    return begun;
  }
}

async function run(tools: OperatorApiOptions, partnerId: string, begun: VerificationRun): Promise<void> {
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
