import type { Type as TypeBox } from 'typebox';

type Shape = Record<string, unknown>;

/** TypeBox's own mark. */
const OPTIONAL = '~optional';

const created =
  (shape: Shape) =>
  (options: Shape = {}): Shape => ({ ...shape, ...options });

function object(properties: Record<string, Shape>, options: Shape = {}): Shape {
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name]));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function isOptional(schema: Shape | undefined): boolean {
  return schema !== undefined && OPTIONAL in schema;
}

/** The mark is no part of the schema: nothing that writes or copies schemas sees it. */
function optional(schema: Shape): Shape {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true });
}

/**
 * The schema builders of TypeBox that the routes use, with its types. The package itself has hundreds of modules, and loading them would
 * take a tenth of the start of the service.
 */
export const Type = {
  Object: object,
  Optional: optional,
  Array: (items: Shape, options: Shape = {}) => ({ type: 'array', items, ...options }),
  Record: (_key: Shape, value: Shape, options: Shape = {}) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Union: (anyOf: Shape[], options: Shape = {}) => ({ anyOf, ...options }),
  Literal: (value: unknown, options: Shape = {}) => ({ type: typeof value, const: value, ...options }),
  Unsafe: (schema: Shape) => ({ ...schema }),
  String: created({ type: 'string' }),
  Integer: created({ type: 'integer' }),
  Boolean: created({ type: 'boolean' }),
  Null: created({ type: 'null' }),
} as unknown as Pick<
  typeof TypeBox,
  'Object' | 'Optional' | 'Array' | 'Record' | 'Union' | 'Literal' | 'Unsafe' | 'String' | 'Integer' | 'Boolean' | 'Null'
>;
