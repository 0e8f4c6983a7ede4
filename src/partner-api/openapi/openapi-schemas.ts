import { VERIFICATION_TYPE } from '../../domain/events/event.ts';
import { Contribution } from '../contributions/contribution-schemas.ts';
import { Association, Link, Rejection } from '../emissions/association-schemas.ts';
import { Calculation, EmissionFactors, Estimate } from '../emissions/emissions-schemas.ts';
import { ErrorBody } from '../envelope-schemas.ts';
import { CHALLENGE, EVENT_KINDS, Event, schemaNameOf } from '../events/event-kinds.ts';
import { Settlement } from '../events/event-schemas.ts';

/** Any object of the document. */
export type Json = Record<string, unknown>;

/** The named shapes of the contract; the document refers to them. */
const NAMED = {
  Contribution,
  Association,
  Link,
  Rejection,
  Estimate,
  EmissionFactors,
  Calculation,
  Settlement,
  Event,
  ...Object.fromEntries(Object.entries(EVENT_KINDS).map(([type, { schema }]) => [schemaNameOf(type), schema])),
  [schemaNameOf(VERIFICATION_TYPE)]: CHALLENGE.schema,
  Error: ErrorBody,
};

const nameOf = new Map(Object.entries(NAMED).map(([name, schema]) => [JSON.stringify(schema), name]));

/** The section `components.schemas`. */
export function namedSchemas(): Json {
  return Object.fromEntries(
    Object.entries(NAMED).map(([name, schema]) => [name, nameShapes(JSON.parse(JSON.stringify(schema)), name)]),
  );
}

const OURS = ['x-lenient', 'x-signed', 'x-text'];

/** Replaces every named shape by a reference, and removes keywords that only our validation reads. */
export function nameShapes(value: unknown, ownName?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => nameShapes(item));
  if (typeof value !== 'object' || value === null) return value;
  const name = nameOf.get(JSON.stringify(value));
  if (name !== undefined && name !== ownName) return { $ref: `#/components/schemas/${name}` };
  const kept = Object.entries(value).filter(([member]) => !OURS.includes(member));
  return Object.fromEntries(kept.map(([member, item]) => [member, nameShapes(item)]));
}

/** Removes every `additionalProperties: false`. */
export function openObjects(value: unknown): void {
  eachObject(value, (schema) => {
    if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
  });
}

/** Gives an int64 the maximum of its format, as the nearest number: `writeDocument` writes its digits. */
export function boundIntegers(value: unknown): void {
  eachObject(value, (schema) => {
    if (schema['format'] === 'int64' && 'type' in schema) schema['maximum'] ??= 2 ** 63;
  });
}

function eachObject(value: unknown, use: (object: Json) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) use(value as Json);
  for (const item of Object.values(value)) eachObject(item, use);
}
