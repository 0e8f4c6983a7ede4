import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

const CONNECTIONS = 24;
const ATTEMPTS_MAX = 12;
const PAUSE_MS = 150;

/** A partner's servers, which call either process, and call again with the same key while an outcome is unknown. */
export class PartnerClient {
  /** How many calls were made again. */
  repeated = 0;
  #pools: Pool[];
  #next = 0;

  constructor(baseUrls: readonly string[]) {
    this.#pools = baseUrls.map(openPool);
  }

  /** @param process Which of them; by default the one whose turn it is. */
  async call(request: { apiKey: string; path: string; body?: string; key?: string; process?: number }): Promise<Answer> {
    const { apiKey, path, body, key, process = this.#next++ % this.#pools.length } = request;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#once(process, { apiKey, path, body, key }).catch((error: unknown) => {
        if (attempt === ATTEMPTS_MAX) throw error;
      });
      const isOutcome = answer && answer.status !== 503 && answer.status !== 429;
      if (answer && (isOutcome || attempt === ATTEMPTS_MAX)) return answer;
      this.repeated++;
      await sleep(PAUSE_MS * attempt);
    }
  }

  async #once(
    process: number,
    { apiKey, path, body, key }: { apiKey: string; path: string; body: string | undefined; key: string | undefined },
  ): Promise<Answer> {
    const pool = this.#pools[process] as Pool;
    const headers = {
      'x-api-key': apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const {
      statusCode,
      headers: given,
      body: sent,
    } = await pool.request({
      ...{ path, method: body === undefined ? 'GET' : 'POST', headers },
      ...(body !== undefined && { body }),
    });
    return { status: statusCode, headers: given, bytes: Buffer.from(await sent.arrayBuffer()) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}

function openPool(baseUrl: string): Pool {
  return new Pool(baseUrl, { connections: CONNECTIONS, headersTimeout: 20_000, bodyTimeout: 120_000 });
}

/** JSON with every whole number exact. */
export function parseExact<Value>(bytes: Buffer): Value {
  return JSON.parse(bytes.toString(), (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value,
  ) as Value;
}
