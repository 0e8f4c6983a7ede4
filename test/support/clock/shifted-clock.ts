/**
 * Loaded before a program (`node --import`), sets its time of day off by `CLOCK_AHEAD_MS`. What a process measures and waits for goes on
 * as it does, as where a machine's clock is wrong.
 */
const AHEAD_MS = Number(process.env['CLOCK_AHEAD_MS']);
const RightDate = Date;

class ShiftedDate extends RightDate {
  constructor(...parts: [] | ConstructorParameters<DateConstructor>) {
    if (parts.length === 0) super(ShiftedDate.now());
    else super(...(parts as [number]));
  }

  static override now(): number {
    return RightDate.now() + AHEAD_MS;
  }
}

if (Number.isFinite(AHEAD_MS)) globalThis.Date = ShiftedDate as DateConstructor;
