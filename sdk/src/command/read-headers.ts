import { parseExactJson } from '../exact-json.ts';

/**
 * Header fields from a text, names in lower case: either a JSON object of names to values, or lines `Name: value` as curl prints them,
 * with or without the line of the request or the status, and with or without the marks `<` and `>`. The values of a repeated field are
 * joined by a comma, as Node does.
 *
 * @throws SyntaxError The message is a reason without a full stop, to stand after a colon; it quotes names, never values.
 */
export function readHeaders(text: string): Record<string, string> {
  // A byte order mark counts as white space here.
  const trimmed = text.trim();
  const fields = trimmed.startsWith('{') ? listMembers(trimmed) : listLines(trimmed);
  const headers = new Map<string, string>();
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    const earlier = headers.get(key);
    headers.set(key, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return Object.fromEntries(headers);
}

type Field = readonly [name: string, value: string];

function listMembers(json: string): Field[] {
  return Object.entries(parseExactJson(json) as object).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [name, readValue(name, each)] as const),
  );
}

function readValue(name: string, value: unknown): string {
  // A timestamp may have been written as a number; it is read exactly, as a bigint.
  if (typeof value === 'string' || typeof value === 'bigint') return String(value);
  throw new SyntaxError(`the member ${JSON.stringify(name)} must be a string`);
}

function listLines(text: string): Field[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const unmarked = line.replace(/^[<>](?: |$)/, '');
    if (unmarked === '' || isStartLine(unmarked)) return [];
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/.exec(unmarked) ?? [];
    if (name === undefined || value === undefined) throw new SyntaxError(`line ${index + 1} is not "Name: value"`);
    return [[name, value] as const];
  });
}

/** `POST /events HTTP/1.1` or `HTTP/1.1 200 OK`. */
function isStartLine(line: string): boolean {
  return /^(?:HTTP\/\d|[A-Z]+ \S+ HTTP\/\d)/.test(line);
}
