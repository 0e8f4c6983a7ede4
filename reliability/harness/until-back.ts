import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from './installation.ts';

const BACK_WITHIN_MS = 30_000;

export interface KilledPart {
  /** What was killed, in words. */
  readonly killed: string;
  /** Whether another has taken its place. */
  readonly isReplaced: () => boolean;
  readonly report: (violation: string) => void;
}

/** Resolves when a part of the service that was killed is replaced and the service is ready. A service that ended instead is started again. */
export async function untilBack(installation: Installation, { killed, isReplaced, report }: KilledPart): Promise<void> {
  const { pid } = installation.service;
  for (const since = performance.now(); performance.now() - since < BACK_WITHIN_MS; await sleep(5)) {
    if (installation.hasServiceEnded) {
      report(`the service (${pid}) ended when ${killed} was killed:\n${installation.output.slice(-2_000)}`);
      return installation.startService();
    }
    if (isReplaced() && (await installation.isReady())) return;
  }
  report(`${killed} was not replaced ${BACK_WITHIN_MS / 1_000} s after it was killed`);
}
