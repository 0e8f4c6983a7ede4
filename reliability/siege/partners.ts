/** Partners of the service that is attacked, made by the commands of its own checkout: another release has other tables. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Installation } from '../harness/installation.ts';
import { LoadClient } from '../harness/load-client.ts';
import { requestMaker } from '../harness/load-requests.ts';
import { addEndpoint } from '../webhooks/set-up.ts';

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
  /** Confirms ten thousand contributions of a partner of its own: then a service has the memory that it works with. */
  warmUp(): Promise<void>;
}

const FILL_CONNECTIONS = 64;
const WARM_UP_CONFIRMATIONS = 10_000;
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
    const closed = await run('settlement', 'close', '--partner', partnerId, '--yes');
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
      await fill(installation.port, apiKey, { run: `warm-up-${++warmUps}`, count: WARM_UP_CONFIRMATIONS });
    },
    revokeKey: async ({ keyId }) => void (await run('key', 'revoke', '--key', keyId, '--yes')),
    addEndpoint: async ({ partnerId }, url) => void (await addEndpoint(repository, installation, { partnerId, url, env: {} })),
  };
}

/** Confirms so many contributions, as fast as they are answered. */
export async function fill(port: number, apiKey: string, { run, count }: { run: string; count: number }): Promise<void> {
  const client = new LoadClient(port, FILL_CONNECTIONS);
  const { confirmation } = requestMaker(apiKey, run);
  let left = count;
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const status = await new Promise((resolve) => client.send(confirmation(), (result) => resolve(result.status)));
      if (status !== 201) throw new Error(`A confirmation before the attack was answered ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(FILL_CONNECTIONS, count) }, send));
  client.close();
}
