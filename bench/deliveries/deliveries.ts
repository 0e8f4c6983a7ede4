import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readNodeFlags } from '../../reliability/harness/node-flags.ts';
import type { Bench } from '../cells.ts';
import { progress } from '../report/progress.ts';
import { newToken } from '../rows/identifiers.ts';
import type { Installation } from '../subject/installation.ts';
import type { BareSettings } from './bare-program.ts';
import { type Receiver, sentHeaders, startReceiver } from './receiver.ts';
import { Sender, type Sent } from './sender.ts';

/** Deliveries of one service beside bare undici, which posts the same bodies to the same receiver. */
export interface Deliveries {
  /** Of the one partner. */
  readonly endpoints: number;
  /** As many as the service had open at most, and bare undici all the time. */
  readonly connections: number;
  readonly own: Sent;
  /** Of the revision that is compared with. */
  readonly other: Sent | undefined;
  readonly bare: Sent;
}

/** One alone, and as many as a partner may have. */
const ENDPOINTS = [1, 5];
/** The first deliveries of a process are those of its compiler. */
const WARM_UP_EVENTS = 4_000;
const BARE_PROGRAM = new URL('bare-program.ts', import.meta.url).pathname;
const REPOSITORY = join(import.meta.dirname, '../..');

/**
 * Measures how fast a backlog of at least so many deliveries leaves: its events are confirmed while the endpoints are disabled.
 * Bare undici comes before and after; two revisions take turns, A B B A.
 */
export async function measureDeliveries(bench: Bench, deliveries: number): Promise<Deliveries[]> {
  await using cleanUp = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-deliveries-'));
  cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
  const receiver = await startReceiver(cleanUp);
  const all: Deliveries[] = [];
  for (const endpoints of ENDPOINTS) all.push(await measureWith(bench, receiver, { endpoints, deliveries, folder }));
  return all;
}

interface Task {
  readonly endpoints: number;
  readonly deliveries: number;
  readonly folder: string;
}

async function measureWith(bench: Bench, receiver: Receiver, { endpoints, deliveries, folder }: Task): Promise<Deliveries> {
  const { installation, other, signal } = bench;
  const turns = other ? [installation, other, other, installation] : [installation];
  const senders = new Map<Installation, Sender>();
  for (const of of new Set(turns)) {
    const sender = await Sender.open(bench, of, { receiver, endpoints });
    senders.set(of, sender);
    await sender.sendBacklog(WARM_UP_EVENTS);
  }
  const sender = senders.get(installation) as Sender;
  const { headers, connections } = await receiver.read(sender.run);
  const bodiesFile = join(folder, 'bodies');
  writeFileSync(bodiesFile, (await sender.listBodies()).join('\n'));
  const count = Math.ceil(deliveries / 2);
  const bare = () => sendBare(receiver, { headers: sentHeaders(headers), bodiesFile, connections, count }, signal);
  const bareBefore = await bare();
  const taken: { of: Installation; sent: Sent }[] = [];
  const events = Math.ceil(deliveries / endpoints / (other ? 2 : 1));
  for (const of of turns) taken.push({ of, sent: await (senders.get(of) as Sender).sendBacklog(events) });
  const bareAfter = await bare();
  for (const each of senders.values()) await each.close();
  const sentBy = (wanted: Installation) => meanOf(taken.flatMap(({ of, sent }) => (of === wanted ? sent : [])));
  const own = sentBy(installation);
  progress(`deliveries to ${endpoints} endpoints: ${Math.round(own.perSecond)}/s`);
  return { endpoints, connections, own, other: other && sentBy(other), bare: meanOf([bareBefore, bareAfter]) };
}

async function sendBare(receiver: Receiver, settings: Omit<BareSettings, 'url'>, signal: AbortSignal): Promise<Sent> {
  const run = newToken();
  const words = [...readNodeFlags(REPOSITORY), BARE_PROGRAM, JSON.stringify({ ...settings, url: receiver.urlOf(run) })];
  const { stdout } = await promisify(execFile)(process.execPath, words, { signal });
  const { cpuSeconds } = JSON.parse(stdout) as { cpuSeconds: number };
  const { count, seconds } = await receiver.read(run);
  return { perSecond: count / seconds, cpuMicroseconds: (cpuSeconds / count) * 1e6, databaseCpuMicroseconds: undefined };
}

function meanOf(all: readonly Sent[]): Sent {
  const mean = (read: (sent: Sent) => number) => all.reduce((sum, each) => sum + read(each), 0) / all.length;
  return {
    perSecond: mean((each) => each.perSecond),
    cpuMicroseconds: mean((each) => each.cpuMicroseconds),
    databaseCpuMicroseconds:
      all[0]?.databaseCpuMicroseconds === undefined ? undefined : mean((each) => each.databaseCpuMicroseconds ?? 0),
  };
}
