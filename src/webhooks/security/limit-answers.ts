import type { Socket } from 'node:net';

/** The answer has no end: nothing more of it is read. */
export class EndlessAnswerError extends Error {
  override readonly name = 'EndlessAnswerError';
}

/** The most bytes of a response to one request: interim responses, head, body and its framing. Of the body 16 KiB are read. */
export const ANSWER_MAX_BYTES = 131_072;

/** The most reads of one: each record of TLS is one, and may have a single byte. A server that writes line by line has some tens. */
const ANSWER_MAX_READS = 2_048;

/**
 * Closes a connection on which a receiver answers one request with more than this many bytes, or in more than this many pieces, whatever they
 * are: HTTP allows any number of interim responses, blank lines and chunk extensions, and all of them are read. The connection carries one request after another,
 * each answered before the next is written.
 */
export function limitAnswers(socket: Socket): void {
  let writtenBytes = 0;
  let readBytes = 0;
  let answeredBytes = 0;
  let reads = 0;
  socket.on('readable', () => {
    if (socket.bytesWritten !== writtenBytes) [answeredBytes, reads] = [readBytes, 0];
    writtenBytes = socket.bytesWritten;
    readBytes = socket.bytesRead;
    reads++;
    if (readBytes - answeredBytes > ANSWER_MAX_BYTES)
      socket.destroy(new EndlessAnswerError(`More than ${ANSWER_MAX_BYTES} bytes were answered to one request.`));
    else if (reads > ANSWER_MAX_READS)
      socket.destroy(new EndlessAnswerError(`One request was answered in more than ${ANSWER_MAX_READS} pieces.`));
  });
}
