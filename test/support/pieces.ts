/** The bytes of a text, cut at these places. */
export async function* cut(text: string, places: readonly number[] = []): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  const ends = [...places.filter((place) => place < bytes.length).sort((one, other) => one - other), bytes.length];
  let start = 0;
  for (const end of ends) {
    yield bytes.subarray(start, end);
    start = end;
  }
}
