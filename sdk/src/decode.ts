import type { ExactJson } from './exact-json.ts';

export type JsonObject = { readonly [name: string]: ExactJson };

/** Members that say what became of a contribution: the outcome and the type of an event say it, and nothing else may be asked. */
const STATUS_MEMBERS: ReadonlySet<string> = new Set(['contribution_status', 'non_refundable', 'point_restoration_authorized']);

export function isJsonObject(value: ExactJson | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The value with names in camelCase, and without the members that say what became of a contribution. `T` is its generated type.
 *
 * @param name Of the member that had the value, where it may be a contribution.
 */
export function decode<T>(value: ExactJson | undefined, name = ''): T {
  return camel(value ?? null, name) as T;
}

function camel(value: ExactJson, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => camel(item, ''));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(
    ([member]) => !STATUS_MEMBERS.has(member) && !(name === 'contribution' && member === 'status'),
  );
  return Object.fromEntries(members.map(([member, item]) => [camelCase(member), camel(item, member)]));
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
}
