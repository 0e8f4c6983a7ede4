import type { TSchema } from 'typebox';
import { LONG_IDENTIFIER, SHORT_IDENTIFIER } from '../domain/identifiers.ts';
import { Type } from './schema-type.ts';

/**
 * The parts of the contract's shapes: one form of an identifier, a time, a decimal and an exact integer. The shapes, in the files
 * `…-schemas.ts`, are the one source of validation, serialisation and the OpenAPI document. Keywords of our own: `x-error-code` is the
 * error code of a bad value when it is not `invalid_request`; a value under `x-lenient` is described and not validated, an `int64` under
 * `x-signed` may be 0 or negative, and a string under `x-text` is a line or a text of several lines, without hidden characters.
 *
 * @see docs/spec/interface.md#resources-and-their-fields and docs/spec/interface.md#endpoints.
 */

export const longId = (description: string) => Type.String({ ...LONG_IDENTIFIER, description });
export const shortId = (description: string) => Type.String({ ...SHORT_IDENTIFIER, description });
export const nullable = (schema: object, description: string) =>
  Type.Unsafe<string | null>({ ...schema, type: ['string', 'null'], description });
export const time = (description: string) => Type.String({ format: 'date-time', description });
export const nullableTime = (description: string) => nullable({ format: 'date-time' }, description);
export const decimal = (description: string) => Type.String({ pattern: '^\\d+(\\.\\d+)?$', description });

/** What a person writes, in one line. Its description says the form, which the schema cannot. */
export const line = (description: string, maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    'x-text': 'line',
    description: `${description} A line, not blank, without control characters and other invisible characters.`,
  });

/** Like {@link line}, in one line or several. */
export const nullableText = (description: string, maxLength: number) =>
  nullable(
    { minLength: 1, maxLength, 'x-text': 'text' },
    `${description} A text, not blank, without control characters other than line feeds and without other invisible characters.`,
  );

/** Exact over the whole int64 range: a `bigint` in the code, a JSON integer on the wire. */
export const int64 = (description: string, more: object = {}) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', minimum: 1, description, ...more });

export const count = (description: string) => int64(description, { minimum: 0 });

/** A sum of points, which may exceed int64: a JSON integer with all its digits. */
export const sum = (description: string, more: object = {}) => Type.Unsafe<bigint>({ type: 'integer', ...more, description });

/** One of a closed list. */
export const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });

export const orNull = (schema: TSchema, description: string) => Type.Unsafe({ anyOf: [schema, { type: 'null' }], description });

export const closed = { additionalProperties: false } as const;

export const Environment = Type.Unsafe<'sandbox' | 'production'>({
  type: 'string',
  enum: ['sandbox', 'production'],
  description: 'The environment that the record belongs to.',
});
