/** A request before it becomes bytes, so that it can be changed part by part; and valid ones, made from the document. */
import fc from 'fast-check';
import { identifierOf } from './adversarial.ts';
import { type JsonSchema, OPERATIONS, type Operation, type Parameter } from './document.ts';
import type { Known } from './known.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

export interface Draft {
  readonly operation: Operation;
  readonly method: string;
  /** As it stands in the request line, without the query. */
  readonly path: string;
  readonly query: Pairs;
  readonly headers: Pairs;
  /** Names and values as JSON text; repeated names stay. `undefined` for a request without a body. */
  readonly members: Pairs | undefined;
  /** Stands instead of the members where it is set. */
  readonly body?: Buffer;
  readonly isChunked?: boolean;
  /** What was done to a valid request, in words. */
  readonly mutations: readonly string[];
  /** No service may take it, whatever it knows. */
  readonly mustBeRefused: boolean;
  /** Node's own parser may refuse it, so that nothing in its headers is known to the service. */
  readonly isHttp: boolean;
}

/** Half of the requests: among all operations they would be few. */
const RECORDING = OPERATIONS.filter(({ operationId }) =>
  ['confirmContribution', 'getContributionByPartnerEventId', 'createDeliveryEmissionsEstimate'].includes(operationId),
);

/** Any valid request of any operation, by one partner's key. */
export function validDraft(known: Known, apiKey: string): fc.Arbitrary<Draft> {
  const operation = fc.oneof(fc.constantFrom(...RECORDING), fc.constantFrom(...OPERATIONS));
  const fresh = operation.chain((each) => draftOf(each, known, apiKey));
  const again = known.acknowledged.length === 0 ? fresh : fc.constantFrom(...known.acknowledged);
  const pair = known.pairs.length === 0 ? fresh : fc.constantFrom(...known.pairs).chain((each) => linkDraft(each, known, apiKey));
  return fc.oneof({ weight: 12, arbitrary: fresh }, { weight: 2, arbitrary: again }, { weight: 1, arbitrary: pair });
}

function linkDraft({ transactionId, calculationId }: Known['pairs'][number], known: Known, apiKey: string): fc.Arbitrary<Draft> {
  const operation = OPERATIONS.find(({ operationId }) => operationId === 'associateEmissionsEstimate') as Operation;
  return draftOf(operation, known, apiKey).map((draft) => ({
    ...draft,
    path: operation.path.replace('{transaction_id}', transactionId),
    members: [['"calculation_id"', JSON.stringify(calculationId)]],
  }));
}

/** What asks for a failure: the answers that it brings are no sign of a defect. `mutate-request.ts` sends it. */
export const REHEARSAL_HEADER = 'X-Sandbox-Scenario';

function draftOf(operation: Operation, known: Known, apiKey: string): fc.Arbitrary<Draft> {
  const parameters = operation.parameters.filter(({ name }) => name !== REHEARSAL_HEADER);
  const valuesOf = (place: Parameter['in']) =>
    fc.tuple(...parameters.filter((each) => each.in === place).map((each) => parameterValue(each, known, operation)));
  return fc
    .record({
      path: valuesOf('path'),
      query: valuesOf('query'),
      headers: valuesOf('header'),
      members: membersOf(operation.body, known),
    })
    .map(({ path, query, headers, members }) => ({
      operation,
      method: operation.method,
      path: path.flat().reduce((text, [name, value]) => text.replace(`{${name}}`, value), operation.path),
      query: withOnePlace(query.flat(), operation),
      headers: [['X-API-Key', apiKey], ...(members ? [['Content-Type', 'application/json'] as const] : []), ...headers.flat()],
      members,
      mutations: [],
      mustBeRefused: false,
      isHttp: true,
    }));
}

/** A list takes its place under one name: the older one and `after` exclude each other. */
function withOnePlace(query: Pairs, { parameters }: Operation): Pairs {
  if (!query.some(([name]) => name === 'after')) return query;
  return query.filter(([name]) => !parameters.some((parameter) => parameter.name === name && parameter.deprecated));
}

/** An optional parameter is there or not. A place in a list is one that an answer of that list gave. */
function parameterValue({ name, required, schema }: Parameter, known: Known, { path }: Operation): fc.Arbitrary<Pairs> {
  if (name === 'after') {
    const places = (known.places.get(path) ?? []).map((place): Pairs => [[name, place]]);
    return fc.constantFrom<Pairs>([], ...places);
  }
  const value = valueFor(name, schema, known).map((text): Pairs => [[name, text]]);
  return required ? value : fc.option(value, { nil: [], freq: 3 });
}

function membersOf(body: JsonSchema | undefined, known: Known): fc.Arbitrary<Pairs | undefined> {
  if (!body) return fc.constant(undefined);
  const members = Object.entries(body.properties ?? {}).map(([name, schema]): fc.Arbitrary<Pairs> => {
    const value = memberValue(name, schema, known).map((text): Pairs => [[JSON.stringify(name), text]]);
    return body.required?.includes(name) ? value : fc.option(value, { nil: [] });
  });
  return fc.tuple(...members).chain((found) => fc.shuffledSubarray(found.flat(), { minLength: found.flat().length }));
}

const points = fc
  .oneof(fc.bigInt({ min: 1n, max: 10_000n }), fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }))
  .chain((value) => fc.constantFrom(`${value}`, `${value}`, `${value}.0`, `${value}e0`));

function memberValue(name: string, schema: JsonSchema, known: Known): fc.Arbitrary<string> {
  if (schema.format === 'int64') return points;
  const value = valueFor(name, schema, known).map((text) => JSON.stringify(text));
  const isNullable = Array.isArray(schema.type) && schema.type.includes('null');
  return isNullable ? fc.option(value, { nil: 'null', freq: 6 }) : value;
}

const REFERENCES = ['transaction_id', 'calculation_id', 'event_id', 'emission_factor_version'];
const FACTOR_VERSIONS = ['factors-1'];

/** Where values of a name are known from answers, one of those at times: else replays and conflicts would never happen. */
function valueFor(name: string, schema: JsonSchema, known: Known): fc.Arbitrary<string> {
  const met = {
    transaction_id: known.transactionIds,
    calculation_id: known.calculationIds,
    partner_event_id: known.partnerEventIds,
  };
  const seen = {
    ...met,
    event_id: known.eventIds,
    emission_factor_version: FACTOR_VERSIONS,
    partner_order_ref: known.orderRefs,
    'Idempotency-Key': known.keys,
  }[name];
  const fresh = anyValue(schema);
  if (!seen || seen.length === 0) return fresh;
  const isReference = REFERENCES.includes(name);
  return fc.oneof(
    { weight: isReference ? 1 : 9, arbitrary: fresh },
    { weight: isReference ? 4 : 1, arbitrary: fc.constantFrom(...seen) },
  );
}

/** Of numbers in a query; they may be as large as int64, and are not generated so. */
const WHOLE_MAX = 5_000;

/** A value of a schema, out of its enumeration or its pattern. */
function anyValue(schema: JsonSchema): fc.Arbitrary<string> {
  const { enum: allowed, type, format, pattern, minimum = 0, maximum = 5_000, minLength = 8, maxLength = 40 } = schema;
  if (type === 'integer') return fc.integer({ min: minimum, max: Math.min(maximum, WHOLE_MAX) }).map(String);
  if (allowed) return fc.constantFrom(...allowed.map(String));
  if (format === 'distance-km') return fc.integer({ min: 1, max: 200_000 }).map((metres) => String(metres / 1_000));
  if (pattern && !pattern.startsWith('^[A-Za-z0-9._:-]')) return fc.stringMatching(new RegExp(pattern));
  const usual = identifierOf(fc.integer({ min: Math.max(minLength, 12), max: 24 }));
  return fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: identifierOf(fc.constantFrom(minLength, maxLength)) });
}

/** The target of the request line. */
export function targetOf({ path, query }: Draft): string {
  return query.length === 0
    ? path
    : `${path}?${query.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&')}`;
}

/** The bytes of a draft. Nothing is corrected: what is wrong in it is sent wrong. */
export function render(draft: Draft): Buffer {
  const { method, headers, members, isChunked } = draft;
  const body = draft.body ?? (members && Buffer.from(`{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`));
  const framing = body ? [isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`] : [];
  const lines = [
    `${method} ${targetOf(draft)} HTTP/1.1`,
    ...(headers.some(([name]) => name.toLowerCase() === 'host') ? [] : ['Host: 127.0.0.1']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...framing,
  ];
  // A header's text goes out as UTF-8: what is not ASCII arrives as bytes above 127.
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  return body ? Buffer.concat([head, isChunked ? chunked(body) : body]) : head;
}

function chunked(body: Buffer): Buffer {
  const size = Math.max(1, Math.ceil(body.length / 3));
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
