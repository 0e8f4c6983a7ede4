/**
 * Whether the client takes an answer that is compressed with gzip.
 *
 * @param accepted The header `Accept-Encoding`.
 * @see RFC 9110, section 12.5.3.
 */
export function takesGzip(accepted: string | readonly string[] = ''): boolean {
  const named = String(accepted)
    .split(',')
    .map((each) => /^\s*([\w*]+)\s*(?:;\s*q=([\d.]+))?\s*$/i.exec(each));
  return named.some((each) => each?.[1]?.toLowerCase() === 'gzip' && Number(each[2] ?? 1) > 0);
}

/**
 * Whether the client has the bytes of an entity tag. A tag that a proxy made weak, because it compressed the answer, names the same.
 *
 * @param named The header `If-None-Match`: `*`, or tags with commas between them.
 * @see RFC 9110, section 13.1.2.
 */
export function hasTag(named: string | undefined, tag: string): boolean {
  if (named === undefined) return false;
  if (named.trim() === '*') return true;
  return (named.match(/(?:W\/)?"[^"]*"/g) ?? []).some((each) => opaque(each) === opaque(tag));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
