import { UnknownLogins } from '../operations/access/unknown-login-attempts.ts';
import { UNCOUNTED } from '../operations/quotas/storage-usage.ts';
import { createReconcileSettlement, type ReconcileSettlement } from '../operations/reconciliations/reconcile-settlement.ts';
import { pricesUnderRules } from '../operations/rules/rule-prices.ts';
import { createReadSettlements, type ReadSettlements } from '../operations/settlements/read-settlements.ts';
import { type BeginTransfer, shareTransfers } from '../partner-api/limits/transfers.ts';
import type { OperatorApiOptions } from './app.ts';
import { FileHasher } from './http/hash-upload.ts';
import { operatorTurns, type TakeTurn } from './http/operator-turns.ts';
import { VerificationRuns } from './settlements/verification-runs.ts';

/** What the requests of one interface share in memory. It is lost with the process, and no other interface of the process has it. */
export interface SharedState {
  /** Of all routes. */
  readonly readInTurn: TakeTurn;
  /** Of all lists. */
  readonly exportInTurn: TakeTurn;
  readonly signInInTurn: TakeTurn;
  readonly unknownLogins: UnknownLogins;
  readonly beginList: BeginTransfer;
  readonly files: FileHasher;
  readonly verifications: VerificationRuns;
  /** Remembers what it has added up. */
  readonly settlements: ReadSettlements;
  readonly reconcile: ReconcileSettlement;
}

/**
 * As many at once as the interface has connections: more would only wait for them. Some screens of each of a dozen operators may wait, for
 * less than the deadline of a request, so that it is told what happened.
 */
const READS = { atOnce: 4, waitingMax: 256, waitMaxMs: 8_000 };
/** They wait less long than a stream may be without data; more of them than connections of the admin listener do not exist. */
const EXPORTS = { atOnce: 2, waitingMax: 1_024, waitMaxMs: 20_000 };
/**
 * Each sign-in costs a fifth of a second, one after another, whoever asks. Connections take turns, of which the listener has 64: the
 * requests that anybody sends keep nobody waiting for 20 s.
 */
const SIGN_INS = { atOnce: 4, waitingMax: 256, waitMaxMs: 20_000 };
/** Half of the deadline of what shows totals: an adjustment that was posted is shown with them. */
const SUM_TURN_MS = 10_000;

export function createSharedState(options: OperatorApiOptions): SharedState {
  const { database } = options;
  return {
    readInTurn: operatorTurns(READS),
    exportInTurn: operatorTurns(EXPORTS),
    signInInTurn: operatorTurns(SIGN_INS),
    unknownLogins: new UnknownLogins(),
    beginList: shareTransfers({ name: 'lists', perPartner: 2, inAll: 8 }),
    files: new FileHasher(),
    verifications: new VerificationRuns(options),
    settlements: createReadSettlements(database, pricesUnderRules, { concurrency: 2 }, { turnMs: SUM_TURN_MS }),
    reconcile: createReconcileSettlement(database, UNCOUNTED),
  };
}
