import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  close(): void;
}

const PORT = 53;
const TYPE_V4 = 1;
const HEADER_BYTES = 12;
/** Type and class, behind the zero that ends the name. */
const QUESTION_TAIL_BYTES = 5;

/**
 * Answers for the names of a network of its own, anew each time: nobody may keep an answer for later.
 *
 * @param addressOf The IPv4 address of a name; without one it is said to have none.
 */
export async function openNameServer(host: string, addressOf: (name: string) => string | undefined): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, HEADER_BYTES) + QUESTION_TAIL_BYTES;
    const question = query.subarray(HEADER_BYTES, end);
    const found = question.readUInt16BE(question.length - 4) === TYPE_V4 ? addressOf(readName(question)) : undefined;
    const header = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, found ? 1 : 0, 0, 0, 0, 0])]);
    socket.send(Buffer.concat([header, question, found ? writeAnswer(found) : Buffer.alloc(0)]), port, address);
  });
  socket.bind(PORT, host);
  await once(socket, 'listening');
  return { close: () => void socket.close() };
}

/** Labels, each behind its length. */
function readName(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 0; question[at]; at += 1 + (question[at] ?? 0))
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
  return labels.join('.').toLowerCase();
}

/** The name of the question, an address of version 4, no time to live. */
function writeAnswer(address: string): Buffer {
  return Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_V4, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
}
