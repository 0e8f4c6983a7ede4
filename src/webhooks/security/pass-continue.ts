import type { Socket } from 'node:net';

const INTERIM = 'HTTP/1.1 1';
const CONTINUE = 'HTTP/1.1 100';
const HEAD_END = '\r\n\r\n';

/**
 * Lets `100 Continue`, which no request of the service asks for, precede an answer like every other interim response: a client may
 * discard it (RFC 9110, 15.2.1), and undici ends the connection instead. It reads 102 in its place. One whose head arrives in pieces
 * still ends the connection.
 */
export function passContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  let writtenBytes = 0;
  let isBeforeAnswer = false;
  socket.read = (size) => {
    const chunk: Buffer | null = read(size);
    if (chunk === null) return chunk;
    // The connection carries one request after another, each answered before the next is written.
    if (socket.bytesWritten !== writtenBytes) isBeforeAnswer = true;
    writtenBytes = socket.bytesWritten;
    if (isBeforeAnswer) isBeforeAnswer = readInterim(chunk);
    return chunk;
  };
}

/** @returns Whether the chunk has only whole interim responses. */
function readInterim(chunk: Buffer): boolean {
  let start = 0;
  while (startsWith(chunk, start, INTERIM)) {
    if (startsWith(chunk, start, CONTINUE)) chunk.write('2', start + CONTINUE.length - 1, 'latin1');
    const end = chunk.indexOf(HEAD_END, start, 'latin1');
    if (end < 0) return false;
    start = end + HEAD_END.length;
  }
  return start === chunk.length;
}

function startsWith(chunk: Buffer, start: number, text: string): boolean {
  return chunk.toString('latin1', start, start + text.length) === text;
}
