/** The members that have a value: an interface knows no `undefined`. */
export function present<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined | ''> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== '')) as never;
}
