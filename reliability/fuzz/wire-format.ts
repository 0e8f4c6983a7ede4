/** HTTP/1.1 as bytes: requests are written exactly as they are meant, answers are read strictly. */

export interface WireAnswer {
  readonly status: number;
  /** In their order and spelling, repeated ones included. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const HEAD_END = '\r\n\r\n';

/**
 * Reads one answer from the start of the bytes; interim answers (1xx) before it are skipped.
 *
 * @returns `undefined` while it is not all there.
 * @throws Error When the bytes are not an HTTP answer.
 */
export function readAnswer(bytes: Buffer, { isHead = false } = {}): { answer: WireAnswer; length: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const [, code] = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine) ?? [];
  if (!code) throw new Error(`not a status line: ${JSON.stringify(statusLine.slice(0, 100))}`);
  const headers = lines.map(readHeader);
  const bodyStart = headEnd + HEAD_END.length;
  const status = Number(code);
  if (status < 200) {
    const next = readAnswer(bytes.subarray(bodyStart), { isHead });
    return next && { answer: next.answer, length: next.length + bodyStart };
  }
  const body =
    isHead || status === 204 || status === 304 ? { text: '', length: 0 } : readBody(bytes.subarray(bodyStart), headers);
  return body && { answer: { status, headers, body: body.text }, length: bodyStart + body.length };
}

/** The only value of a header; `undefined` when there is none or more than one. */
export function onlyHeader({ headers }: Pick<WireAnswer, 'headers'>, name: string): string | undefined {
  const values = headers.filter(([each]) => each.toLowerCase() === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
}

function readHeader(line: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`not a header field: ${JSON.stringify(line.slice(0, 100))}`);
  return [name, value];
}

interface Body {
  readonly text: string;
  /** Bytes that it takes, framing included. */
  readonly length: number;
}

function readBody(bytes: Buffer, headers: readonly [string, string][]): Body | undefined {
  if (onlyHeader({ headers }, 'transfer-encoding')?.toLowerCase() === 'chunked') return readChunks(bytes);
  const length = Number(onlyHeader({ headers }, 'content-length') ?? Number.NaN);
  if (!Number.isInteger(length)) throw new Error('an answer without a length');
  return bytes.length >= length ? { text: bytes.subarray(0, length).toString('utf8'), length } : undefined;
}

function readChunks(bytes: Buffer): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { text: Buffer.concat(chunks).toString('utf8'), length: next };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
