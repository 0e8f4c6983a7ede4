import type { Socket } from 'node:net';

/** The answer has no end: nothing more of it is read. */
export class EndlessAnswerError extends Error {
  override readonly name = 'EndlessAnswerError';
}

/** The most bytes of a response to one request: interim responses, head, body and its framing. Of the body 16 KiB are read. */
const ANSWER_MAX_BYTES = 131_072;

/**
 * Closes a connection on which a receiver answers one request with more than this many bytes, whatever they are: HTTP allows any number
 * of interim responses, blank lines and chunk extensions, and all of them are read. The connection carries one request after another,
 * each answered before the next is written.
 */
export function limitAnswers(socket: Socket): void {
  let writtenBytes = 0;
  let readBytes = 0;
  let answeredBytes = 0;
  socket.on('readable', () => {
    if (socket.bytesWritten !== writtenBytes) answeredBytes = readBytes;
    writtenBytes = socket.bytesWritten;
    readBytes = socket.bytesRead;
    if (readBytes - answeredBytes > ANSWER_MAX_BYTES)
      socket.destroy(new EndlessAnswerError(`More than ${ANSWER_MAX_BYTES} bytes were answered to one request.`));
  });
}
