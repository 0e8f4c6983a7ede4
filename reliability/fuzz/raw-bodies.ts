/** What can be wrong with the length of a body, its chunks and what follows it. */
import { CONFIRM, type Corpus, name } from './raw-case.ts';

export function addLengths(corpus: Corpus): void {
  const values = [
    '+LENGTH',
    '-1',
    '-LENGTH',
    '0xff',
    'LENGTH,LENGTH',
    'LENGTH, LENGTH',
    '',
    ' ',
    'abc',
    '1e2',
    'LENGTH.0',
    'LENGTH;',
    '"LENGTH"',
  ];
  const large = ['99999999999999999999', '18446744073709551616', '9223372036854775807', '4294967296', '65537', '1000000'];
  for (const value of [...values, ...large]) corpus.addConfirmation(`length ${name(value)}`, `Content-Length: ${value}\r\n`);
  corpus.addConfirmation('length with zeros before it', 'Content-Length: 000LENGTH\r\n', { mayStore: true });
  corpus.addConfirmation('length with blanks around it', 'Content-Length:   LENGTH  \r\n', { mayStore: true, isCutOff: false });
  corpus.addConfirmation('two different lengths', 'Content-Length: LENGTH\r\nContent-Length: 5\r\n');
  corpus.addConfirmation('two equal lengths', 'Content-Length: LENGTH\r\nContent-Length: LENGTH\r\n', { mayStore: true });
  corpus.addConfirmation('no length', '');
  corpus.addConfirmation('length 0', 'Content-Length: 0\r\n');
  corpus.addConfirmation('length too small', 'Content-Length: 20\r\n');
  corpus.addConfirmation('length larger than what comes', 'Content-Length: 500\r\n');
}

/** The body in one chunk. */
export const asChunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

export function addTransferCodings(corpus: Corpus): void {
  const values = [
    'chunked, identity',
    'identity',
    'gzip, chunked',
    'chunked, chunked',
    'xchunked',
    'chunkedx',
    'chunked;q=1',
    '"chunked"',
  ];
  for (const value of [
    ...values,
    ' ',
    ',',
    'chunked,',
    ', chunked',
    'chun\tked',
    '\x0bchunked',
    'chunked\x00',
    'Chunked\xa0',
    'gzip',
    'deflate',
  ]) {
    corpus.addConfirmation(`coding ${name(value)}`, `Transfer-Encoding: ${value}\r\n`, {
      payload: asChunk,
      mayStore: value === ', chunked' || value === 'gzip, chunked',
    });
  }
  corpus.addConfirmation('coding CHUNKED', 'Transfer-Encoding: CHUNKED\r\n', {
    payload: asChunk,
    mayStore: true,
    isCutOff: false,
  });
  corpus.addConfirmation('coding twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', { payload: asChunk });
  corpus.addConfirmation('coding and then another', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', {
    payload: asChunk,
  });
  corpus.addConfirmation('coding and length', 'Transfer-Encoding: chunked\r\nContent-Length: LENGTH\r\n', { payload: asChunk });
  corpus.addConfirmation('length and coding', 'Content-Length: LENGTH\r\nTransfer-Encoding: chunked\r\n', { payload: asChunk });
}

/** A second confirmation hides where one side reads a body and the other the next request. It must never be stored. */
export function addSmuggling(corpus: Corpus): void {
  const frames: Record<string, (hidden: string) => string> = {
    'length before coding': (hidden) =>
      `Content-Length: ${hidden.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    'coding before length': (hidden) => `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
    'coding with a blank before the colon': (hidden) =>
      `Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${hidden}`,
    'coding that is none': (hidden) => `Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${hidden}`,
    'two lengths': (hidden) => `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    'folded coding': (hidden) => `Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${hidden}`,
    'line feed before the coding': (hidden) => `X: y\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${hidden}`,
    'negative length': (hidden) => `Content-Length: -1\r\n\r\n${hidden}`,
    'length with a sign': (hidden) => `Content-Length: +0\r\n\r\n${hidden}`,
    'chunk size with a sign': (hidden) => `Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n${hidden}`,
    'chunk size too large': (hidden) => `Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n\r\n${hidden}`,
    'chunk extension with a line feed': (hidden) => `Transfer-Encoding: chunked\r\n\r\n0;\n\r\n\r\n${hidden}`,
  };
  for (const [what, frame] of Object.entries(frames)) {
    const [outer, hidden] = [corpus.newEvent(), corpus.newEvent()];
    const text = `POST ${CONFIRM} HTTP/1.1\r\n${corpus.headers(outer)}${frame(corpus.confirmation(hidden))}`;
    corpus.add(`smuggling by ${what}`, text, { isCutOff: true, events: [outer, hidden] });
  }
}

export function addChunks(corpus: Corpus): void {
  const bad: Record<string, (body: string) => string> = {
    'size that is no number': (body) => `g\r\n${body}\r\n0\r\n\r\n`,
    'negative size': (body) => `-1\r\n${body}\r\n0\r\n\r\n`,
    'size with 0x': (body) => `0x${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    'empty size': (body) => `\r\n${body}\r\n0\r\n\r\n`,
    'size after a blank': (body) => ` ${asChunk(body)}`,
    'size too small': (body) => `5\r\n${body}\r\n0\r\n\r\n`,
    'size too large': (body) => `ff\r\n${body}\r\n0\r\n\r\n`,
    'size beyond 64 bits': (body) => `ffffffffffffffffffff\r\n${body}\r\n0\r\n\r\n`,
    'no line end after the chunk': (body) => `${body.length.toString(16)}\r\n${body}0\r\n\r\n`,
    'line feeds alone': (body) => `${body.length.toString(16)}\n${body}\n0\n\n`,
    'no last chunk': (body) => `${body.length.toString(16)}\r\n${body}\r\n`,
    'last chunk cut off': (body) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n`,
    'extension of 20 KB': (body) => `${body.length.toString(16)};${'a'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`,
    'bad trailer': (body) => `${body.length.toString(16)}\r\n${body}\r\n0\r\nbad trailer\r\n\r\n`,
    'trailers of 20 KB': (body) => `${body.length.toString(16)}\r\n${body}\r\n0\r\nX-T: ${'a'.repeat(20_000)}\r\n\r\n`,
    'body of 100 KB': (body) => asChunk(body + ' '.repeat(100_000)),
  };
  for (const [what, payload] of Object.entries(bad))
    corpus.addConfirmation(`chunk: ${what}`, 'Transfer-Encoding: chunked\r\n', { payload });
  const good: Record<string, (body: string) => string> = {
    'one byte each': (body) => `${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
    'size with zeros before it': (body) => `000${asChunk(body)}`,
    'small extension': (body) => asChunk(body).replace('\r\n', ';a=b\r\n'),
    'small trailer': (body) => asChunk(body).replace(/\r\n\r\n$/, '\r\nX-T: 1\r\n\r\n'),
  };
  for (const [what, payload] of Object.entries(good)) {
    corpus.addConfirmation(`chunk: ${what}`, 'Transfer-Encoding: chunked\r\n', { payload, mayStore: true, isCutOff: false });
  }
}

/** What follows a good request must not change what its sender learns of it. */
export function addPipelines(corpus: Corpus): void {
  const tails = [
    'garbage\r\n\r\n',
    '\0\0\0\0',
    '{"points":1}',
    'GET / HTTP/9.9\r\n\r\n',
    'POST',
    '\r\n\r\n',
    '\xff\xfe',
    'G'.repeat(20_000),
    ' ',
    'HTTP/1.1 400\r\n\r\n',
  ];
  for (const tail of tails) {
    const event = corpus.newEvent();
    corpus.add(`confirmation, then ${name(tail)}`, corpus.confirmation(event) + tail, { events: [event], storable: [event] });
    corpus.add(`look-up, then ${name(tail)}`, corpus.lookup + tail, { isCutOff: true });
  }
  const [first, second, third] = [corpus.newEvent(), corpus.newEvent(), corpus.newEvent()];
  const both = { events: [first, second], storable: [first, second] };
  corpus.add('two confirmations at once', corpus.confirmation(first) + corpus.confirmation(second), both);
  corpus.add(
    'confirmation, then one with a bad length',
    `${corpus.confirmation(third)}POST ${CONFIRM} HTTP/1.1\r\nContent-Length: x\r\n\r\n`,
    {
      events: [third],
      storable: [third],
    },
  );
  const event = corpus.newEvent();
  corpus.add('the same confirmation eight times at once', corpus.confirmation(event).repeat(8), {
    events: [event],
    storable: [event],
  });
}

export function addCutOffs(corpus: Corpus): void {
  const length = corpus.confirmation(corpus.newEvent()).length;
  for (const share of [0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97]) {
    const event = corpus.newEvent();
    const text = corpus.confirmation(event).slice(0, Math.floor(length * share));
    corpus.add(`cut off after ${Math.round(share * 100)} %`, text, { isCutOff: true, events: [event] });
  }
  const event = corpus.newEvent();
  corpus.add('whole, and then closed by the sender', corpus.confirmation(event), {
    isCutOff: true,
    events: [event],
    storable: [event],
  });
}
