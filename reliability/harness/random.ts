/** Numbers that a seed determines, so that a run can be repeated. */
export interface Random {
  /** 0 inclusive to 1 exclusive. */
  fraction(): number;
  /** Both ends included. */
  whole(min: number, max: number): number;
  chance(share: number): boolean;
}

/** Mulberry32: 32 bits of state, far more than enough for a schedule. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction,
    whole: (min, max) => min + Math.floor(fraction() * (max - min + 1)),
    chance: (share) => fraction() < share,
  };
}

/** A seed for a run that was given none; it is printed, so that the run can be repeated. */
export function freshSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
