/** What `--break-glass` says, for the one command of this process; loads nothing, because every command has the option. */
let reason: string | undefined;

export function actByBreakGlass(given: string): void {
  reason = given;
}

export function breakGlassReason(): string | undefined {
  return reason;
}
