/**
 * Lists as parameters in PostgreSQL's binary form of an array (`array_recv` in `arrayfuncs.c`): the number of dimensions, whether there is
 * a null, the type of the elements, their number and the first index, then each element behind its length. The driver would quote each
 * element and join them to one text, which the server would take apart again.
 */
import { isInt64 } from '../domain/numbers/int64.ts';
import type { Statement } from './query.ts';

interface ElementType {
  /** Of `pg_type`; the same in every database. */
  readonly oid: number;
  /** Whether it can be written. A list with another value is left to the driver, and the server says what it does not accept. */
  readonly fits: (value: unknown) => boolean;
  /** The most bytes that the element takes. */
  readonly roomFor: (value: never) => number;
  /** @returns Where the element ends. */
  readonly write: (buffer: Buffer, value: never, offset: number) => number;
}

/** A UTF-16 code unit takes at most so many bytes as UTF-8. */
const UTF8_BYTES_MAX = 3;
/** A `timestamptz` is microseconds since 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);

const ELEMENT_TYPES: Readonly<Record<string, ElementType>> = {
  text: {
    oid: 25,
    fits: (value) => typeof value === 'string',
    roomFor: (value: string) => value.length * UTF8_BYTES_MAX,
    write: (buffer, value: string, offset) => offset + buffer.write(value, offset),
  },
  bytea: {
    oid: 17,
    fits: (value) => value instanceof Buffer,
    roomFor: (value: Buffer) => value.length,
    write: (buffer, value: Buffer, offset) => offset + value.copy(buffer, offset),
  },
  int4: {
    oid: 23,
    fits: (value) => typeof value === 'number' && (value | 0) === value,
    roomFor: () => 4,
    write: (buffer, value: number, offset) => buffer.writeInt32BE(value, offset),
  },
  int8: {
    oid: 20,
    fits: isInt64,
    roomFor: () => 8,
    write: (buffer, value: bigint, offset) => buffer.writeBigInt64BE(value, offset),
  },
  timestamptz: {
    oid: 1184,
    fits: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    roomFor: () => 8,
    write: (buffer, value: Date, offset) => buffer.writeBigInt64BE(BigInt(value.getTime() - EPOCH_MS) * 1_000n, offset),
  },
};

const LIST_PARAMETER = new RegExp(`\\$(\\d+)::(${Object.keys(ELEMENT_TYPES).join('|')})\\[\\]`, 'g');
/** By the place of the parameter, from 0. */
const typesOfStatements = new WeakMap<Statement, ReadonlyMap<number, ElementType>>();

/** @returns The parameters; those that the statement names as `$1::text[]` are in binary form. */
export function withBinaryLists(statement: Statement, values: unknown[]): unknown[] {
  const types = typesOf(statement);
  if (types.size === 0) return values;
  const writer = new ListWriter();
  return values.map((value, place) => {
    const type = types.get(place);
    return type && Array.isArray(value) && fitsAll(type, value) ? writer.write(type, value) : value;
  });
}

function typesOf(statement: Statement): ReadonlyMap<number, ElementType> {
  let types = typesOfStatements.get(statement);
  if (types === undefined) {
    const named = [...statement.text.matchAll(LIST_PARAMETER)];
    types = new Map(named.map(([, number, name = '']) => [Number(number) - 1, ELEMENT_TYPES[name] as ElementType]));
    typesOfStatements.set(statement, types);
  }
  return types;
}

function fitsAll({ fits }: ElementType, values: readonly unknown[]): boolean {
  for (const value of values) if (!isNull(value) && !fits(value)) return false;
  return true;
}

function isNull(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

const INT4_BYTES = 4;
const HEADER_BYTES = 5 * INT4_BYTES;
const NULL_LENGTH = -1;
const FIRST_BYTES = 2_048;

/** Writes lists one behind the other. Each is a part of the writer's buffer that nothing changes afterwards. */
class ListWriter {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  /** Where the list begins that is being written. */
  #begin = 0;
  #end = 0;

  write({ oid, roomFor, write }: ElementType, values: readonly unknown[]): Buffer {
    this.#begin = this.#end;
    let hasNull = 0;
    this.#writeInts(values.length === 0 ? [0, 0, oid] : [1, hasNull, oid, values.length, 1]);
    for (const value of values) {
      if (isNull(value)) {
        hasNull = 1;
        this.#writeInts([NULL_LENGTH]);
        continue;
      }
      this.#makeRoom(INT4_BYTES + roomFor(value as never));
      const begin = this.#end + INT4_BYTES;
      const end = write(this.#buffer, value as never, begin);
      this.#buffer.writeInt32BE(end - begin, this.#end);
      this.#end = end;
    }
    this.#buffer.writeInt32BE(hasNull, this.#begin + INT4_BYTES);
    return this.#buffer.subarray(this.#begin, this.#end);
  }

  #writeInts(numbers: readonly number[]): void {
    this.#makeRoom(HEADER_BYTES);
    for (const number of numbers) this.#end = this.#buffer.writeInt32BE(number, this.#end);
  }

  /** The list that is being written moves to a larger buffer where this one has no room; those before it keep theirs. */
  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return;
    const written = this.#buffer.subarray(this.#begin, this.#end);
    this.#buffer = Buffer.allocUnsafe(2 * (this.#buffer.length + bytes));
    written.copy(this.#buffer);
    this.#end = written.length;
    this.#begin = 0;
  }
}
