import type { Socket } from 'node:net';
import { EndlessAnswerError } from './limit-answers.ts';

/** A server of TLS 1.2 that asks for a certificate at some of its paths negotiates once more; what it gets is an answer without one. */
const ANEW_MAX = 4;

/**
 * Closes a connection on which a receiver negotiates TLS anew more often than that: each time costs the process a signature and a key
 * exchange, and no byte of an answer.
 */
export function limitNegotiations(socket: Socket): void {
  let anew = 0;
  // Of a connection of TLS, at the end of each handshake; this one has had its first.
  socket.on('secure', () => {
    anew++;
    if (anew > ANEW_MAX) socket.destroy(new EndlessAnswerError(`TLS was negotiated anew more than ${ANEW_MAX} times.`));
  });
}
