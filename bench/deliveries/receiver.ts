import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../reliability/harness/free-port.ts';
import { startProgram } from '../../reliability/harness/program.ts';
import type { Received, ReceiverSettings } from './receiver-program.ts';

const PROGRAM = new URL('receiver-program.ts', import.meta.url).pathname;
const LOOKS = 500;
/** What a client of HTTP sets by itself. */
const CLIENTS_OWN = ['host', 'connection', 'content-length'];

/** The receiver, in a process of its own. A run is the path that its deliveries go to. */
export interface Receiver {
  urlOf(run: string): string;
  read(run: string): Promise<Received>;
  forget(run: string): Promise<void>;
}

export async function startReceiver(cleanUp: AsyncDisposableStack): Promise<Receiver> {
  const settings: ReceiverSettings = { port: await freePort() };
  const program = startProgram([PROGRAM, JSON.stringify(settings)]);
  cleanUp.defer(() => program.stop());
  const urlOf = (run: string) => `http://127.0.0.1:${settings.port}/${run}`;
  for (let look = 1; !(await answers(urlOf(''))); look++) {
    if (look === LOOKS) throw new Error('The receiver of deliveries did not start.');
    await sleep(20);
  }
  return {
    urlOf,
    read: async (run) => (await (await fetch(urlOf(run))).json()) as Received,
    forget: async (run) => void (await (await fetch(urlOf(run), { method: 'DELETE' })).text()),
  };
}

/** Headers of a delivery as far as a sender gives them. */
export function sentHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (CLIENTS_OWN.includes(name) ? [] : [[name, String(value)]])),
  );
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => undefined);
  await answer?.body?.cancel();
  return answer !== undefined;
}
