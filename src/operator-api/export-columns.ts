import type { TSchema } from 'typebox';

/** A record as the lists answer it. */
export type ExportedRecord = Readonly<Record<string, unknown>>;

export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, MemberSchema>>;
}

type MemberSchema = TSchema & ObjectSchema & { readonly items?: ObjectSchema; readonly anyOf?: readonly MemberSchema[] };

/** A column of an exported list. */
export interface ExportColumn {
  readonly name: string;
  /** The text of the cell, for people and spreadsheets; empty where the record has no value. */
  textOf(record: ExportedRecord): string;
}

/**
 * The columns of records of one shape: one for each value. A member of a member has both names, as `acknowledgement_status`; the values of
 * a list share a cell.
 */
export function exportColumnsOf(shape: ObjectSchema): ExportColumn[] {
  return valuesOf(shape).map((path) => ({
    name: path.join('_'),
    textOf: (record) =>
      textOf(path.reduce((value: unknown, member) => (value as ExportedRecord | null | undefined)?.[member], record)),
  }));
}

/** The path of each value of a shape. */
function valuesOf({ properties = {} }: ObjectSchema): string[][] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const object = [member, ...(member.anyOf ?? [])].find(({ properties: own }) => own !== undefined);
    return object ? valuesOf(object).map((path) => [name, ...path]) : [[name]];
  });
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
