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
 * The columns of records of one shape: one for each value. A member of a member has both names, as `acknowledgement_status`; the values of
 * a list share a cell.
 */
export function exportColumnsOf(shape: ObjectSchema): ExportColumn[] {
  return valuesOf(shape).map(({ path, guard }) => ({
    name: path.join('_'),
    textOf: (record) =>
      guard(textOf(path.reduce((value: unknown, member) => (value as ExportedRecord | null | undefined)?.[member], record))),
  }));
}

interface ShapedValue {
  readonly path: readonly string[];
  readonly guard: (text: string) => string;
}

function valuesOf({ properties = {} }: ObjectSchema): ShapedValue[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const object = [member, ...(member.anyOf ?? [])].find(({ properties: own }) => own !== undefined);
    if (!object) return [{ path: [name], guard: guardOf(member) }];
    return valuesOf(object).map(({ path, guard }) => ({ path: [name, ...path], guard }));
  });
}

/** Whole numbers and decimals are texts of digits. A spreadsheet reads no time of ISO 8601, and keeps it. */
function guardOf({ type, pattern, format }: MemberSchema): ShapedValue['guard'] {
  const isNumber = pattern?.startsWith('^-?\\d+') || [type].flat().some((each) => each === 'integer' || each === 'number');
  if (isNumber) return guardNumber;
  return format === 'date-time' ? (text) => text : guardWords;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(textOf).join('; ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, member]) => `${name} ${textOf(member)}`)
      .join(', ');
  return String(value);
}
