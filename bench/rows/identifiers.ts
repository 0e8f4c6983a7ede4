/**
 * The identifiers of the load are computed from a number, so that rows made by SQL can be asked for by the load without
 * handing over a list. Three places compute them alike: here for this process and for SQL, and `wrk/requests.lua`.
 *
 * Event ids and idempotency keys begin with eight digits that jump over the whole range, as partners' UUIDs do: their index
 * entries land everywhere, not conveniently side by side. Order references count up, as those of a shop.
 */

/** Odd, so that no two numbers below 2^32 meet; small enough that the product with 130 million is exact in a double. */
const SPREAD_FACTOR = 69_069_019;
const SPREAD_RANGE = 2 ** 32;

function spread(number: number): string {
  return ((number * SPREAD_FACTOR) % SPREAD_RANGE).toString(16).padStart(8, '0');
}

function digits(number: number, length: number): string {
  return String(number).padStart(length, '0');
}

/** Nine characters that no other load of any run has: letters and digits in small print. */
export function newToken(): string {
  return (Date.now() * 1_000 + Math.floor(Math.random() * 1_000)).toString(36).slice(-9);
}

export const eventId = (token: string, number: number) => `evt-${spread(number)}-${token}-${digits(number, 10)}`;
export const orderRef = (token: string, number: number) => `order-${token}-${digits(number, 10)}`;
export const idempotencyKey = (token: string, number: number) => `${spread(number)}-${token}-key-${digits(number, 12)}`;
/** `00` where a real one has its time: those made by SQL sort before all that the service makes. */
export const transactionId = (token: string, number: number) => `txn_00${token}${digits(number, 15)}`;
export const calculationId = (token: string, number: number) => `calc_00${token}${digits(number, 15)}`;

/** The same as SQL expressions over a `bigint`. */
export function identifierSql(token: string, number: string) {
  const spreadSql = `lpad(to_hex(${number} * ${SPREAD_FACTOR} % ${SPREAD_RANGE}), 8, '0')`;
  const digitsSql = (length: number) => `lpad((${number})::text, ${length}, '0')`;
  return {
    eventId: `'evt-' || ${spreadSql} || '-${token}-' || ${digitsSql(10)}`,
    orderRef: `'order-${token}-' || ${digitsSql(10)}`,
    idempotencyKey: `${spreadSql} || '-${token}-key-' || ${digitsSql(12)}`,
    transactionId: `'txn_00${token}' || ${digitsSql(15)}`,
    calculationId: `'calc_00${token}' || ${digitsSql(15)}`,
  };
}
