import type { Socket } from 'node:net';

const INTERIM = 'HTTP/1.1 1';
const CONTINUE = 'HTTP/1.1 100';
const HEAD_END = '\r\n\r\n';

/**
 * Lets `100 Continue`, which no request of the service asks for, precede an answer like every other interim response: a client may
 * discard it (RFC 9110, 15.2.1), and undici ends the connection instead. It reads 102 in its place.
 */
export function passContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  let writtenBytes = 0;
  let readInterim: ((chunk: Buffer) => boolean) | undefined;
  socket.read = (size) => {
    const chunk: Buffer | null = read(size);
    if (chunk === null) return chunk;
    // The connection carries one request after another, each answered before the next is written.
    if (socket.bytesWritten !== writtenBytes) readInterim = createInterimReader();
    writtenBytes = socket.bytesWritten;
    if (readInterim?.(chunk) === false) readInterim = undefined;
    return chunk;
  };
}

/** @returns A function that reads one chunk after another, and says whether all of them had only interim responses. */
function createInterimReader(): (chunk: Buffer) => boolean {
  let begin = '';
  let ended = 0;
  return (chunk) => {
    for (const [index, byte] of chunk.entries()) {
      const letter = String.fromCharCode(byte);
      if (begin.length <= CONTINUE.length) begin += letter;
      if (!begin.startsWith(INTERIM.slice(0, begin.length))) return false;
      if (begin === CONTINUE) chunk.write('2', index, 'latin1');
      ended = readEnd(ended, letter);
      if (ended === HEAD_END.length) begin = '';
    }
    return true;
  };
}

/** @returns How many characters of the end of a head have been read, after this one. */
function readEnd(ended: number, letter: string): number {
  return letter === HEAD_END[ended] ? ended + 1 : Number(letter === HEAD_END[0]);
}
