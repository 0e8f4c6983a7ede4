/** A Postman collection and a Bruno folder out of the OpenAPI document: one request for each operation, a folder for each tag. */
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

function prepareAll({ paths }: ApiDocument): Prepared[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => prepare(path, method, operation)),
  );
}

function prepare(path: string, method: string, operation: Operation): Prepared {
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
      value: exampleOf(parameter),
      isSent: parameter.in === 'path' || parameter.required === true,
    })),
    body: bodyOf(operation),
  };
}

function exampleOf({ example, examples = {}, schema, name, required = false }: Parameter): string {
  const shown = example ?? Object.values(examples)[0]?.value ?? schema?.default;
  if (shown !== undefined) return String(shown);
  // The same key again is a replay: a key of its own for each press of the button would teach the opposite.
  return name === 'Idempotency-Key' && required ? 'the-same-key-again' : '';
}

function bodyOf({ requestBody }: Operation): Prepared['body'] {
  if (!requestBody) return undefined;
  const [type = '', { examples = {} } = {}] = Object.entries(requestBody.content)[0] ?? [];
  const value = Object.values(examples)[0]?.value ?? {};
  return { type, text: typeof value === 'string' ? value : indented(value) };
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

export function renderPostman(document: ApiDocument): string {
  const requests = prepareAll(document);
  const folders = [...new Set(requests.map(({ tag }) => tag))];
  const collection = {
    info: {
      name: document.info.title,
      description:
        'Set base_url and api_key in the variables of the collection. The key is a secret: keep it in a vault or an environment of your own.',
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
    ],
    item: folders.map((name) => ({ name, item: requests.filter(({ tag }) => tag === name).map(postmanRequest) })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function baseUrlOf({ servers }: ApiDocument): string {
  return servers[0]?.variables.base_url.default ?? '';
}

function postmanRequest({ name, method, path, docs, parameters, body }: Prepared) {
  const named = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const segments = path.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const query = named('query').map((each) => ({ key: each.name, value: each.value, ...(!each.isSent && { disabled: true }) }));
  const sent = query.filter((each) => !('disabled' in each)).map(({ key, value }) => `${key}=${encodeURIComponent(value)}`);
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

/** The files of the folder, by their path in it. */
export function renderBruno(document: ApiDocument): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  files.set('bruno.json', `${JSON.stringify({ version: '1', name: document.info.title, type: 'collection' }, null, 2)}\n`);
  files.set('environments/sandbox.bru', `vars {\n  base_url: ${baseUrlOf(document)}\n}\nvars:secret [\n  api_key\n]\n`);
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
  const url = `{{base_url}}/${path.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1')).join('/')}`;
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
