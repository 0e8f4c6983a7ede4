/** One line of a file as text. */
export interface TextLine {
  readonly text: string;
  /** A line feed ends it; the last line of a truncated file has none. */
  readonly hasEnd: boolean;
}

/** Longer than any line of a statement: 18 cells of 128 characters at most. A longer line is cut here. */
export const LINE_BYTES_MAX = 4_096;

/**
 * The lines of a file, as its bytes arrive. Every cell of a statement is ASCII, so a byte of anything else is as wrong in Latin 1 as in
 * UTF-8.
 */
export async function* readTextLines(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<TextLine> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')).split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_BYTES_MAX + 1);
    for (const text of lines) yield { text, hasEnd: true };
  }
  if (rest !== '') yield { text: rest, hasEnd: false };
}
