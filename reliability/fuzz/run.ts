/** Sends generated requests to a service and judges every answer. Shared by `reliability/fuzz/main.ts` and `test/reliability/fuzz.test.ts`. */

import { parseExactly } from '../harness/call.ts';
import type { AcknowledgedIds } from './acknowledged-ids.ts';
import { checkAnswer } from './check-answer.ts';
import { Connection, type Received } from './connection.ts';
import { isRehearsal } from './document.ts';
import { type Draft, REHEARSAL_HEADER, render, targetOf } from './draft.ts';
import { generate, type Keys } from './generate.ts';
import { Known } from './known.ts';
import { KnownRecords } from './known-records.ts';
import { Owners } from './owners.ts';
import { ToldOutcomes } from './told-outcomes.ts';
import type { WireAnswer } from './wire-format.ts';

/** A path, or an absolute address: Node's parser takes nothing else as the target of our methods. */
const HTTP_TARGET = /^(?:\/|https?:\/\/)/;

export interface FuzzOptions {
  readonly port: number;
  readonly keys: Keys;
  readonly seed: number;
  readonly requests: number;
  readonly connections: number;
  readonly acknowledgedIds: AcknowledgedIds;
  /** @param kind What many violations have in common. */
  readonly report: (violation: string, kind?: string) => void;
  readonly onProgress?: (sent: number) => void;
}

export interface FuzzFigures {
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byCode: Readonly<Record<string, number>>;
  /** Answers 503: none is due while the service is not overloaded. */
  readonly shed: number;
  readonly valid: number;
  readonly mutated: number;
}

/** Generated and sent together; what they taught is used in the next ones. */
const BATCH = 400;

export async function fuzz(options: FuzzOptions): Promise<FuzzFigures> {
  const run = new Run(options);
  const connections = Array.from({ length: options.connections }, () => new Connection(options.port));
  for (let sent = 0; sent < options.requests; sent += BATCH) {
    const count = Math.min(BATCH, options.requests - sent);
    const drafts = generate({ known: run.known, keys: options.keys, seed: (options.seed + sent) | 0, count });
    let next = 0;
    const client = async (connection: Connection) => {
      for (let at = next++; at < drafts.length; at = next++) await run.put(drafts[at] as Draft, connection);
    };
    await Promise.all(connections.map(client));
    options.onProgress?.(sent + count);
  }
  for (const connection of connections) connection.close();
  for (const problem of run.told.problems()) options.report(problem);
  return run.figures();
}

class Run {
  readonly known = new Known();
  readonly told = new ToldOutcomes();
  readonly #owners = new Owners();
  readonly #records = new KnownRecords();
  readonly #options: FuzzOptions;
  readonly #byStatus: Record<string, number> = {};
  readonly #byCode: Record<string, number> = {};
  #valid = 0;
  #mutated = 0;

  constructor(options: FuzzOptions) {
    this.#options = options;
  }

  async put(draft: Draft, connection: Connection): Promise<void> {
    if (draft.mutations.length === 0) this.#valid++;
    else this.#mutated++;
    const findWrong = this.#records.expect(draft);
    const received = await connection.exchange({ bytes: render(draft), isHead: draft.method === 'HEAD' });
    for (const problem of this.#problems(draft, received, findWrong))
      this.#options.report(describe(draft, problem, received), `${problem.replace(/\d+/g, 'n')} ${draft.operation.operationId}`);
  }

  figures(): FuzzFigures {
    return {
      byStatus: this.#byStatus,
      byCode: this.#byCode,
      shed: this.#byStatus['503'] ?? 0,
      valid: this.#valid,
      mutated: this.#mutated,
    };
  }

  #problems(draft: Draft, received: Received, findWrong: ReturnType<KnownRecords['expect']>): string[] {
    if ('failure' in received) {
      increment(this.#byStatus, 'none');
      return [received.failure];
    }
    const { answer } = received;
    increment(this.#byStatus, String(answer.status));
    const body = readOrNothing(answer.body);
    this.#learn(draft, answer, body);
    const apiKey = draft.headers.find(([name]) => name === 'X-API-Key')?.[1] ?? '';
    const foreign = this.#owners.add(body, apiKey).map((id) => `${id} is another partner's`);
    const sent = draft.headers.filter(([name]) => name.toLowerCase() === 'x-correlation-id');
    const problems = checkAnswer(answer, {
      method: draft.method,
      target: targetOf(draft),
      correlationIds: sent.map(([, value]) => value),
      isHttp: draft.isHttp && HTTP_TARGET.test(targetOf(draft)),
      mustBeRefused: draft.mustBeRefused && draft.mutations.length === 1,
      isValid: draft.mutations.length === 0,
    });
    return [...problems, ...foreign, ...findWrong(answer.status, body)];
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as the JSON that it is
  #learn(draft: Draft, answer: WireAnswer, body: any): void {
    if (body?.error) increment(this.#byCode, body.error.code);
    // Only what the main partner did is known to its later requests; the other's records must stay not found for it.
    const isOwn = draft.headers.some(([name, value]) => name === 'X-API-Key' && value === this.#options.keys.main);
    if (isOwn && body?.events) this.known.learnEvents(body.events);
    if (isOwn && body?.next_after) this.known.learnPlace(draft.path, body.next_after);
    this.#options.acknowledgedIds.addFailure(body ?? {});
    const isFailureAsked = draft.headers.some(([name, value]) => name === REHEARSAL_HEADER && value === 'failed');
    this.told.add(body ?? {}, isFailureAsked || isRehearsal(draft.operation));
    // A rehearsal answers with the record that it changed.
    if (draft.method !== 'POST' || answer.status >= 300 || !body) return;
    if (isRehearsal(draft.operation)) {
      this.#options.acknowledgedIds.addRehearsed(body);
      return;
    }
    this.#options.acknowledgedIds.add(answer, body);
    if (!isOwn) return;
    this.#records.add(body);
    if (body.contribution) this.known.learnContribution(body.contribution, draft);
    if (body.estimate) this.known.learnEstimate(body.estimate, draft);
  }
}

/** With each integer in all its digits. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is read as the JSON that it is
function readOrNothing(text: string): any {
  try {
    return parseExactly(Buffer.from(text));
  } catch {
    return undefined;
  }
}

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

const SHOWN_BYTES_MAX = 700;

/** Everything that is needed to send the request again. */
function describe(draft: Draft, problem: string, received: Received): string {
  const key = draft.headers.find(([name]) => name === 'X-API-Key')?.[1];
  const sent = render(draft).toString('latin1').slice(0, SHOWN_BYTES_MAX);
  const shown = JSON.stringify(key ? sent.replaceAll(key, '$KEY') : sent);
  const answer = 'answer' in received ? `${received.answer.status} ${received.answer.body.slice(0, 200)}` : '(none)';
  return `${problem} — ${draft.operation.operationId}, ${draft.mutations.join(' + ') || 'valid'} — answered ${answer} — sent ${shown}`;
}
