/** What a partner may store in a UTC day. Confirmations count, and are never refused for it. */
export interface PartnerQuota {
  readonly bytesPerDay: number;
  readonly listsPerDay: number;
}

/** For a partner without a quota of its own. */
export const DEFAULT_QUOTA: PartnerQuota = { bytesPerDay: 2 * 1024 ** 3, listsPerDay: 100 };
