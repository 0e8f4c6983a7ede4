/** One request of the partner's server and what came back, classified as a partner has to: an answer, or nothing to rely on. */
import { Agent } from 'undici';
import { type Call, call, parseExactly } from './call.ts';

export interface Reply {
  readonly kind: 'answered';
  readonly status: number;
  readonly isReplay: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as the JSON that it is, and judged field by field
  readonly body: any;
}

/** No answer: refused, reset, timed out. Whatever was asked for may have happened. */
export interface Silence {
  readonly kind: 'silent';
  readonly reason: string;
}

export type Outcome = Reply | Silence;

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

  async send(request: Omit<Call, 'apiKey'>): Promise<Outcome> {
    this.underWay++;
    try {
      const { status, headers, bytes } = await call(this.#agent, this.#origin, { ...request, apiKey: this.#apiKey });
      return { kind: 'answered', status, isReplay: headers['idempotent-replayed'] === 'true', body: parseExactly(bytes) };
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
