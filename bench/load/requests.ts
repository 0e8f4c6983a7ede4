import { calculationId, eventId, idempotencyKey, orderRef, transactionId } from '../rows/identifiers.ts';
import type { ScenarioName } from '../scenarios.ts';
import type { LoadRequest } from './load.ts';

/** One request, as a client's library takes it. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Caller = Pick<LoadRequest, 'apiKey' | 'apiKeys'>;
type RequestOptions = Caller & Pick<LoadRequest, 'token' | 'known' | 'replayable'>;

const CONTRIBUTIONS = '/v1/impact-transactions';
const ESTIMATES = '/v1/emissions/estimates';
const CUSTOMERS = 100_000_000;

/** What each scenario sends as its request of that number; the same as `wrk/requests.lua`. */
export const REQUESTS: Record<ScenarioName, (terms: RequestOptions, number: number) => HttpRequest> = {
  confirm,
  'confirm-with-calculation': ({ token, ...caller }, number) =>
    post(CONTRIBUTIONS, keyOf(caller, number), idempotencyKey(token, number), {
      ...confirmation(token, number),
      calculation_id: calculationId(token, number),
    }),
  estimate,
  'lookup-by-event': lookupByEvent,
  'lookup-by-id'({ known, ...caller }) {
    const number = anyOf(known.count);
    return get(`${CONTRIBUTIONS}/${transactionId(known.token, number)}`, keyOf(caller, number));
  },
  replay({ replayable: { token, count }, ...caller }) {
    return confirm({ ...caller, token }, anyOf(count));
  },
  mix(terms, number) {
    const place = number % 10;
    if (place < 6) return confirm(terms, number);
    return place < 9 ? lookupByEvent(terms) : estimate(terms, number);
  },
};

export function confirm({ token, ...caller }: Caller & Pick<RequestOptions, 'token'>, number: number): HttpRequest {
  return post(CONTRIBUTIONS, keyOf(caller, number), idempotencyKey(token, number), confirmation(token, number));
}

function confirmation(token: string, number: number): object {
  return {
    partner_event_id: eventId(token, number),
    partner_order_ref: orderRef(token, number),
    points: 250,
    opaque_customer_ref: `customer-${String(number % CUSTOMERS).padStart(8, '0')}`,
  };
}

function estimate({ token, ...caller }: RequestOptions, number: number): HttpRequest {
  return post(ESTIMATES, keyOf(caller, number), idempotencyKey(token, number), {
    partner_order_ref: orderRef(token, number),
    distance_km: '12.345',
    distance_unit: 'km',
    vehicle_category: 'car_gasoline',
  });
}

function lookupByEvent({ known, ...caller }: RequestOptions): HttpRequest {
  const number = anyOf(known.count);
  return get(`${CONTRIBUTIONS}?partner_event_id=${eventId(known.token, number)}`, keyOf(caller, number));
}

function keyOf({ apiKey, apiKeys = [] }: Caller, number: number): string {
  return apiKeys[number % apiKeys.length] ?? apiKey;
}

function anyOf(count: number): number {
  return 1 + Math.floor(Math.random() * count);
}

function get(path: string, apiKey: string): HttpRequest {
  return { method: 'GET', path, headers: { 'x-api-key': apiKey } };
}

function post(path: string, apiKey: string, key: string, body: object): HttpRequest {
  const headers = { 'x-api-key': apiKey, 'idempotency-key': key, 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}
