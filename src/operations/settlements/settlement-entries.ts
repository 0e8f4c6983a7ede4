/**
 * How many audit entries about a settlement are read, so that all of them are: it has 23 at most. They are its closing, the partner's
 * dispute and acceptance, and 20 replies to the dispute, after which `replyToDispute` refuses more.
 */
export const SETTLEMENT_ENTRIES_MAX = 100;
