import createSerializers from '@fastify/fast-json-stringify-compiler';
import type { FastifySerializerCompiler } from 'fastify';

type Serializer = ReturnType<FastifySerializerCompiler<unknown>>;

const compile = createSerializers()({}, {}) as FastifySerializerCompiler<unknown>;
/** Several routes give the same answer. */
const compiled = new WeakMap<object, Serializer>();

/** Fastify's own compiler, called for the first answer of a schema: a start does not wait for those of all routes. */
export const serializeLater: FastifySerializerCompiler<unknown> = (route) => (answer) => {
  const schema = route.schema as object;
  const serialize = compiled.get(schema) ?? compile(route);
  compiled.set(schema, serialize);
  return serialize(answer);
};
