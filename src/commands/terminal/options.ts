import { InvalidArgumentError } from 'commander';
import { isAddressOrBlock } from '../../domain/access/client-address.ts';
import { readAddress } from '../../domain/access/email-address.ts';
import { parseIsoTime } from '../../domain/iso-time.ts';
import { isInt64 } from '../../domain/numbers/int64.ts';
import { isLine, lineForm } from '../../domain/single-line-text.ts';
import { SERVICE_ROLES, type ServiceRole } from '../../service/role.ts';
import type { AuditHead } from '../../store/audit/audit-head.ts';

/** Invalid words or values; the message says which are valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * @param form The valid form, for the error message.
 */
function numberReader(min: number, max: number, form = `a whole number from ${min} to ${max}`): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be ${form}.`);
  };
}

const BYTES_MAX = 2 ** 50;
const PORT_MAX = 65_535;

export const readRate = numberReader(1, 1_000_000);
export const readBytes = numberReader(1, BYTES_MAX, `a whole number of bytes from 1 to ${BYTES_MAX}`);
export const readHours = numberReader(0, 8_760, 'a whole number of hours, 0 to 8760');
export const readLimit = numberReader(1, 1_000);
/** A number of changes; 0 before the first. */
export const readChangeNo = numberReader(0, 2 ** 31 - 1, 'a whole number of a change, 0 before the first');
export const readSettlementCount = numberReader(0, 2 ** 31 - 1, 'a number of settlements');
export const readProcesses = numberReader(1, 64);
export const readPort = numberReader(0, PORT_MAX, `a port, 0 to ${PORT_MAX}; 0 selects a free one`);
/** Statuses below 200 are interim. */
export const readStatus = numberReader(200, 599, 'an HTTP status, 200 to 599');

/**
 * An integer of 64 bits with all its digits.
 *
 * @param form The valid form, for the error message.
 */
export function integerReader(form: string, { isSigned = false } = {}): (text: string) => bigint {
  const pattern = isSigned ? /^-?\d{1,19}$/ : /^\d{1,19}$/;
  return (text) => {
    if (pattern.test(text) && isInt64(BigInt(text))) return BigInt(text);
    throw new InvalidArgumentError(`It must be ${form}.`);
  };
}

export function readMonth(text: string): string {
  if (/^20\d\d-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a calendar month, such as 2026-11.');
}

export function readFutureTime(text: string): Date {
  const time = readTime(text);
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return time;
}

export function readPastTime(text: string): Date {
  const time = readTime(text);
  if (time.getTime() > Date.now()) throw new InvalidArgumentError('It must not be in the future.');
  return time;
}

function readTime(text: string): Date {
  const time = parseIsoTime(text);
  if (time) return time;
  throw new InvalidArgumentError('It must be a time with its zone, such as 2027-01-31T00:00:00Z.');
}

/** A sequence of a partner's events; 0 is before the first. */
export function readCursor(text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('It must be a whole number, 0 or more.');
}

/** Repeatable. */
export function collectAddress(text: string, collected: readonly string[] = []): string[] {
  if (isAddressOrBlock(text)) return [...collected, text];
  throw new InvalidArgumentError('It must be an address or a CIDR block, such as 203.0.113.7 or 2001:db8::/32.');
}

const NAME_MAX = 200;

export function readName(text: string): string {
  const name = text.trim();
  if (isLine(name, NAME_MAX)) return name;
  throw new InvalidArgumentError(`It must be ${lineForm(name, NAME_MAX)}.`);
}

/** The address identifies a person; no message is sent to it. */
export function readEmail(text: string): string {
  const email = text.trim();
  const read = readAddress(email);
  if ('canonical' in read) return email;
  throw new InvalidArgumentError(read.problem);
}

export function readServiceRoles(text: string): ServiceRole[] {
  const wanted = text.split(',').map((role) => role.trim());
  const unknown = wanted.filter((role) => !(SERVICE_ROLES as readonly string[]).includes(role));
  if (unknown.length === 0) return [...new Set(wanted as ServiceRole[])];
  throw new InvalidArgumentError(`It must be one or more of ${SERVICE_ROLES.join(', ')}, separated by commas.`);
}

export function readUnixSeconds(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be whole seconds since 1970, at most ten digits.');
}

/** An audit entry, in the form in which a verification prints the last one. */
export function readHead(text: string): AuditHead {
  const [, lastNo, lastMac] = /^(\d{1,18}):([0-9a-f]{64})?$/.exec(text) ?? [];
  if (lastNo === undefined || (lastNo === '0') !== (lastMac === undefined))
    throw new InvalidArgumentError('It must be NUMBER:SEAL, where SEAL has 64 hexadecimal digits.');
  return { lastNo: BigInt(lastNo), lastMac: lastMac ?? '' };
}
