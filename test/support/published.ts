import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { closeAnswers } from '../../reliability/harness/close-answers.ts';
import type { Arrived } from './webhooks/webhook-receiver.ts';

export const writtenDocument = readFileSync(new URL('../../openapi/partner.json', import.meta.url), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: the document is read as the JSON that it is
type Json = any;

/** The interface as partners have it, and with answers closed against members that it does not name. */
export const document: Json = closeAnswers(JSON.parse(writtenDocument));

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
ajv.addFormat('int64', { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 63 });
ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
ajv.addFormat('distance-km', true);
ajv.addSchema(document, 'document');

const validators = new WeakMap<object, ValidateFunction>();

/** Every problem of a value by a schema of the document; empty when it fits. */
export function listMisfits(schema: object, value: unknown): string {
  const validate = validators.get(schema) ?? ajv.compile(rooted(schema));
  validators.set(schema, validate);
  return validate(value) ? '' : ajv.errorsText(validate.errors, { dataVar: 'value' });
}

/** The same with references that reach the document from outside of it. */
function rooted(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(rooted);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, name === '$ref' ? `document${value}` : rooted(value)]),
  );
}

/** Asserts that a delivery has the body and the headers that the document promises for its kind, and no others of ours. */
export function assertPublished({ event, headers }: Arrived): void {
  const { post } = document.webhooks[event.event_type] ?? {};
  assert.ok(post, `${event.event_type} is not in the document`);
  assert.equal(listMisfits(post.requestBody.content['application/json'].schema, event), '');
  const described: Json[] = post.parameters.map(({ $ref }: Json) => document.components.parameters[$ref.split('/').at(-1)]);
  for (const { name, required, schema } of described) {
    const value = headers[name.toLowerCase()];
    if (required || value !== undefined) assert.equal(listMisfits(schema, value), '', name);
  }
  const names = described.map(({ name }) => name.toLowerCase());
  const ours = Object.keys(headers).filter((name) => /^(?:x-|webhook-)/.test(name));
  assert.deepEqual(
    ours.filter((name) => !names.includes(name)),
    [],
  );
}

/** The members of an event, in their order. @see docs/spec/decisions.md#7-events */
export const ENVELOPE_MEMBERS = [
  'event_id',
  'event_type',
  'api_version',
  'environment',
  'sequence',
  'occurred_at',
  'correlation_id',
  'data',
];
