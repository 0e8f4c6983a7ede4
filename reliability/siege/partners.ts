/** Partners of the service that is attacked, made by the commands of its own checkout: another release has other tables. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEFAULT_RATES } from '../../src/domain/access/partner-rates.ts';
import type { Installation } from '../harness/installation.ts';
import { LoadClient } from '../harness/load-client.ts';
import { requestMaker } from '../harness/load-requests.ts';
import { addEndpoint } from '../webhooks/set-up.ts';
import { get } from './requests.ts';

export interface SiegePartner {
  readonly partnerId: string;
  readonly keyId: string;
  readonly apiKey: string;
  /** Closed; empty where none was asked for. */
  readonly settlementId: string;
}

export interface Partners {
  /**
   * A partner with the rates that a partner has by default.
   *
   * @param settledContributions How many its closed settlement has; without it it has none.
   */
  make(settledContributions?: number): Promise<SiegePartner>;
  revokeKey(partner: SiegePartner): Promise<void>;
  addEndpoint(partner: SiegePartner, url: string): Promise<void>;
}

export interface CommandedPartners extends Partners {
  /**
   * Confirms ten thousand contributions of a partner of its own and reads a hundred pages of their events: then a service has the memory
   * that it works with.
   */
  warmUp(): Promise<void>;
}

const FILL_CONNECTIONS = 64;
const WARM_UP_CONFIRMATIONS = 10_000;
/** As many as a partner may read at once. */
const WARM_UP_PAGES = DEFAULT_RATES.reportsPerSecond * 2;
const FILL_PER_SECOND = '1000000';
const WRITES_PER_SECOND = '100';

export function partnersByCommand(repository: string, installation: Installation): CommandedPartners {
  const { dataDirectory } = installation;
  const run = async (...words: string[]) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(repository, 'bin/partner-impact.mjs'), ...words, '--json'],
      {
        env: { ...process.env, DATA_DIR: dataDirectory, PORT: `${installation.port}` },
      },
    );
    return JSON.parse(stdout);
  };
  const settle = async (partnerId: string, apiKey: string, contributions: number): Promise<string> => {
    await fill(installation.port, apiKey, { run: 'fill', count: contributions });
    const [open] = await run('settlement', 'list', '--partner', partnerId);
    const closed = await run('settlement', 'close', '--partner', partnerId, '--settlement', open.settlement_id, '--yes');
    await run('partner', 'set-rates', '--partner', partnerId, '--writes-per-second', WRITES_PER_SECOND);
    return closed.settlement_id;
  };
  const create = async (...rates: string[]): Promise<Omit<SiegePartner, 'settlementId'>> => {
    const { partner_id: partnerId } = await run('partner', 'create', '--name', 'Siege', '--currency', 'SAR', ...rates);
    const { key_id: keyId, api_key: apiKey } = await run('key', 'issue', '--partner', partnerId, '--name', 'siege');
    return { partnerId, keyId, apiKey };
  };
  const createUnlimited = () => create('--writes-per-second', FILL_PER_SECOND);
  let [warming, warmUps]: [ReturnType<typeof create> | undefined, number] = [undefined, 0];
  return {
    async make(settledContributions) {
      if (settledContributions === undefined) return { ...(await create()), settlementId: '' };
      const partner = await createUnlimited();
      return { ...partner, settlementId: await settle(partner.partnerId, partner.apiKey, settledContributions) };
    },
    async warmUp() {
      warming ??= createUnlimited();
      const { apiKey } = await warming;
      const { port } = installation;
      await fill(port, apiKey, { run: `warm-up-${++warmUps}`, count: WARM_UP_CONFIRMATIONS });
      await readPages(port, apiKey, WARM_UP_PAGES);
    },
    revokeKey: async ({ keyId }) => void (await run('key', 'revoke', '--key', keyId, '--yes')),
    addEndpoint: async ({ partnerId }, url) => void (await addEndpoint(repository, installation, { partnerId, url, env: {} })),
  };
}

/** Confirms so many contributions, as fast as they are answered. */
export async function fill(port: number, apiKey: string, { run, count }: { run: string; count: number }): Promise<void> {
  const { confirmation } = requestMaker(apiKey, run);
  await sendAll(port, { request: confirmation, count, connections: FILL_CONNECTIONS, status: 201 });
}

/** Reads the first page of 500 events so many times, one after the other. */
async function readPages(port: number, apiKey: string, count: number): Promise<void> {
  const page = Buffer.from(get('/v1/events?limit=500', { apiKey }));
  await sendAll(port, { request: () => page, count, connections: 1, status: 200 });
}

interface Sending {
  readonly request: () => Buffer;
  readonly count: number;
  readonly connections: number;
  /** Of every answer. */
  readonly status: number;
}

async function sendAll(port: number, { request, count, connections, status: expected }: Sending): Promise<void> {
  const client = new LoadClient(port, connections);
  let left = count;
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const status = await new Promise((resolve) => client.send(request(), (result) => resolve(result.status)));
      if (status !== expected) throw new Error(`A request before the attack was answered ${status} instead of ${expected}.`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(connections, count) }, send));
  client.close();
}
