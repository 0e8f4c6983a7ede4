import { readJson } from '../../src/domain/parse-json.ts';

/** An answer as a partner sees it. Integers of the body are exact, so `points` is a bigint. */
export interface Answer {
  /** What it answers, such as `GET /v1/events`. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of an answer, and fails where it is not there
  readonly body: any;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Sent as it is when a string or bytes, else as JSON in which a bigint is an integer. */
  readonly body?: unknown;
}

/** A partner's server, with its key. */
export class Client {
  readonly baseUrl: string;
  readonly apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
  }

  async call(path: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { 'x-api-key': this.apiKey, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' || body instanceof Uint8Array ? body : toJson(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const json = isJson && text !== '' ? readJson(text) : undefined;
    return { request: `${method} ${path}`, status: response.status, headers: response.headers, body: json, text };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call(path, { method: 'POST', body, headers: { 'idempotency-key': uniqueId('key'), ...headers } });
  }

  /** A valid confirmation of a new event for a new order, with whatever the test says of it. */
  confirm(fields: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/v1/impact-transactions', { ...newConfirmation(), ...fields }, headers);
  }

  estimate(fields: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/v1/emissions/estimates', { ...newEstimate(), ...fields }, headers);
  }

  associate(transactionId: string, calculationId: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post(
      `/v1/impact-transactions/${transactionId}/emissions-associations`,
      { calculation_id: calculationId },
      headers,
    );
  }

  findByEvent(partnerEventId: string): Promise<Answer> {
    return this.call(`/v1/impact-transactions?partner_event_id=${encodeURIComponent(partnerEventId)}`);
  }

  get(transactionId: string): Promise<Answer> {
    return this.call(`/v1/impact-transactions/${transactionId}`);
  }

  getEstimate(calculationId: string): Promise<Answer> {
    return this.call(`/v1/emissions/estimates/${calculationId}`);
  }

  /** @param query Such as `?limit=5`. */
  listEvents(query = '', headers: Record<string, string> = {}): Promise<Answer> {
    return this.call(`/v1/events${query}`, { headers });
  }

  getEvent(eventId: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call(`/v1/events/${eventId}`, { headers });
  }
}

let made = 0;

/** Different in every call of every process. */
export function uniqueId(prefix: string): string {
  return `${prefix}-${process.pid}-${Date.now().toString(36)}-${made++}`;
}

export function newConfirmation(): { partner_event_id: string; partner_order_ref: string; points: number | bigint } {
  return { partner_event_id: uniqueId('event'), partner_order_ref: uniqueId('order'), points: 250 };
}

export function newEstimate(): {
  partner_order_ref: string;
  distance_km: string;
  distance_unit: string;
  vehicle_category: string;
} {
  return { partner_order_ref: uniqueId('order'), distance_km: '12.345', distance_unit: 'km', vehicle_category: 'car_gasoline' };
}

export function countByStatus(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The details of an error, by their field. */
export function detailCodes(answer: Answer): Record<string, string> {
  const details: { field: string; code: string }[] = answer.body.error.details ?? [];
  return Object.fromEntries(details.map(({ field, code }) => [field, code]));
}

/** JSON in which a bigint is an integer with all its digits. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_name, item) => (typeof item === 'bigint' ? JSON.rawJSON(String(item)) : item));
}

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** What these tests read of an event. */
export interface TestEvent {
  readonly event_type: string;
  readonly correlation_id: string;
  readonly data: {
    readonly change?: string;
    readonly contribution: { readonly transaction_id: string; readonly points: bigint };
    readonly association: { readonly status: string };
  };
}
