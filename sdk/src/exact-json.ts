/** JSON in which every integer is a `bigint` with all its digits, whatever the version of Node. */

export type ExactJson = null | boolean | bigint | string | readonly ExactJson[] | { readonly [name: string]: ExactJson };

const DEPTH_MAX = 64;
/** Sums of points may exceed int64, but no integer of the service has more digits than this. */
const DIGITS_MAX = 400;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** A string up to its closing quote; `JSON.parse` judges what stands between. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Reads JSON without loss: integers are bigints (`100`, `100.0` and `1e2` are the same), numbers with a fraction are their source text.
 *
 * @throws SyntaxError for what is not JSON, a member that occurs twice, and more than 64 levels.
 */
export function parseExactJson(text: string): ExactJson {
  const reader = new Reader(text);
  return reader.readDocument();
}

/**
 * Writes JSON without loss: a bigint is an integer. Members that are `undefined` are left out.
 *
 * @param options `escapeBidi`: controls of bidirectional text, such as U+2066, are written as `\u2066`, so that they cannot change the
 * order in which a terminal or a log viewer shows the line.
 * @throws TypeError for a number that is not a safe integer, and for what JSON cannot hold.
 */
export function stringifyExactJson(value: unknown, { escapeBidi: isEscaped = false }: { escapeBidi?: boolean } = {}): string {
  const text = write(value);
  return isEscaped ? escapeBidi(text) : text;
}

/** The text with each control of bidirectional text as `\uXXXX`; everything else is unchanged. */
export function escapeBidi(text: string): string {
  return text.replace(BIDI, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function write(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return JSON.stringify(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object')
    throw new TypeError(`Exact JSON cannot hold ${typeof value === 'number' ? 'this number' : `a ${typeof value}`}.`);
  if (value instanceof Date) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readDocument(): ExactJson {
    const value = this.#readValue();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return value;
  }

  #readValue(): ExactJson {
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#nested(() => this.#readObject());
      case '[':
        return this.#nested(() => this.#readArray());
      case '"':
        return this.#readString();
      case 't':
        return this.#readWord('true', true);
      case 'f':
        return this.#readWord('false', false);
      case 'n':
        return this.#readWord('null', null);
      default:
        return this.#readNumber();
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > DEPTH_MAX) throw new SyntaxError(`JSON with more than ${DEPTH_MAX} levels`);
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #readObject(): ExactJson {
    const members: Record<string, ExactJson> = {};
    if (this.#take('}')) return members;
    do {
      this.#skipSpace();
      const name = this.#readString();
      if (!this.#take(':')) throw this.#unexpected();
      if (Object.hasOwn(members, name)) throw new SyntaxError(`JSON with a member twice, the second before position ${this.#at}`);
      // A member `__proto__` is a member like any other.
      Object.defineProperty(members, name, { value: this.#readValue(), enumerable: true, configurable: true, writable: true });
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#unexpected();
    return members;
  }

  #readArray(): ExactJson {
    const items: ExactJson[] = [];
    if (this.#take(']')) return items;
    do items.push(this.#readValue());
    while (this.#take(','));
    if (!this.#take(']')) throw this.#unexpected();
    return items;
  }

  #readString(): string {
    const token = this.#match(STRING)?.[0];
    if (token === undefined) throw this.#unexpected();
    return JSON.parse(token) as string;
  }

  #readNumber(): ExactJson {
    const match = this.#match(NUMBER);
    if (!match) throw this.#unexpected();
    return exactNumber(match[0], match[1] ?? '', match[2] ?? '');
  }

  #readWord<T extends ExactJson>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected();
    this.#at += word.length;
    return value;
  }

  #take(sign: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  /** Names the position and never the text, which may hold what belongs in no log. */
  #unexpected(): SyntaxError {
    const found = this.#at < this.#text.length ? 'Unexpected character' : 'Unexpected end';
    return new SyntaxError(`${found} of JSON at position ${this.#at}`);
  }
}

function exactNumber(token: string, fraction: string, exponent: string): bigint | string {
  if (token.length > DIGITS_MAX) throw new SyntaxError(`JSON with a number of more than ${DIGITS_MAX} characters`);
  if (fraction === '' && exponent === '') return BigInt(token);
  const digits = token.slice(0, token.length - exponent.length).replace('.', '');
  const shift = Number(exponent.slice(1) || 0) - Math.max(0, fraction.length - 1);
  if (shift > DIGITS_MAX) throw new SyntaxError(`JSON with a number of more than ${DIGITS_MAX} digits`);
  if (shift >= 0) return BigInt(digits + '0'.repeat(shift));
  const [whole, rest] = [digits.slice(0, shift), digits.slice(shift)];
  return /^0*$/.test(rest) && -shift <= digits.length ? BigInt(/\d/.test(whole) ? whole : 0) : token;
}
