import type { TSchema } from 'typebox';
import { guardNumber, guardWords } from '../domain/settlements/statement/spreadsheet-guard.ts';

/** A record as the lists answer it. */
export type ExportedRecord = Readonly<Record<string, unknown>>;

export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, MemberSchema>>;
}

type MemberSchema = TSchema &
  ObjectSchema & {
    readonly type?: string | readonly string[];
    readonly pattern?: string;
    readonly format?: string;
    readonly items?: ObjectSchema;
    readonly anyOf?: readonly MemberSchema[];
  };

/** A column of an exported list. */
export interface ExportColumn {
  readonly name: string;
  /** The text of the cell, which a spreadsheet shows as it is; empty where the record has no value. */
  textOf(record: ExportedRecord): string;
}

/**
 * The columns of records of one shape: one for each value. A member of a member has both names, as `acknowledgement_status`, and so has a
 * member of the records of a list, as `amounts_currency`: its values share a cell. The lists of such a record are left out.
 */
export function exportColumnsOf(shape: ObjectSchema): ExportColumn[] {
  return valuesOf(shape).map(({ path, guard }) => ({
    name: path.join('_'),
    textOf: (record) => {
      const texts = textsAt(record, path);
      return texts.length === 1 ? guard(texts[0] as string) : guardWords(texts.join('; '));
    },
  }));
}

interface ShapedValue {
  readonly path: readonly string[];
  readonly guard: (text: string) => string;
}

function valuesOf({ properties = {} }: ObjectSchema, isInList = false): ShapedValue[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const shapes = [member, ...(member.anyOf ?? [])];
    const isList = shapes.some(({ items }) => items !== undefined);
    if (isList && isInList) return [];
    const object = shapes.map((each) => each.items ?? each).find(({ properties: own }) => own !== undefined);
    if (!object) return [{ path: [name], guard: guardOf(member) }];
    return valuesOf(object, isInList || isList).map(({ path, guard }) => ({ path: [name, ...path], guard }));
  });
}

/** The values that a path leads to, through the records of a list to those of each. */
function textsAt(value: unknown, [member, ...rest]: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => textsAt(each, member === undefined ? [] : [member, ...rest]));
  if (value === null || value === undefined) return [''];
  if (member !== undefined) return textsAt((value as ExportedRecord)[member], rest);
  return [value instanceof Date ? value.toISOString() : String(value)];
}

/** Whole numbers and decimals are texts of digits. A spreadsheet reads no time of ISO 8601, and keeps it. */
function guardOf({ type, pattern, format }: MemberSchema): ShapedValue['guard'] {
  const isNumber = pattern?.startsWith('^-?\\d+') || [type].flat().some((each) => each === 'integer' || each === 'number');
  if (isNumber) return guardNumber;
  return format === 'date-time' ? (text) => text : guardWords;
}
