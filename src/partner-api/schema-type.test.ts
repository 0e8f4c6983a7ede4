import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from './schema-type.ts';

/** One of each, with and without options, inside each other. */
function build(type: typeof Type) {
  const name = type.String({ minLength: 1, description: 'A name.' });
  return [
    ...[type.String(), type.Boolean(), type.Integer(), type.Null(), type.Object({})],
    ...[type.Literal('tree', { description: 'The unit.' }), type.Literal(true), type.Literal(5)],
    ...[type.Array(name), type.Array(name, { maxItems: 3 }), type.Union([name, type.Null()], { description: 'A name or null.' })],
    ...[type.Record(type.String(), name), type.Record(type.String(), name, { description: 'Names.' })],
    ...[type.Unsafe<bigint>({ type: 'integer', format: 'int64' }), type.Unsafe<string>(name)],
    type.Object(
      { name, note: type.Optional(name), at: type.Optional(type.Unsafe<null>({ type: 'null' })), both: type.Boolean() },
      { additionalProperties: false, description: 'A thing.' },
    ),
    type.Object({ note: type.Optional(type.Object({ name })) }),
  ];
}

test('each builder makes the schema that TypeBox makes, word for word', () => {
  assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox)));
});

test('a schema that is optional in one object is required in another', () => {
  const name = Type.String();
  assert.deepEqual(Type.Object({ name: Type.Optional(name) }).required, undefined);
  assert.deepEqual(Type.Object({ name }).required, ['name']);
});
