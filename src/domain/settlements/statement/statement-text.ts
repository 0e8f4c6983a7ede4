/** One line of a file as text. */
export interface TextLine {
  readonly text: string;
  /** A line feed ends it; the last line of a file that was cut off has none. */
  readonly hasEnd: boolean;
}

/** Longer than any line of a statement: 18 cells of 128 characters at most. What goes on after so many is cut there. */
export const LINE_BYTES_MAX = 4_096;

/**
 * The lines of a file, as its bytes come. Every form of a statement's cell is of ASCII, so a byte of anything else is as wrong in
 * Latin 1 as in UTF-8.
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
