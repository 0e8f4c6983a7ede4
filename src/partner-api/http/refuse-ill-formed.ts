import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { invalidRequest, problem, ServiceError, unsupportedHeader } from '../../domain/service-error.ts';

/** Throws `invalid_request` for a head that Node accepts and that a proxy in front of the service may read differently. */
export function refuseIllFormed({ headers, raw }: FastifyRequest): void {
  const sent = headers['x-correlation-id'];
  if (sent !== undefined && !isLongIdentifier(sent)) {
    const message = 'X-Correlation-ID must be a string of 8 to 128 characters out of A-Z a-z 0-9 . _ : -.';
    throw invalidRequest([problem('X-Correlation-ID', 'wrong_form', message)]);
  }
  if (raw.httpVersion !== '1.1') refuseVersion(raw);
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw unsupportedHeader('Expect', 417, 'Expect must be 100-continue.');
  }
  if (headers.host === undefined && raw.httpVersion !== '1.0') throw notClear('The Host header is missing.');
  if (hasTwoHosts(raw.rawHeaders)) throw notClear('The Host header occurs more than once. Send it once.');
}

function refuseVersion({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== '1.0')
    throw notClear('The request line has an HTTP version that the service does not support. Send HTTP/1.1.');
  if (headers['transfer-encoding'] !== undefined)
    throw notClear('HTTP/1.0 has no Transfer-Encoding. Send Content-Length, or use HTTP/1.1.');
}

/** Node gives only the first one. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

/** The end of the request, or its host, is ambiguous, so nothing that follows on the connection is read. */
function notClear(message: string): ServiceError {
  return new ServiceError('invalid_request', message, { headers: { connection: 'close' } });
}
