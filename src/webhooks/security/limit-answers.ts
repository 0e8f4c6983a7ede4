import type { Socket } from 'node:net';

/** What was answered has no end: nothing more of it is read. */
export class EndlessAnswerError extends Error {
  override readonly name = 'EndlessAnswerError';
}

/** Of everything that comes for one request: announcements, head, body and what frames it. Of the body 16 KiB are read. */
const ANSWER_MAX_BYTES = 131_072;

/**
 * Cuts a connection on which a receiver answers one request with more than so many bytes, whatever they are: HTTP allows any number of
 * announcements, blank lines and extensions of chunks around an answer, and all of them are read.
 *
 * The connection carries one request after the other, each answered before the next is written.
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
