export function buildSdk(): boolean;
