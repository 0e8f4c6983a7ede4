/** Ways to spoil what stands around the body: path, query, method, headers. */
import fc from 'fast-check';
import { edgeLength, identifierOf, rawSegment, text } from './adversarial.ts';
import type { Draft } from './draft.ts';
import type { Mutation } from './mutate-body.ts';

/** Keys beside the one that may do everything. */
export interface OtherKeys {
  readonly readOnly: string;
  readonly suspended: string;
  readonly otherPartner: string;
}

function named(draft: Draft, what: string, change: Partial<Draft>): Draft {
  return { ...draft, ...change, mutations: [...draft.mutations, what] };
}

/** Takes every header of that name away and puts others in its place. */
function withHeader(draft: Draft, name: string, values: readonly string[]): Draft['headers'] {
  return [
    ...draft.headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase()),
    ...values.map((value) => [name, value] as const),
  ];
}

function setHeader(name: string, values: fc.Arbitrary<readonly string[]>): Mutation {
  return (draft) =>
    values.map((list) =>
      named(draft, `${name}: ${JSON.stringify(list).slice(0, 60)}`, { headers: withHeader(draft, name, list) }),
    );
}

/** A header's value must not hold what ends a line; such bytes are the raw corpus's affair. */
const headerText = text.map((value) =>
  value
    .toWellFormed()
    .replace(/\p{Cc}/gu, '?')
    .trim(),
);

const validCorrelation = setHeader(
  'X-Correlation-ID',
  identifierOf(fc.integer({ min: 8, max: 128 })).map((value) => [value]),
);
const badCorrelation: Mutation = (draft) =>
  fc
    .oneof(
      identifierOf(fc.constantFrom(0, 1, 7, 129, 1_000)).map((value) => [value]),
      headerText.filter((value) => !/^[A-Za-z0-9._:-]{8,128}$/.test(value)).map((value) => [value]),
      identifierOf(fc.constant(12)).map((value) => [value, value]),
      fc.constantFrom(['corr-1234, corr-5678'], ['"corr-1234"'], ['corr 1234 5678'], ['corr-12345678\u00a0'], ['corr/../12345']),
    )
    .map((values) => {
      const headers = withHeader(draft, 'X-Correlation-ID', values);
      return named(draft, `X-Correlation-ID: ${JSON.stringify(values).slice(0, 60)}`, { headers, mustBeRefused: true });
    });

const badKey: Mutation = (draft) =>
  fc
    .oneof(
      fc.constant([]),
      identifierOf(edgeLength).map((value) => [value]),
      headerText.map((value) => [value]),
      identifierOf(fc.constant(12)).map((value) => [value, value]),
      identifierOf(fc.constant(12)).map((value) => [value, `${value}x`]),
    )
    .map((values) => {
      const [only] = values;
      const isGood = values.length === 1 && /^[A-Za-z0-9._:-]{8,128}$/.test(only ?? '');
      const headers = withHeader(draft, 'Idempotency-Key', values);
      const mustBeRefused = draft.operation.method === 'POST' && !isGood;
      return named(draft, `Idempotency-Key: ${JSON.stringify(values).slice(0, 60)}`, { headers, mustBeRefused });
    });

const mediaType: Mutation = (draft) =>
  fc
    .constantFrom(
      ...[
        [],
        [''],
        ['text/plain'],
        ['application/xml'],
        ['application/json; charset=latin1'],
        ['application/json;charset=utf-8'],
      ],
      ...[
        ['APPLICATION/JSON'],
        ['application/json; charset="utf-8"'],
        ['application/jsonx'],
        ['application/merge-patch+json'],
        [';'],
      ],
      ...[
        ['application/json, text/plain'],
        ['multipart/form-data; boundary=x'],
        ['application/x-www-form-urlencoded'],
        ['json'],
        ['*/*'],
      ],
      ...[
        ['application/json', 'text/plain'],
        ['text/plain', 'application/json'],
        ['application/json; charset=utf-16'],
        ['\u00e9/\u00e9'],
      ],
      ...[
        ['application/json ; a=b'],
        ['application/json;;;'],
        ['application/json; charset'],
        ['application/json\u00a0'],
        ['a'.repeat(4_000)],
      ],
    )
    .map((values) =>
      named(draft, `Content-Type: ${JSON.stringify(values).slice(0, 60)}`, {
        headers: withHeader(draft, 'Content-Type', values),
      }),
    );

const coding = setHeader(
  'Content-Encoding',
  fc.constantFrom(['gzip'], ['br'], ['identity'], ['deflate, gzip'], ['IDENTITY'], ['x'], ['']),
);

/** A request whose `Expect` is not understood is answered by 417, with or without the rest. */
const expectation = setHeader(
  'Expect',
  fc.constantFrom(['100-continue'], ['100-Continue'], ['200-ok'], ['x'], ['100-continue, x']),
);

function apiKeys({ readOnly, suspended, otherPartner }: OtherKeys): Mutation {
  return (draft) => {
    const own = draft.headers.find(([name]) => name === 'X-API-Key')?.[1] ?? '';
    const wrong = [
      [],
      [''],
      ['x'],
      [own.slice(0, -1)],
      [`${own}0`],
      [own.toLowerCase()],
      [own.replace('sandbox', 'live')],
      [own, own],
    ];
    const more = [[`${own} `.repeat(2)], ['a'.repeat(8_000)], ['\u00e9'.repeat(70)], [`Bearer ${own}`], [own.slice(0, 20)]];
    return fc
      .oneof(
        { weight: 3, arbitrary: fc.constantFrom([readOnly], [suspended], [otherPartner]) },
        { weight: 1, arbitrary: fc.constantFrom(...wrong, ...more) },
      )
      .map((values) => {
        const isValid = [readOnly, suspended, otherPartner].includes(values[0] ?? '');
        const headers = withHeader(draft, 'X-API-Key', values);
        return named(draft, `X-API-Key (${isValid ? 'another' : 'wrong'})`, { headers, mustBeRefused: !isValid });
      });
  };
}

const ODD_HEADERS: Readonly<Record<string, readonly string[]>> = {
  Connection: ['keep-alive', 'Upgrade', 'close', 'keep-alive, close', 'Idempotency-Key', ''],
  Upgrade: ['h2c', 'websocket', 'TLS/1.2'],
  Host: ['', 'a b', '127.0.0.1:99999', '[::1', 'user@host', '\u0645'],
  'X-Forwarded-For': ['10.0.0.1', 'garbage', '1.1.1.1, 2.2.2.2'],
  'X-HTTP-Method-Override': ['PUT', 'DELETE', 'GET'],
  'X-Sandbox-Scenario': ['failed', 'pending'],
  Range: ['bytes=0-1'],
  'If-None-Match': ['*'],
  Accept: ['text/html'],
  'Accept-Encoding': ['br;q=1, *;q=0', 'gzip'],
  'Accept-Version': ['2'],
  Origin: ['https://shop.example'],
  'Access-Control-Request-Method': ['PUT'],
  Cookie: ['a=b'],
  TE: ['trailers'],
  Trailer: ['X-API-Key'],
  'X-Original-URL': ['/docs'],
  'X-Large': ['y'.repeat(6_000)],
  'Idempotent-Replayed': ['true'],
  ['__proto__']: ['x'],
  constructor: ['x'],
};

const oddHeader: Mutation = (draft) =>
  fc
    .constantFrom(...Object.entries(ODD_HEADERS).flatMap(([name, values]) => values.map((value) => [name, value] as const)))
    .map((header) => named(draft, `${header[0]}: ${header[1].slice(0, 40)}`, { headers: [...draft.headers, header] }));

const METHODS = [
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'LOCK',
  'GET',
  'POST',
  'FOO',
  'post',
  'G\u00e9T',
  'PRI',
];
const KNOWN_METHODS = new Set(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'QUERY', 'LOCK', 'GET', 'POST']);

const otherMethod: Mutation = (draft) =>
  fc.constantFrom(...METHODS).map((method) => named(draft, `method ${method}`, { method, isHttp: KNOWN_METHODS.has(method) }));

const oddSegment: Mutation = (draft) => {
  const segments = draft.path.split('/');
  if (segments.length === 1) return fc.constant(draft);
  return fc.record({ index: fc.integer({ min: 1, max: segments.length - 1 }), segment: rawSegment }).map(({ index, segment }) => {
    const path = segments.with(index, segment).join('/');
    return named(draft, `path ${path.slice(0, 60)}`, { path });
  });
};

const otherPath: Mutation = (draft) => {
  const { path } = draft;
  return fc
    .constantFrom(
      ...[
        `${path}/`,
        `/${path}`,
        path.toUpperCase(),
        path.replace('/v1/', '/v2/'),
        path.replace('/v1/', '/v1//'),
        `${path};a=b`,
        `${path}%20`,
      ],
      ...[
        `http://127.0.0.1${path}`,
        `https://elsewhere.example${path}`,
        `${path}/..`,
        `/x/..${path}`,
        `${path}#fragment`,
        `${path}.json`,
      ],
      ...[
        '/',
        '/v1',
        '/v1/',
        '/favicon.ico',
        '/robots.txt',
        '/v1/settlements',
        '/v1/events',
        '/v1/events/',
        '/livez',
        '/metrics',
        '/.env',
        '*',
        '//',
        '/%2e',
      ],
      ...[
        path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
        `/${'a/'.repeat(2_000)}`,
        `/${'a'.repeat(15_000)}`,
      ],
    )
    .map((changed) => named(draft, `path ${changed.slice(0, 60)}`, { path: changed }));
};

const oddQuery: Mutation = (draft) =>
  fc
    .array(
      fc.tuple(
        fc.oneof(
          { weight: 3, arbitrary: fc.constant('partner_event_id') },
          {
            weight: 2,
            arbitrary: fc.constantFrom(
              'partner_event_id[]',
              'Partner_Event_Id',
              '__proto__',
              'constructor',
              'limit',
              'after_sequence',
              '',
              '%70artner_event_id',
              'a[b]',
            ),
          },
          { weight: 1, arbitrary: rawSegment },
        ),
        rawSegment,
      ),
      { maxLength: 3 },
    )
    .map((query) => named(draft, `query ${JSON.stringify(query).slice(0, 60)}`, { query }));

const inChunks: Mutation = (draft) => fc.constant(named(draft, 'in chunks', { isChunked: true }));

const bodyOnGet: Mutation = (draft) =>
  draft.members
    ? fc.constant(draft)
    : fc.constantFrom('{}', 'x', '{"points":1}').map((value) => named(draft, 'a body', { body: Buffer.from(value) }));

/** The wish and its weight. */
export function requestMutations(keys: OtherKeys): readonly { weight: number; mutation: Mutation }[] {
  return [
    { weight: 6, mutation: validCorrelation },
    { weight: 7, mutation: badCorrelation },
    { weight: 10, mutation: badKey },
    { weight: 6, mutation: mediaType },
    { weight: 2, mutation: coding },
    { weight: 1, mutation: expectation },
    { weight: 8, mutation: apiKeys(keys) },
    { weight: 6, mutation: oddHeader },
    { weight: 6, mutation: otherMethod },
    { weight: 10, mutation: oddSegment },
    { weight: 5, mutation: otherPath },
    { weight: 7, mutation: oddQuery },
    { weight: 3, mutation: inChunks },
    { weight: 2, mutation: bodyOnGet },
  ];
}
