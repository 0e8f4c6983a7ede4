/** The OpenAPI document as the fuzzer uses it: what to send, and what an answer must look like. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { closeAnswers } from '../harness/close-answers.ts';

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly deprecated?: boolean;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST';
  /** Such as `/v1/impact-transactions/{transaction_id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: JsonSchema | undefined;
}

/** What operators or time do, done in a sandbox on request. */
export function isRehearsal({ path }: Operation): boolean {
  return path.startsWith('/v1/sandbox/');
}

interface DocumentOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
  readonly responses: Readonly<Record<string, unknown>>;
}

const FILE = new URL('../../openapi/partner.json', import.meta.url);
const document: { paths: Record<string, Record<string, DocumentOperation>> } = closeAnswers(
  JSON.parse(readFileSync(FILE, 'utf8')),
);

export const OPERATIONS: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
    operationId,
    method: method.toUpperCase() as Operation['method'],
    path,
    parameters,
    body: requestBody?.content['application/json'].schema,
  })),
);

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
ajv.addFormat('int64', true);
ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
ajv.addFormat('distance-km', true);
ajv.addSchema(document, 'document');

/** The operation that a request reaches; `undefined` for a path or method that the document does not have. */
export function findOperation(method: string, target: string): Operation | undefined {
  const path = decodeLetters(target.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1)[0] ?? '');
  return OPERATIONS.find(
    (operation) => operation.method === (method === 'HEAD' ? 'GET' : method) && patternOf(operation).test(path),
  );
}

/** `%76` is another spelling of `v`; `%2F` is no separator of segments. */
function decodeLetters(path: string): string {
  return path.replace(/%([2-7][0-9a-f])/gi, (encoded, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return character === '/' || character === '%' ? encoded : character;
  });
}

function patternOf({ path }: Operation): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/**
 * What is wrong with the body of an answer by the document: the schema of its status, else that of `default`, else, for a
 * path that the document does not have, that of an error.
 *
 * @returns `undefined` when it fits.
 */
export function describeMisfit(operation: Operation | undefined, status: number, body: unknown): string | undefined {
  const validate = validatorOf(operation, status);
  return validate(body) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
}

const validators = new Map<string, ValidateFunction>();

function validatorOf(operation: Operation | undefined, status: number): ValidateFunction {
  const reference = referenceOf(operation, status);
  const known = validators.get(reference) ?? ajv.compile({ $ref: `document#${reference}` });
  validators.set(reference, known);
  return known;
}

function referenceOf(operation: Operation | undefined, status: number): string {
  if (!operation) return '/components/schemas/Error';
  const method = operation.method.toLowerCase();
  const described = document.paths[operation.path]?.[method];
  const key = described && Object.hasOwn(described.responses, status) ? status : 'default';
  return `/paths/${operation.path.replaceAll('/', '~1').replace(/[{}]/g, encodeURIComponent)}/${method}/responses/${key}/content/application~1json/schema`;
}
