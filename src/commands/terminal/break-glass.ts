/** The value of `--break-glass` for the running command. Loads no module, because every command has the option. */
let reason: string | undefined;

export function actByBreakGlass(given: string | undefined): void {
  reason = given;
}

export function breakGlassReason(): string | undefined {
  return reason;
}
