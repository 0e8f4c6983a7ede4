import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../reliability/harness/free-port.ts';
import { readNodeFlags } from '../../reliability/harness/node-flags.ts';
import { hasEnded, startProgram } from '../../reliability/harness/program.ts';
import type { ConstantRouteSettings } from './constant-route.ts';

const PROGRAM = new URL('constant-route.ts', import.meta.url).pathname;
const READY_WITHIN_MS = 10_000;

export interface ConstantServer {
  readonly baseUrl: string;
  readonly pid: number;
}

/** Starts the constant route in a process of its own, or in as many as the service has. */
export async function startConstantServer(
  settings: Omit<ConstantRouteSettings, 'port'>,
  cleanUp: AsyncDisposableStack,
): Promise<ConstantServer> {
  const port = await freePort();
  const flags = readNodeFlags(join(import.meta.dirname, '../..'));
  const program = startProgram([...flags, PROGRAM, JSON.stringify({ ...settings, port })]);
  cleanUp.defer(() => program.stop());
  const baseUrl = `http://127.0.0.1:${port}`;
  for (
    const deadline = performance.now() + READY_WITHIN_MS;
    performance.now() < deadline && !hasEnded(program);
    await sleep(20)
  ) {
    const answer = await fetch(`${baseUrl}/v1/impact-transactions`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return { baseUrl, pid: program.child.pid ?? 0 };
  }
  throw new Error('The constant route did not start.');
}
