/** The month of a whole period: `2026-11` of `2026-11` and of `2026-11-2`. `undefined` for what is none, as while it is typed. */
export function monthOf(period: string | undefined): string | undefined {
  return /^(20\d\d-(?:0[1-9]|1[0-2]))(?:-[1-9]\d*)?$/.exec(period ?? '')?.[1];
}
