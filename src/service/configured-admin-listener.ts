import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { type AdminListener, type AdminListenerOptions, openAdminListener } from '../observability/admin-listener.ts';
import type { Database } from '../store/database.ts';
import { checkWritable } from '../store/durability.ts';
import { explainBusyPort } from './ports.ts';

const READINESS_TIMEOUT_MS = 2_000;

export async function openConfiguredAdminListener(
  { operationsHost: host, operationsPort: port, operationsNames }: Config,
  answers: Pick<AdminListenerOptions, 'metrics' | 'checkReadiness' | 'further'>,
): Promise<AdminListener> {
  return openAdminListener({ host, port, names: [host, ...operationsNames], ...answers }).catch(
    explainBusyPort('OPERATIONS_PORT=', port),
  );
}

/**
 * @throws Error With the reason why no contribution can be committed now.
 */
export async function checkDatabase({ pool }: Database): Promise<void> {
  await Promise.race([checkWritable(pool), refuseAfter(READINESS_TIMEOUT_MS)]);
}

async function refuseAfter(timeoutMs: number): Promise<never> {
  await sleep(timeoutMs, undefined, { ref: false });
  throw new Error(`the database did not commit within ${timeoutMs} ms`);
}
