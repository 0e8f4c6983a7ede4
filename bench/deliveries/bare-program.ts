/**
 * What undici does by itself: the same bodies, as many headers and connections, and nothing else: no signature, no database, no
 * limit. A program of its own, which prints the processor seconds that it took:
 *
 *     node bench/deliveries/bare-program.ts '{"url":…,"headers":{…},"bodiesFile":…,"connections":…,"count":…}'
 */
import { readFileSync } from 'node:fs';
import { Agent } from 'undici';

export interface BareSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A body in each line; they are sent over and over. */
  readonly bodiesFile: string;
  readonly connections: number;
  readonly count: number;
}

if (import.meta.main) await send(JSON.parse(process.argv[2] ?? '{}'));

async function send({ url, headers, bodiesFile, connections, count }: BareSettings): Promise<void> {
  const bodies = readFileSync(bodiesFile, 'utf8').split('\n').filter(Boolean);
  const { origin, pathname: path } = new URL(url);
  const client = new Agent({ connections });
  const before = process.cpuUsage();
  let next = 0;
  const sendOn = async () => {
    while (next < count) {
      const body = Buffer.from(bodies[next++ % bodies.length] ?? '');
      const { statusCode, body: answer } = await client.request({ origin, path, method: 'POST', headers, body });
      if (statusCode !== 200) throw new Error(`The receiver answered ${statusCode}.`);
      await answer.dump();
    }
  };
  await Promise.all(Array.from({ length: connections }, sendOn));
  const { user, system } = process.cpuUsage(before);
  await client.close();
  process.stdout.write(JSON.stringify({ cpuSeconds: (user + system) / 1e6 }));
}
