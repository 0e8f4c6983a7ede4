/** One request of the partner's server and what came back, told apart as a partner has to: an answer, or nothing to rely on. */
import { Agent } from 'undici';

export interface Reply {
  readonly kind: 'answered';
  readonly status: number;
  readonly isReplay: boolean;
  readonly retryAfterSeconds: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as the JSON that it is, and judged field by field
  readonly body: any;
}

/** No answer: refused, reset, timed out. Whatever was asked for may have happened. */
export interface Silence {
  readonly kind: 'silent';
  readonly reason: string;
}

export type Outcome = Reply | Silence;

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly idempotencyKey?: string;
  readonly body?: string;
}

/** Longer than the service takes at most, and short enough that a hung request is noticed. */
const TIMEOUT_MS = 8_000;

export class Exchange {
  /** Requests that were sent and are not answered yet. */
  underWay = 0;
  readonly #agent: Agent;
  readonly #origin: string;
  readonly #apiKey: string;

  constructor(origin: string, apiKey: string, connections: number) {
    this.#agent = new Agent({ connections, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, connectTimeout: TIMEOUT_MS });
    this.#origin = origin;
    this.#apiKey = apiKey;
  }

  async send({ method, path, idempotencyKey, body }: Request): Promise<Outcome> {
    this.underWay++;
    try {
      const response = await this.#agent.request({
        origin: this.#origin,
        method,
        path,
        headers: {
          'x-api-key': this.#apiKey,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body ?? null,
      });
      const text = await response.body.text();
      return {
        kind: 'answered',
        status: response.statusCode,
        isReplay: response.headers['idempotent-replayed'] === 'true',
        retryAfterSeconds: Number(response.headers['retry-after'] ?? 0),
        body: readExactly(text),
      };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { kind: 'silent', reason: code ?? message };
    } finally {
      this.underWay--;
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Points are integers in all their digits. Not the service's own reader: one mistake must not hide behind the other. */
function readExactly(text: string): unknown {
  const exact = (_name: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value;
  return JSON.parse(text, exact as (name: string, value: unknown) => unknown);
}
