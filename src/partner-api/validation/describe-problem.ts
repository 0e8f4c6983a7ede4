import type { ErrorObject } from 'ajv';
import { distance } from 'fastest-levenshtein';
import type { DetailCode } from '../../domain/detail-codes.ts';
import { DISTANCE_DECIMALS, findDistanceProblem } from '../../domain/emissions/distance.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { type ErrorDetail, wrongForm } from '../../domain/service-error.ts';
import { countCharacters, escapeHidden } from '../../domain/single-line-text.ts';
import { describeBounds, type IntegerBounds, integerProblem } from './integer-text.ts';
import type { RequestPart } from './problems.ts';
import { hintAtPlus, TIME_FORM } from './read-time.ts';
import { FORMS, type TextForm } from './text-forms.ts';

type Schema = Record<string, unknown>;

/** Field names as people write them, when they differ from the wire. */
const FIELD_NAMES = new Map([['idempotency-key', 'Idempotency-Key']]);

/** A problem in words: the field, the required form, the actual form. The value itself is never repeated: it may be personal. */
export function describeProblem(part: RequestPart, field: string, error: ErrorObject): ErrorDetail {
  const shown = FIELD_NAMES.get(field) ?? printable(field);
  const place = part === 'body' ? '' : part === 'query' ? ' in the query' : ' in the headers';
  if (error.keyword === 'required') return { field: shown, code: 'missing', message: `${shown} is missing${place}.` };
  if (error.keyword === 'additionalProperties') {
    const similar = findSimilar(field, error);
    const nextStep = similar === undefined ? 'remove it.' : `did you mean ${similar}?`;
    return { field: shown, code: 'unknown_field', message: `${shown} is not a field of this operation${place}; ${nextStep}` };
  }
  if (error.instancePath === '') {
    const message = `The ${part} must be a JSON object; ${describeOther(error.data)}.`;
    return { field: shown, code: 'wrong_type', message };
  }
  if (error.keyword === 'x-text') return wrongForm(shown, describeWritten(error));
  const schema = (error.parentSchema?.['described'] ?? error.parentSchema ?? {}) as Schema;
  const code = problemCode(part, schema, error.data);
  const form = describeForm(part, schema);
  if (part === 'query' && Array.isArray(error.data)) {
    const message = `${shown} occurs ${error.data.length} times in the query; send it once, as ${form}.`;
    return { field: shown, code, message };
  }
  const nextStep = schema['default'] === undefined ? '' : ` Correct it, or leave it out for ${schema['default']}.`;
  const hint = schema['format'] === 'date-time' ? hintAtPlus(error.data) : '';
  return {
    field: shown,
    code,
    message: `${shown} must be ${form}; ${describeValue(error.data, code, schema)}.${nextStep}${hint}`,
  };
}

function describeWritten({ schema, parentSchema, data }: ErrorObject): string {
  return FORMS[schema as TextForm].describe(data as string, Number((parentSchema as Schema)['maxLength']));
}

const MISTYPED_MAX = 2;

/** The field whose name is mistyped, shortened, or written in another style, unless it was sent too. */
function findSimilar(name: string, { parentSchema, data }: ErrorObject): string | undefined {
  const plain = (each: string) => each.toLowerCase().replaceAll(/[_-]/g, '');
  const known = Object.keys((parentSchema as Schema)['properties'] ?? {}).filter((each) => !Object.hasOwn(data as object, each));
  const start = name.slice(0, NAME_SHOWN);
  const mistyped = (each: string) => plain(each).length > 2 * MISTYPED_MAX && distance(plain(start), plain(each)) <= MISTYPED_MAX;
  return known.find(mistyped) ?? findWhole(start, known);
}

/** The only field whose name is longer than this one at its beginning or its end. */
function findWhole(part: string, known: readonly string[]): string | undefined {
  if (part.length <= 2 * MISTYPED_MAX) return undefined;
  const [only, ...others] = known.filter((each) => each.startsWith(`${part}_`) || each.endsWith(`_${part}`));
  return others.length === 0 ? only : undefined;
}

/** Characters of the name of an unknown member that an answer repeats: it may have fifty of them. */
const NAME_SHOWN = 64;

/** The name of a member comes from outside: its beginning, in its own letters, with what cannot be seen escaped. */
function printable(name: string): string {
  return [...escapeHidden(name.slice(0, NAME_SHOWN))].slice(0, NAME_SHOWN).join('');
}

function describeForm(part: RequestPart, schema: Schema): string {
  if (isDigits(part, schema)) return describeBounds(schema);
  if (schema['format'] === 'int64')
    return `a whole number from ${schema['x-signed'] ? '-9223372036854775808' : '1'} to 9223372036854775807, as a JSON number`;
  if (schema['format'] === 'distance-km') {
    return 'a decimal in a string, greater than 0 and at most 200, with at most three decimals and no sign, exponent or leading zeros, such as "12.5"';
  }
  if (schema['format'] === 'date-time') return TIME_FORM;
  if (schema['format'] === 'page-cursor')
    return 'the next_after of a page of this list, or be left out to start with the first page';
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `"${value}"`).join(' or ');
  if (schema['type'] === 'array') return describeList(part, schema);
  if (schema['type'] === 'boolean') return 'true or false';
  const orNull = Array.isArray(schema['type']) && schema['type'].includes('null') ? ', or null' : '';
  if (schema['minLength'] === undefined) return `a text${orNull}`;
  if (schema['pattern'] === undefined) return `a text of ${schema['minLength']} to ${schema['maxLength']} characters${orNull}`;
  return `a string of ${schema['minLength']} to ${schema['maxLength']} characters out of A-Z a-z 0-9 . _ : -${orNull}`;
}

function describeList(part: RequestPart, schema: Schema): string {
  const { items = {}, minItems = 0, maxItems, uniqueItems } = schema as { [name: string]: unknown; items?: Schema };
  return `a list of ${minItems} to ${maxItems}${uniqueItems ? ' different' : ''} elements, each ${describeForm(part, items)}`;
}

/** A query has no numbers, only their text. */
function isDigits(part: RequestPart, schema: Schema): schema is Schema & IntegerBounds {
  return part === 'query' && schema['type'] === 'integer';
}

function problemCode(part: RequestPart, schema: Schema, value: unknown): DetailCode {
  if (isDigits(part, schema)) return typeof value === 'string' ? (integerProblem(value, schema) ?? 'wrong_form') : 'wrong_type';
  if (schema['format'] === 'int64') return pointsProblem(value, schema['x-signed'] === true);
  if (schema['type'] === 'array') return Array.isArray(value) ? 'wrong_form' : 'wrong_type';
  if (typeof value !== 'string' || schema['type'] === 'boolean') return 'wrong_type';
  return textProblem(value, schema);
}

function textProblem(value: string, schema: Schema): DetailCode {
  if (Array.isArray(schema['enum'])) return 'unsupported_value';
  if (schema['format'] === 'distance-km') return findDistanceProblem(value) ?? 'wrong_form';
  if (schema['format'] === 'page-cursor' || schema['format'] === 'date-time') return 'wrong_form';
  const count = countCharacters(value);
  if (count < Number(schema['minLength'])) return 'too_short';
  return count > Number(schema['maxLength']) ? 'too_long' : 'invalid_characters';
}

function pointsProblem(value: unknown, isSigned: boolean): DetailCode {
  if (typeof value === 'bigint') return value < (isSigned ? 0n : 1n) ? 'too_small' : 'too_large';
  if (typeof value !== 'number') return 'wrong_type';
  return Math.abs(value) >= 2 ** 63 ? 'too_large' : 'not_whole';
}

/** What stands where an object must be. */
function describeOther(value: unknown): string {
  if (value === undefined) return 'it is missing';
  return Array.isArray(value) ? 'it is an array' : describeValue(value, 'wrong_type', {});
}

function describeValue(value: unknown, code: DetailCode, schema: Schema): string {
  if (code === 'too_small' || code === 'too_large') return code === 'too_small' ? 'it is too small' : 'it is too large';
  if (code === 'not_whole') return 'it is not whole';
  if (value === null) return 'it is null';
  if (Array.isArray(value))
    return value.length === 0 ? 'it is an empty array' : `it is an array of ${pluralise(value.length, 'element')}`;
  if (typeof value === 'string') return describeText(value, code, schema);
  if (typeof value === 'bigint' || typeof value === 'number')
    return isText(schema) ? 'it is a number: write it in quotation marks' : 'it is a number';
  return typeof value === 'boolean' ? 'it is a boolean' : 'it is an object';
}

function isText({ type }: Schema): boolean {
  return [type].flat().includes('string');
}

function describeText(value: string, code: DetailCode, schema: Schema): string {
  if (value === '') return 'it is empty';
  if (code === 'wrong_type') return 'it is a string';
  if (schema['format'] === 'distance-km') return describeDistance(value);
  const place = code === 'invalid_characters' ? findOutside(value, schema) : 0;
  return place > 0
    ? `its character ${place} is none of them`
    : `it is a string of ${pluralise(countCharacters(value), 'character')}`;
}

/** In Arabic a decimal has other digits and another mark than a full stop. */
function describeDistance(value: string): string {
  const place = [...value].findIndex((each) => !/[0-9.]/.test(each)) + 1;
  if (place > 0) return `its character ${place} is neither a digit 0 to 9 nor a full stop`;
  const decimals = value.split('.')[1]?.length ?? 0;
  if (decimals > DISTANCE_DECIMALS) return `it has ${decimals} decimals`;
  return /^0\d/.test(value) ? 'it has leading zeros' : `it is a string of ${pluralise(value.length, 'character')}`;
}

/** @returns The place of the first character that the pattern of single characters excludes, from 1 on; 0 without one. */
function findOutside(value: string, { pattern }: Schema): number {
  const [allowed] = /^\[[^\]]+\]/.exec(String(pattern).replace(/^\^/, '')) ?? [];
  return allowed === undefined ? 0 : [...value].findIndex((each) => !new RegExp(`^${allowed}$`).test(each)) + 1;
}
