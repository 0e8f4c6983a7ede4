/**
 * Strict JSON without loss. Node's parser reads it; this module also refuses what that parser accepts: rounded integers, repeated member
 * names, deep nesting, strings that are not Unicode.
 */

/** Deeper than any request of the interface, and far from the end of the stack. */
const DEPTH_MAX = 64;

/** No integer in a float's range has more digits than this; a longer one is `Infinity` as a float. */
const INTEGER_DIGITS_MAX = 309;

/** Every integer of so many digits passes through a float unharmed. */
const SAFE_DIGITS_MAX = 15;

/** A name in a message is cut at this length; it comes from the sender and may be as long as the text. */
const SHOWN_NAME_MAX = 64;

/**
 * The value of a JSON text. Every integer, however it is spelled (`100`, `100.0`, `1e2`, `-0`), is an exact `bigint`;
 * every other number is a `number`, and so is an integer of more than 309 digits: `Infinity`.
 * A member named `__proto__` is an own member like any other.
 *
 * @throws SyntaxError The text is not JSON, is nested deeper than 64 levels, names a member twice in one object, or holds
 * half a surrogate pair. The message is a reason without a full stop, to stand after a colon; it quotes at most a member's
 * name, never a value: references must not reach a log.
 * @see docs/spec/interface.md#confirmcontribution, field points; "Errors", code invalid_request.
 */
export function readJson(text: string): unknown {
  const rounded = parse(text);
  const { depth, members, hasPlainNumbers } = survey(text);
  if (depth > DEPTH_MAX) throw new SyntaxError(`it has more than ${DEPTH_MAX} levels`);
  // Reading each number from its source costs five times as much, and a usual request does not need it.
  const value = hasPlainNumbers ? rounded : JSON.parse(text, exactNumber as (name: string, value: unknown) => unknown);
  const tally = { members: 0 };
  const settled = settle(value, hasPlainNumbers, tally);
  if (tally.members !== members) throw new SyntaxError(`the member ${repeatedName(text)} occurs twice`);
  if (mayBeIllFormed(text) && !isWellFormed(settled)) throw new SyntaxError('a string has half a surrogate pair');
  return settled;
}

/** Node's result. Its error messages quote the text, so the quotation is removed. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (text.startsWith('\uFEFF')) throw new SyntaxError('it begins with a byte order mark; send it without one');
    if (text.trim() === '') throw new SyntaxError('it is empty');
    const reason = (error as Error).message.replace(/(?:^|, )(?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '');
    throw new SyntaxError(reason || 'it is not JSON');
  }
}

interface Survey {
  depth: number;
  /** Members as they are written, repeated ones included. */
  members: number;
  /** Every number is an integer that a float holds exactly. */
  hasPlainNumbers: boolean;
}

/** One pass over a text that is known to be JSON. */
function survey(text: string): Survey {
  const found = { depth: 0, members: 0, hasPlainNumbers: true };
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if (character === ':') found.members++;
    else if (character === '{' || character === '[') found.depth = Math.max(found.depth, ++open);
    else if (character === '}' || character === ']') open--;
    else if (isDigit(character)) {
      const end = endOfDigits(text, at);
      found.hasPlainNumbers &&= end - at <= SAFE_DIGITS_MAX && !'.eE'.includes(text.charAt(end) || ' ');
      at = end - 1;
    }
  }
  return found;
}

/** The position after the digits that begin at `start`. */
function endOfDigits(text: string, start: number): number {
  let end = start + 1;
  while (isDigit(text.charAt(end))) end++;
  return end;
}

/** The position of the quotation mark that ends the string which starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** An odd number of backslashes before a quotation mark makes it part of the string. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charAt(before - 1) === '\\') before--;
  return (at - before) % 2 === 1;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

/** For `JSON.parse`, which passes the source of every number. */
function exactNumber(_name: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === 'number' ? readNumber(source) : value;
}

/** An integer as `bigint` whatever its spelling, unless it is too long; any other number as a float. */
function readNumber(source: string): bigint | number {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const written = whole + fraction;
  const end = startOfTrailingZeros(written);
  const digits = written.slice(0, end).replace(/^0+/, '');
  if (digits === '') return 0n;
  // How many zeros follow the last nonzero digit; negative when that digit is after the point.
  const zeros = whole.length + Number(exponent) - end;
  return zeros < 0 || digits.length + zeros > INTEGER_DIGITS_MAX ? Number(source) : BigInt(sign + digits + '0'.repeat(zeros));
}

/** Where the trailing zeros begin. The pattern `0+$` takes a second for 60 000 zeros before another digit: its time grows with their square. */
function startOfTrailingZeros(digits: string): number {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end--;
  return end;
}

/** Counts the members that were kept and, where a float holds every number exactly, makes them integers. */
function settle(value: unknown, hasPlainNumbers: boolean, tally: { members: number }): unknown {
  if (typeof value === 'number') return hasPlainNumbers ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  const names = Object.keys(members);
  if (!Array.isArray(value)) tally.members += names.length;
  for (const name of names) {
    const member = members[name];
    const settled = settle(member, hasPlainNumbers, tally);
    // A member `__proto__` is an own one here, so the assignment changes it and no prototype.
    if (settled !== member) members[name] = settled;
  }
  return value;
}

/** The first member name that an object of this JSON has twice, quoted. */
function repeatedName(text: string): string | undefined {
  const objects: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '{') objects.push(new Set());
    else if (character === '}') objects.pop();
    else if (character === '"') {
      const start = at;
      at = endOfString(text, at);
      if (!isFollowedByColon(text, at)) continue;
      const name = JSON.parse(text.slice(start, at + 1)) as string;
      const names = objects.at(-1);
      if (names?.has(name)) return JSON.stringify(name.slice(0, SHOWN_NAME_MAX));
      names?.add(name);
    }
  }
  return undefined;
}

function isFollowedByColon(text: string, end: number): boolean {
  const colon = /[ \t\r\n]*:/y;
  colon.lastIndex = end + 1;
  return colon.test(text);
}

/** Half a surrogate pair is either in the text itself or written as an escape. */
function mayBeIllFormed(text: string): boolean {
  return text.includes('\\u') || !text.isWellFormed();
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member));
}
