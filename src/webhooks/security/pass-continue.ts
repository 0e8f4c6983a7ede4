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

/**
 * A receiver chooses how long its heads are, so only the beginning of each is compared, and its end is searched for.
 *
 * @returns A function that reads one chunk after another, and says whether all of them had only interim responses.
 */
function createInterimReader(): (chunk: Buffer) => boolean {
  /** The beginning of the head, as far as it is compared, and its last characters, in which its end may have begun. */
  let [begin, tail] = ['', ''];
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const compared = chunk.toString('latin1', at, at + CONTINUE.length - begin.length);
      begin += compared;
      if (!begin.startsWith(INTERIM.slice(0, begin.length))) return false;
      if (compared !== '' && begin === CONTINUE) chunk.write('2', at + compared.length - 1, 'latin1');
      const end = findEnd(tail, chunk, at);
      if (end !== -1) [begin, tail] = ['', ''];
      else tail = `${tail}${chunk.toString('latin1', Math.max(at, chunk.length - HEAD_END.length))}`.slice(1 - HEAD_END.length);
      at = end === -1 ? chunk.length : end;
    }
    return true;
  };
}

/**
 * @param tail What came before.
 * @returns The place after the end of a head that is not before `from`; -1 without one.
 */
function findEnd(tail: string, chunk: Buffer, from: number): number {
  const across = `${tail}${chunk.toString('latin1', from, from + HEAD_END.length - 1)}`.indexOf(HEAD_END);
  if (across !== -1) return from + across + HEAD_END.length - tail.length;
  const found = chunk.indexOf(HEAD_END, from, 'latin1');
  return found === -1 ? -1 : found + HEAD_END.length;
}
