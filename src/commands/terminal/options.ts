import { InvalidArgumentError } from 'commander';
import { isAddressOrBlock } from '../../domain/access/client-address.ts';
import { readAddress } from '../../domain/access/email-address.ts';
import { isLine, lineForm } from '../../domain/single-line-text.ts';
import { SERVICE_ROLES, type ServiceRole } from '../../service/role.ts';
import type { AuditHead } from '../../store/audit/audit.ts';

/** What was asked for makes no sense; the message says what would. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const RATE_MAX = 1_000_000;

export function readRate(text: string): number {
  const rate = Number(text);
  if (/^\d+$/.test(text) && rate >= 1 && rate <= RATE_MAX) return rate;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${RATE_MAX}.`);
}

const BYTES_MAX = 2 ** 50;

export function readBytes(text: string): number {
  const bytes = Number(text);
  if (/^\d+$/.test(text) && bytes >= 1 && bytes <= BYTES_MAX) return bytes;
  throw new InvalidArgumentError(`It must be a whole number of bytes from 1 to ${BYTES_MAX}.`);
}

export function readHours(text: string): number {
  const hours = Number(text);
  if (/^\d+$/.test(text) && hours <= 8_760) return hours;
  throw new InvalidArgumentError('It must be a whole number of hours, 0 to 8760.');
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
  const time = new Date(text);
  const hasZone = /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  if (hasZone && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('It must be a time with its zone, such as 2027-01-31T00:00:00Z.');
}

const LIMIT_MAX = 1_000;

export function readLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
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

/** By which a person is told from others; nothing is sent there. */
export function readEmail(text: string): string {
  const email = text.trim();
  const read = readAddress(email);
  if ('canonical' in read) return email;
  throw new InvalidArgumentError(read.problem);
}

const PROCESSES_MAX = 64;

export function readProcesses(text: string): number {
  const processes = Number(text);
  if (/^\d+$/.test(text) && processes >= 1 && processes <= PROCESSES_MAX) return processes;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${PROCESSES_MAX}.`);
}

export function readServiceRoles(text: string): ServiceRole[] {
  const wanted = text.split(',').map((role) => role.trim());
  const unknown = wanted.filter((role) => !(SERVICE_ROLES as readonly string[]).includes(role));
  if (unknown.length === 0) return [...new Set(wanted as ServiceRole[])];
  throw new InvalidArgumentError(`It must be one or more of ${SERVICE_ROLES.join(', ')}, separated by commas.`);
}

const PORT_MAX = 65_535;

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`It must be a port, 0 to ${PORT_MAX}; 0 selects a free one.`);
}

/** Below 200 are no answers but announcements of one. */
export function readStatus(text: string): number {
  const status = Number(text);
  if (/^\d{3}$/.test(text) && status >= 200 && status <= 599) return status;
  throw new InvalidArgumentError('It must be an HTTP status, 200 to 599.');
}

export function readUnixSeconds(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be whole seconds since 1970, at most ten digits.');
}

/** An entry of the audit, as a verification shows the last one. */
export function readHead(text: string): AuditHead {
  const [, lastNo, lastMac] = /^(\d{1,18}):([0-9a-f]{64})?$/.exec(text) ?? [];
  if (lastNo === undefined || (lastNo === '0') !== (lastMac === undefined))
    throw new InvalidArgumentError('It must be NUMBER:SEAL, where SEAL has 64 hexadecimal digits.');
  return { lastNo: BigInt(lastNo), lastMac: lastMac ?? '' };
}
