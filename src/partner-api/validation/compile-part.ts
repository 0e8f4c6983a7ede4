import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { readDistanceKm } from '../../domain/emissions/distance.ts';
import { ERROR_CODES, type ErrorCode } from '../../domain/error-codes.ts';
import { parseIsoTime } from '../../domain/iso-time.ts';
import { isPoints, isSignedPoints } from '../../domain/numbers/points.ts';
import { describeProblem } from './describe-problem.ts';
import { type IntegerBounds, isIntegerText } from './integer-text.ts';
import { type Problem, type RequestPart, SHOWN_MAX } from './problems.ts';
import { FORMS, type TextForm } from './text-forms.ts';

type Schema = Record<string, unknown>;

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  strict: false,
  // The schemas are this service's own.
  meta: false,
  validateSchema: false,
});
ajv.addKeyword({
  keyword: 'int64',
  errors: false,
  validate: (sign: 'signed' | 'positive', value: unknown) => (sign === 'signed' ? isSignedPoints(value) : isPoints(value)),
});
ajv.addKeyword({
  keyword: 'digits',
  errors: false,
  validate: (bounds: IntegerBounds, value: unknown) => typeof value === 'string' && isIntegerText(value, bounds),
});
ajv.addKeyword({
  keyword: 'x-text',
  type: 'string',
  errors: false,
  validate: (form: TextForm, text: string, schema?: Schema) => FORMS[form].accepts(text, Number(schema?.['maxLength'])),
});
ajv.addFormat('distance-km', { type: 'string', validate: (text: string) => readDistanceKm(text) !== undefined });
ajv.addFormat('date-time', { type: 'string', validate: (text: string) => parseIsoTime(text) !== undefined });
ajv.addFormat('page-cursor', true);

/** Replaces the types of exact integers by keywords of their own, and drops what is only described. */
function forValidation(schema: unknown, part: RequestPart): unknown {
  if (Array.isArray(schema)) return schema.map((item) => forValidation(item, part));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, format, 'x-lenient': isLenient, 'x-signed': isSigned } = schema as Schema;
  if (isLenient) return {};
  if (part === 'query' && type === 'integer') return { digits: schema, described: schema };
  if (format === 'int64') return { int64: isSigned ? 'signed' : 'positive', described: schema };
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, forValidation(value, part)]));
}
ajv.addKeyword({ keyword: 'described' });

type Validate = (value: unknown) => readonly Problem[];

/** The validator of each schema that was compiled. GET and HEAD of a path share a schema, and so do the services of one process. */
const compiled: Record<RequestPart, WeakMap<object, Validate>> = {
  headers: new WeakMap(),
  query: new WeakMap(),
  body: new WeakMap(),
};

/**
 * Compiles one part of a request, once for each schema, when the first request asks: a start does not wait for all.
 *
 * @returns A function that lists what is wrong with a value, a problem per field, in the order of the schema's fields.
 */
export function compilePart(part: RequestPart, schema: object): Validate {
  const validator = compiled[part].get(schema) ?? compile(part, schema);
  compiled[part].set(schema, validator);
  return validator;
}

function compile(part: RequestPart, schema: object): Validate {
  let validate: ValidateFunction | undefined;
  const order = Object.keys((schema as { properties?: object }).properties ?? {});
  const isClosed = (schema as { additionalProperties?: unknown }).additionalProperties === false;
  return (value) => {
    const { checked, omitted } = isClosed ? omitUnknown(value, order) : { checked: value, omitted: 0 };
    validate ??= ajv.compile(forValidation(schema, part) as Schema);
    const problems = validate(checked) ? [] : listProblems(part, order, validate);
    return omitted === 0 ? problems : [...problems, ...new Array<Problem>(omitted).fill(ONE_MORE)];
  };
}

/** Stands for a problem beyond those in the answer. */
const ONE_MORE: Problem = {
  errorCode: 'invalid_request',
  describe: () => ({
    field: 'request',
    code: 'unknown_field',
    message: 'It has fields that this operation does not have; remove them.',
  }),
};

/** Unknown members beyond those in the answer are only counted: thousands of them must cost no more than reading them. */
function omitUnknown(value: unknown, known: readonly string[]): { checked: unknown; omitted: number } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { checked: value, omitted: 0 };
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  const omitted = unknown.slice(SHOWN_MAX);
  if (omitted.length === 0) return { checked: value, omitted: 0 };
  const kept = [...known.filter((name) => Object.hasOwn(value, name)), ...unknown.slice(0, SHOWN_MAX)];
  const members = kept.map((name) => [name, (value as Record<string, unknown>)[name]]);
  return { checked: Object.fromEntries(members), omitted: omitted.length };
}

function listProblems(part: RequestPart, order: readonly string[], { errors }: ValidateFunction): Problem[] {
  const byField = new Map<string, Problem>();
  for (const error of errors ?? []) {
    const field = fieldOf(error) ?? part;
    if (byField.has(field)) continue;
    byField.set(field, { errorCode: errorCodeOf(error), describe: () => describeProblem(part, field, error) });
  }
  const place = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length);
  return [...byField.entries()].sort(([a], [b]) => place(a) - place(b)).map(([, problem]) => problem);
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): string | undefined {
  if (keyword === 'required') return params['missingProperty'] as string;
  if (keyword === 'additionalProperties') return params['additionalProperty'] as string;
  return instancePath === '' ? undefined : instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A missing field is structural, whatever its own code is. */
function errorCodeOf({ keyword, parentSchema }: ErrorObject): ErrorCode {
  if (keyword === 'required') return 'invalid_request';
  const described = (parentSchema?.['described'] ?? parentSchema) as Schema | undefined;
  const code = described?.['x-error-code'];
  return typeof code === 'string' && code in ERROR_CODES ? (code as ErrorCode) : 'invalid_request';
}
