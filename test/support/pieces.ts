/** The bytes of a text in UTF-8, or these bytes, cut at these places. */
export async function* cut(content: string | Buffer, places: readonly number[] = []): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content as string);
  const ends = [...places.filter((place) => place < bytes.length).sort((one, other) => one - other), bytes.length];
  let start = 0;
  for (const end of ends) {
    yield bytes.subarray(start, end);
    start = end;
  }
}
