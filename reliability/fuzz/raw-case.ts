export interface RawCase {
  readonly name: string;
  readonly bytes: Buffer;
  /** The sender closes its side behind the bytes: there is nothing more to wait for. */
  readonly isCutOff: boolean;
  /** Events of confirmations that the bytes hold, well formed or hidden. */
  readonly events: readonly string[];
  /** Which of them may be stored; any other one that is stored was smuggled. */
  readonly storable: readonly string[];
}

export interface CorpusOptions {
  readonly apiKey: string;
  /** Makes the events of two runs differ. */
  readonly run: string;
}

export const CONFIRM = '/v1/impact-transactions';

/** Collects cases, and knows how a good confirmation looks. */
export class Corpus {
  readonly cases: RawCase[] = [];
  readonly #apiKey: string;
  readonly #run: string;
  #events = 0;

  constructor({ apiKey, run }: CorpusOptions) {
    this.#apiKey = apiKey;
    this.#run = run;
  }

  add(name: string, text: string | Buffer, more: Partial<Omit<RawCase, 'name' | 'bytes'>> = {}): void {
    const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
    this.cases.push({ name, bytes, isCutOff: false, events: [], storable: [], ...more });
  }

  newEvent(): string {
    return `raw-${this.#run}-${String(this.#events++).padStart(4, '0')}`;
  }

  body(event: string): string {
    return `{"partner_event_id":"${event}","partner_order_ref":"${event}","points":1}`;
  }

  /** Header lines of a confirmation without framing. */
  headers(event: string): string {
    return `Host: x\r\nX-API-Key: ${this.#apiKey}\r\nContent-Type: application/json\r\nIdempotency-Key: ${event}\r\n`;
  }

  /** A whole confirmation, well formed. */
  confirmation(event: string): string {
    const body = this.body(event);
    return `POST ${CONFIRM} HTTP/1.1\r\n${this.headers(event)}Content-Length: ${body.length}\r\n\r\n${body}`;
  }

  /** A confirmation with header lines of the case's own, and its body sent as it is or as the case frames it. */
  addConfirmation(
    name: string,
    lines: string,
    {
      mayStore = false,
      payload,
      isCutOff = true,
    }: { mayStore?: boolean; payload?: (body: string) => string; isCutOff?: boolean } = {},
  ): void {
    const event = this.newEvent();
    const body = this.body(event);
    const text = `POST ${CONFIRM} HTTP/1.1\r\n${this.headers(event)}${lines.replaceAll('LENGTH', String(body.length))}\r\n${payload ? payload(body) : body}`;
    this.add(name, text, { isCutOff, events: [event], storable: mayStore ? [event] : [] });
  }

  get lookup(): string {
    return `GET ${CONFIRM}?partner_event_id=raw-lookup-1 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${this.#apiKey}\r\n\r\n`;
  }
}

const NAME_LENGTH_MAX = 40;

/** Bytes as a name: quoted, and not too long. */
export function name(bytes: string): string {
  return JSON.stringify(bytes.length > NAME_LENGTH_MAX ? `${bytes.slice(0, NAME_LENGTH_MAX)}…` : bytes);
}
