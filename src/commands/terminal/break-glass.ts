/** What `--break-glass` says, for the command that runs; loads nothing, because every command has the option. */
let reason: string | undefined;

export function actByBreakGlass(given: string | undefined): void {
  reason = given;
}

export function breakGlassReason(): string | undefined {
  return reason;
}
