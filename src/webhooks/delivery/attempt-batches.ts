import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../../concurrency/batch-queue.ts';
import { unavailable } from '../../domain/service-error.ts';
import { DELIVERY_LEASE_MS } from '../../domain/webhooks/delivery-lease.ts';
import type { Database } from '../../store/database.ts';
import type { NodeReader } from '../../store/node-reader.ts';
import type { Attempt } from '../../store/webhooks/attempt.ts';
import { type Disabling, type EndpointOutcome, settleAttempts } from './settle-attempts.ts';

export interface AttemptBatchOptions {
  readonly database: Database;
  /** Knows the nodes of a distributed database that do not answer, and asks them again. */
  readonly nodes: NodeReader;
  /** Called for every endpoint that is disabled for its failures. */
  readonly onDisabled: (disabling: Disabling) => void;
  readonly onError: (error: unknown) => void;
  /** Stops the repetitions. */
  readonly signal: AbortSignal;
}

const RECORDS_AT_ONCE = 256;
const RECORDS_WAITING_MAX = 4_096;
const RECORD_AGAIN_AFTER_MS = 1_000;
/** Only this file reads it: the attempt is recorded later. */
const NODE_LOST = unavailable('The node of the partner does not answer.');

/**
 * Records attempts, those that arrive together in one transaction, however long the database is unreachable. Only a stop gives an attempt
 * up, and it is then sent again. Attempts of a node that does not answer, or whose commits wait, wait without holding up those of the others.
 *
 * @returns A function that records one and returns the health of its endpoint; `undefined` when it was given up.
 */
export function openAttemptBatches(options: AttemptBatchOptions): (attempt: Attempt) => Promise<EndpointOutcome | undefined> {
  const { database, nodes, onDisabled, onError, signal } = options;
  const settle = async (
    partnerId: string | undefined,
    attempts: readonly Attempt[],
  ): Promise<(EndpointOutcome | undefined)[]> => {
    const outcomes = await settleAttempts(database, partnerId, attempts);
    for (const { disabledFor, ...endpoint } of outcomes)
      if (disabledFor !== undefined) onDisabled({ ...endpoint, reason: disabledFor });
    const byEndpoint = new Map(outcomes.map((outcome) => [outcome.endpointId, outcome]));
    return attempts.map(({ claimed }) => byEndpoint.get(claimed.endpointId));
  };
  const settleOfOne = async (partnerId: string | undefined, attempts: readonly Attempt[]) => {
    try {
      return await settle(partnerId, attempts);
    } catch (error) {
      if (partnerId !== undefined) await nodes.look(partnerId).catch(onError);
      throw error;
    }
  };
  const record = createBatcher<Attempt, EndpointOutcome | undefined>({
    concurrency: 2,
    batchMax: RECORDS_AT_ONCE,
    waitingMax: RECORDS_WAITING_MAX,
    waitMaxMs: DELIVERY_LEASE_MS,
    shareOf: ({ claimed }) => claimed.partnerId,
    isOfOneShare: database.isDistributed,
    refusalOf: (partnerId) => (nodes.isLost(partnerId) ? NODE_LOST : undefined),
    run: async (attempts) => {
      const ofPartner = [...Map.groupBy(attempts, ({ claimed }) => claimed.partnerId)];
      const [[partnerId] = [undefined]] = ofPartner;
      if (ofPartner.length === 1) return settleOfOne(partnerId, attempts);
      try {
        return await settle(undefined, attempts);
      } catch (error) {
        onError(error);
        // An error for one partner does not affect the others.
        const alone = new Map(ofPartner.map(([id, own]) => [id, settle(id, own).then((ends) => pair(own, ends))]));
        return attempts.map(async (attempt) => (await alone.get(attempt.claimed.partnerId))?.get(attempt));
      }
    },
  });
  return async (attempt) => {
    for (;;) {
      try {
        return await record(attempt);
      } catch (error) {
        if (error !== NODE_LOST) onError(error);
        if (signal.aborted) return undefined;
        await sleep(RECORD_AGAIN_AFTER_MS, undefined, { signal }).catch(() => {});
      }
    }
  };
}

function pair<Key, Value>(keys: readonly Key[], values: readonly Value[]): Map<Key, Value> {
  return new Map(keys.map((key, index) => [key, values[index] as Value]));
}
