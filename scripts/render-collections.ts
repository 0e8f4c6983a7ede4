/**
 * A Postman collection and a Bruno folder out of the OpenAPI document: one request for each operation, a folder for each tag. The ids of an
 * answer are kept in variables, and the next requests send them: a look-up asks for what was just confirmed.
 */
import { exactJson } from '../src/wire/exact-json.ts';

interface Example {
  readonly value: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
  readonly schema?: { readonly default?: unknown };
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Example>> }>>;
  };
}

export interface ApiDocument {
  readonly info: { readonly title: string };
  readonly servers: readonly { readonly variables: { readonly base_url: { readonly default: string } } }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const PARTNERS_ID = 'partner_event_id';

/** As they are run one after the other: what makes a record comes before what reads it. */
const FOLDERS = ['Contributions', 'Emissions', 'Self-service', 'Sandbox', 'Settlements', 'Environment', 'Events'];

/** A request as both programs show it. */
interface Prepared {
  readonly name: string;
  readonly tag: string;
  readonly method: string;
  /** Segments; one in braces is a parameter. */
  readonly path: readonly string[];
  readonly docs: string;
  readonly parameters: readonly (Pick<Parameter, 'name' | 'in'> & { readonly value: string; readonly isSent: boolean })[];
  readonly body: { readonly type: string; readonly text: string } | undefined;
}

/** What a request names and no answer tells: the address of the partner's receiver, which a body calls `url`. */
const RECEIVER = { member: 'url', name: 'receiver_url' };

/** What a program knows before the first answer: the first example of each. */
function findVariables(document: ApiDocument): ReadonlyMap<string, string> {
  const bodies = operationsOf(document).map(({ requestBody }) => JSON.stringify(requestBody ?? ''));
  const [, url = ''] = bodies.map((body) => /"url":"([^"]*)"/.exec(body)).find((found) => found) ?? [];
  return new Map([[RECEIVER.name, url], ...findIds(document)]);
}

function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** The ids that requests name in their paths, and the partner's own of a look-up, with the first example of each. */
function findIds(document: ApiDocument): ReadonlyMap<string, string> {
  const parameters = operationsOf(document).flatMap((operation) => operation.parameters ?? []);
  const ids = parameters.filter((each) => each.in === 'path' || each.name === PARTNERS_ID);
  return new Map(ids.map(({ name }) => [name, exampleOf(ids.find((each) => each.name === name) as Parameter)]));
}

function prepareAll(document: ApiDocument): Prepared[] {
  const ids = findIds(document);
  const requests = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => prepare(path, method, operation, ids)),
  );
  return requests.toSorted((a, b) => FOLDERS.indexOf(a.tag) - FOLDERS.indexOf(b.tag) || placeOf(a) - placeOf(b));
}

/** What takes a record away comes after all others of its folder. */
function placeOf({ method }: Prepared): number {
  return method === 'delete' ? 1 : 0;
}

function prepare(path: string, method: string, operation: Operation, ids: ReadonlyMap<string, string>): Prepared {
  const { operationId, tags, summary = operationId, description = '', parameters = [] } = operation;
  return {
    name: operationId,
    tag: tags[0] ?? 'Other',
    method,
    path: path.split('/').slice(1),
    docs: `${summary}\n\n${description}`.trim(),
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      value: ids.has(parameter.name) ? variable(parameter.name) : exampleOf(parameter),
      isSent: parameter.in === 'path' || parameter.required === true,
    })),
    body: bodyOf(operation, ids),
  };
}

/** As both programs write it. */
function variable(name: string): string {
  return `{{${name}}}`;
}

function exampleOf({ example, examples = {}, schema, name, required = false }: Parameter): string {
  const shown = example ?? Object.values(examples)[0]?.value ?? schema?.default;
  if (shown !== undefined) return String(shown);
  // The same key again is a replay: a key of its own for each press of the button would teach the opposite.
  return name === 'Idempotency-Key' && required ? 'the-same-key-again' : '';
}

function bodyOf({ requestBody }: Operation, ids: ReadonlyMap<string, string>): Prepared['body'] {
  if (!requestBody) return undefined;
  const [type = '', { examples = {} } = {}] = Object.entries(requestBody.content)[0] ?? [];
  const value = Object.values(examples)[0]?.value ?? {};
  return { type, text: typeof value === 'string' ? value : withVariables(indented(value), ids) };
}

/** The partner's own id of a contribution is what a confirmation decides. A list of ids has one. */
function withVariables(body: string, ids: ReadonlyMap<string, string>): string {
  return body.replace(/"(\w+)": (\[\s*)?"[^"]*"/g, (member, name: string, list: string = '') => {
    const named = name === RECEIVER.member ? RECEIVER.name : list ? name.replace(/s$/, '') : name;
    const isKnown = named === RECEIVER.name || (ids.has(named) && named !== PARTNERS_ID);
    return isKnown ? `"${name}": ${list}"${variable(named)}"` : member;
  });
}

/** Written out, with every digit. */
function indented(value: unknown): string {
  return JSON.stringify(
    JSON.parse(exactJson(value), (_name, member: unknown, { source } = { source: '' }) => exactNumber(member, source)),
    null,
    2,
  );
}

function exactNumber(member: unknown, source: string | undefined): unknown {
  return typeof member === 'number' && source ? JSON.rawJSON(source) : member;
}

/** What a second run meets, in both programs. */
const KEYS_ARE_FIXED =
  'Each POST has a fixed Idempotency-Key: sent again unchanged it gets its first answer. For another request change the key, and in a confirmation the partner_event_id and the order too; the answer is a conflict otherwise.';

export function renderPostman(document: ApiDocument): string {
  const requests = prepareAll(document);
  const collection = {
    info: {
      name: document.info.title,
      description: `Set base_url, api_key and receiver_url in the variables of the collection. The key is a secret: keep it in a vault or an environment of your own. ${KEYS_ARE_FIXED}`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-API-Key', type: 'string' },
        { key: 'value', value: '{{api_key}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'base_url', value: baseUrlOf(document) },
      { key: 'api_key', value: '' },
      ...[...findVariables(document)].map(([key, value]) => ({ key, value })),
    ],
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: keepIds(document, POSTMAN) } }],
    item: FOLDERS.map((name) => ({ name, item: requests.filter(({ tag }) => tag === name).map(postmanRequest) })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

interface Scripting {
  readonly status: string;
  /** The answer read as JSON; it may be a text. */
  readonly answer: string;
  readonly set: string;
}

const POSTMAN: Scripting = {
  status: 'pm.response.code',
  answer: "(pm.response.headers.get('Content-Type') || '').includes('json') ? pm.response.json() : null",
  set: 'pm.collectionVariables.set',
};
const BRUNO: Scripting = { status: 'res.getStatus()', answer: 'res.getBody()', set: 'bru.setVar' };

/**
 * A script that keeps the first of each id in an answer. Of settlements a closed one comes first: an open one takes no request. A failed
 * contribution takes none either. The endpoints of a list are those that receive events already, and the next requests change and delete.
 */
function keepIds(document: ApiDocument, { status, answer, set }: Scripting): string[] {
  return [
    `const missing = new Set(${JSON.stringify([...findIds(document).keys()])});`,
    'function keep(value, passedOver) {',
    '  if (value.status === passedOver || value.failed_at || value.webhook_endpoints) return;',
    '  for (const [name, member] of Object.entries(value)) {',
    "    if (member !== null && typeof member === 'object') keep(member, passedOver);",
    `    else if (typeof member === 'string' && missing.delete(name)) ${set}(name, member);`,
    '  }',
    '}',
    `const answer = ${answer};`,
    `if (${status} < 300 && answer !== null && typeof answer === 'object')`,
    "  for (const passedOver of ['open', null]) keep(answer, passedOver);",
  ];
}

function baseUrlOf({ servers }: ApiDocument): string {
  return servers[0]?.variables.base_url.default ?? '';
}

function postmanRequest({ name, method, path, docs, parameters, body }: Prepared) {
  const named = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const segments = path.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const query = named('query').map((each) => ({ key: each.name, value: each.value, ...(!each.isSent && { disabled: true }) }));
  const sent = query.filter((each) => !('disabled' in each)).map(({ key, value }) => `${key}=${inQuery(value)}`);
  const header = named('header').map((each) => ({ key: each.name, value: each.value, ...(!each.isSent && { disabled: true }) }));
  return {
    name,
    request: {
      method: method.toUpperCase(),
      description: docs,
      header: [...(body ? [{ key: 'Content-Type', value: body.type }] : []), ...header],
      url: {
        raw: `{{base_url}}/${segments.join('/')}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
        host: ['{{base_url}}'],
        path: segments,
        query,
        variable: named('path').map((each) => ({ key: each.name, value: each.value })),
      },
      ...(body && { body: { mode: 'raw', raw: body.text } }),
    },
  };
}

/** A variable is written as it is. */
function inQuery(value: string): string {
  return value.startsWith('{{') ? value : encodeURIComponent(value);
}

/** The files of the folder, by their path in it. */
export function renderBruno(document: ApiDocument): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  files.set('bruno.json', `${JSON.stringify({ version: '1', name: document.info.title, type: 'collection' }, null, 2)}\n`);
  const known = [...findVariables(document)].map(([name, value]) => `${name}: ${value}`);
  const variables = block('vars', [`base_url: ${baseUrlOf(document)}`, ...known]);
  files.set('environments/sandbox.bru', `${variables}vars:secret [\n  api_key\n]\n`);
  const guide = `Set base_url, api_key and receiver_url in the environment sandbox. ${KEYS_ARE_FIXED} Bruno may show large integers of an answer rounded.`;
  files.set('collection.bru', `${block('script:post-response', keepIds(document, BRUNO))}\n${block('docs', [guide])}`);
  for (const [index, name] of FOLDERS.entries())
    files.set(`${name}/folder.bru`, block('meta', [`name: ${name}`, `seq: ${index + 1}`]));
  const seqOf = new Map<string, number>();
  for (const request of prepareAll(document)) {
    const seq = (seqOf.get(request.tag) ?? 0) + 1;
    seqOf.set(request.tag, seq);
    files.set(`${request.tag}/${request.name}.bru`, brunoRequest(request, seq));
  }
  return files;
}

function brunoRequest({ name, method, path, docs, parameters, body }: Prepared, seq: number): string {
  const kind = bodyKindOf(body);
  // Bruno sends the query of the address; its block of parameters is a view of it.
  const sent = parameters
    .filter((each) => each.in === 'query' && each.isSent)
    .map((each) => `${each.name}=${inQuery(each.value)}`);
  const segments = path.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const url = `{{base_url}}/${segments.join('/')}${sent.length > 0 ? `?${sent.join('&')}` : ''}`;
  const linesOf = (place: string) =>
    parameters.filter((each) => each.in === place).map((each) => `${each.isSent ? '' : '~'}${each.name}: ${each.value}`);
  const headers = ['X-API-Key: {{api_key}}', ...(body ? [`Content-Type: ${body.type}`] : []), ...linesOf('header')];
  return [
    block('meta', [`name: ${name}`, 'type: http', `seq: ${seq}`]),
    block(method, [`url: ${url}`, `body: ${kind}`, 'auth: none']),
    block('params:query', linesOf('query')),
    block('params:path', linesOf('path')),
    block('headers', headers),
    block(`body:${kind}`, body ? body.text.trimEnd().split('\n') : []),
    block('docs', docs.split('\n')),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

function bodyKindOf(body: Prepared['body']): string {
  if (!body) return 'none';
  return body.type === 'application/json' ? 'json' : 'text';
}

/** Nothing for a block without lines. */
function block(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${name} {\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n}\n`;
}
