import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { type Answer, type Call, call } from '../harness/call.ts';

const CONNECTIONS = 24;
const ATTEMPTS_MAX = 12;
const PAUSE_MS = 150;

/** A partner's servers, which call either process, and call again with the same key while an outcome is unknown. */
export class PartnerClient {
  /** How many calls were made again. */
  repeated = 0;
  readonly #agent = new Agent({ connections: CONNECTIONS, headersTimeout: 20_000, bodyTimeout: 120_000 });
  readonly #baseUrls: readonly string[];
  #next = 0;

  constructor(baseUrls: readonly string[]) {
    this.#baseUrls = baseUrls;
  }

  /** @param process Which of them; by default the one whose turn it is. */
  async call({ process = this.#next++ % this.#baseUrls.length, ...request }: Call & { process?: number }): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await call(this.#agent, this.#baseUrls[process] as string, request).catch((error: unknown) => {
        if (attempt === ATTEMPTS_MAX) throw error;
      });
      const isOutcome = answer && answer.status !== 503 && answer.status !== 429;
      if (answer && (isOutcome || attempt === ATTEMPTS_MAX)) return answer;
      this.repeated++;
      await sleep(PAUSE_MS * attempt);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
