/** Waiting for what must come: events at their endpoints, and their record in the database. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/store/database.ts';
import { progress } from '../harness/report.ts';
import type { ArrivalLog } from './arrival-log.ts';
import { makeRetriesDue, readBacklog } from './database.ts';
import type { Endpoint, Member } from './members.ts';

interface Waiting {
  readonly database: Database;
  readonly arrivalLog: ArrivalLog;
  readonly members: readonly Member[];
  /** Which of the endpoints must get everything. */
  readonly isAwaited: (endpoint: Endpoint) => boolean;
  readonly report: (violation: string) => void;
}

const LOOK_EVERY_MS = 500;
const MAKE_DUE_EVERY = 4;
const SAY_EVERY = 20;
/** Half as long again as a process that died holds what it was to send. */
const PATIENCE_MS = 90_000;

/** Resolves when every awaited endpoint has every event so far; its retries are moved up meanwhile. */
export async function untilDelivered(waiting: Waiting): Promise<void> {
  const { database, arrivalLog, members, isAwaited } = waiting;
  const endpointIds = members.flatMap(({ endpoints }) => endpoints.filter(isAwaited).map(({ endpointId }) => endpointId));
  await untilNone('events have not arrived', waiting, async (look) => {
    if (look % MAKE_DUE_EVERY === 0) await makeRetriesDue(database, endpointIds);
    const { events } = await readBacklog(database);
    return sum(
      members.flatMap(({ partnerId, endpoints }) =>
        endpoints.filter(isAwaited).map(({ number }) => (events.get(partnerId) ?? 0) - arrivalLog.countAcknowledged(number)),
      ),
    );
  });
}

/** Resolves when the database says of all these that they are delivered. */
export async function untilRecorded(waiting: Waiting): Promise<void> {
  const { database, members, isAwaited } = waiting;
  await untilNone('deliveries are not recorded as such', waiting, async () => {
    const { undelivered } = await readBacklog(database);
    return sum(
      members.flatMap(({ endpoints }) => endpoints.filter(isAwaited).map(({ endpointId }) => undelivered.get(endpointId) ?? 0)),
    );
  });
}

async function untilNone(what: string, { report }: Waiting, count: (look: number) => Promise<number>): Promise<void> {
  let [fewest, fewestAt] = [Number.POSITIVE_INFINITY, performance.now()];
  for (let look = 0; ; look++) {
    const left = await count(look).catch(unknownWhileAway);
    if (left === 0) return;
    if (left < fewest) [fewest, fewestAt] = [left, performance.now()];
    if (look % SAY_EVERY === SAY_EVERY - 1) progress(`${left} ${what} yet`);
    if (performance.now() - fewestAt > PATIENCE_MS)
      return report(`${left} ${what}, and nothing has changed for ${PATIENCE_MS / 1_000} s`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** A kill of the service takes its embedded database along, until both are back. */
function unknownWhileAway(error: NodeJS.ErrnoException & { severity?: string }): number {
  // What the server itself says of a statement is another matter, unless it is shutting down.
  if (error.severity !== undefined && !error.code?.startsWith('57P')) throw error;
  return Number.POSITIVE_INFINITY;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
