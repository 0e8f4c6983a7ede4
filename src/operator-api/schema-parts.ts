import type { TProperties, TSchema } from 'typebox';
import { REASON_CHARACTERS_MAX } from '../domain/single-line-text.ts';
import { closed } from '../partner-api/schema-parts.ts';
import { Type } from '../partner-api/schema-type.ts';

/**
 * What the shapes of this interface are built of. An int64 is a string of its digits; a sum may have more digits than an int64. A shape
 * with a title is a schema of its own in the document.
 */

export { closed, nullable, nullableTime, time } from '../partner-api/schema-parts.ts';

const INTEGER = { pattern: '^-?\\d+$' } as const;

/** Whole points, or another count, in all its digits. */
export const integerText = (description: string) => Type.String({ ...INTEGER, description });
export const nullableIntegerText = (description: string) =>
  Type.Unsafe<string | null>({ ...INTEGER, type: ['string', 'null'], description });
/** The number of decimals to which a page rounds an exact amount, half up, as totals are billed. */
export const minorUnits = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  description: 'How many decimals the currency has, by ISO 4217; `null` without a currency.',
});
/** An amount of money, exact. */
export const decimalText = (description: string) => Type.String({ pattern: '^-?\\d+(\\.\\d+)?$', description });
export const nullableDecimalText = (description: string) =>
  Type.Unsafe<string | null>({ pattern: '^-?\\d+(\\.\\d+)?$', type: ['string', 'null'], description });

export const text = (description: string) => Type.String({ description });
export const nullableText = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const flag = (description: string) => Type.Boolean({ description });

/** One of a closed list. */
export const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });
export const nullableOneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value | null>({ type: ['string', 'null'], enum: [...values, null], description });

/** A shape with a name of its own in the document. */
export const shape = <Properties extends TProperties>(title: string, properties: Properties, more: object = {}) =>
  Type.Object(properties, { ...closed, title, ...more });
export const listOf = <Item extends TSchema>(item: Item, description: string) => Type.Array(item, { description });
export const nullableShape = <Item extends TSchema>(item: Item, description: string) =>
  Type.Union([item, Type.Null()], { description });

/** A line that a person writes. */
export const line = (description: string, maxLength = REASON_CHARACTERS_MAX) =>
  Type.String({ minLength: 1, maxLength, description });
const REASON_FORM = `a line of 1 to ${REASON_CHARACTERS_MAX} characters`;
export const reason = line(`The reason, for whoever looks at the change later: ${REASON_FORM}. The audit keeps it.`);
export const reasonOfChange = Type.Optional(line(`The reason, stored with the change: ${REASON_FORM}.`));

/** A count that stops: nothing counts everything. */
export const BoundedCount = shape(
  'BoundedCount',
  {
    count: count('How many there are, as far as they were counted.'),
    is_more: flag('Whether there are more: the count stopped.'),
  },
  { description: 'A count that stops at 1,000.' },
);

export const boundedToWire = ({ count, isMore }: { readonly count: number; readonly isMore: boolean }) => ({
  count,
  is_more: isMore,
});

export const idParams = <Name extends string>(name: Name, description: string) =>
  Type.Object({ [name]: Type.String({ description }) } as Record<Name, ReturnType<typeof Type.String>>);
export const partnerAnd = <Name extends string>(name: Name, description: string) =>
  Type.Object({
    partner_id: Type.String({ description: 'The id of the partner.' }),
    [name]: Type.String({ description }),
  } as Record<Name | 'partner_id', ReturnType<typeof Type.String>>);
