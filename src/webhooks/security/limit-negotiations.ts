import type { Socket } from 'node:net';
import { EndlessAnswerError } from './limit-answers.ts';

/** A server of TLS 1.2 that asks for a certificate at some of its paths negotiates once more; what it gets is an answer without one. */
const ANEW_MAX = 4;

/** Servers of TLS 1.3 send two tickets at most usually, and few send four. */
const TICKETS_MAX = 8;

/** Of a connection: a server changes its key after millions of records, and after each change it may ask for one of this side. */
const KEY_UPDATES_MAX = 8;

/**
 * Closes a connection on which a receiver negotiates TLS anew, or sends tickets to resume its session, more often than that: each handshake
 * costs the process a signature and a key exchange, each ticket a session that is read and handed over, and neither is a byte of an answer.
 */
export function limitNegotiations(socket: Socket): void {
  let anew = 0;
  // Of a connection of TLS, at the end of each handshake; this one has had its first.
  socket.on('secure', () => {
    anew++;
    if (anew > ANEW_MAX) socket.destroy(new EndlessAnswerError(`TLS was negotiated anew more than ${ANEW_MAX} times.`));
  });
  let keyUpdates = 0;
  // With each key that is derived after the first handshake. What is in hand is read to its end, at most 64 KiB, and nothing after it.
  socket.on('keylog', () => {
    keyUpdates++;
    if (keyUpdates === KEY_UPDATES_MAX + 1)
      socket.destroy(new EndlessAnswerError(`Keys of TLS were updated more than ${KEY_UPDATES_MAX} times.`));
  });
  let tickets = 0;
  // With each ticket, in the midst of a read of the connection, which ends it only afterwards.
  socket.on('session', () => {
    tickets++;
    if (tickets === TICKETS_MAX + 1)
      setImmediate(() => socket.destroy(new EndlessAnswerError(`More than ${TICKETS_MAX} tickets were sent.`)));
  });
}
