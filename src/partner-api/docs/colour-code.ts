const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`;
const HASH = String.raw`(?<![\w$])#[^\n]*`;
const COMMENTS: Readonly<Record<string, string>> = {
  ts: SLASHES,
  js: SLASHES,
  go: SLASHES,
  sql: '--[^\n]*',
  python: HASH,
  sh: HASH,
  console: HASH,
};
const STRINGS = [
  String.raw`"""[\s\S]*?"""`,
  ...['"', "'"].map((quote) => String.raw`${quote}(?:\\.|[^${quote}\\\n])*${quote}`),
  '`(?:\\\\.|[^`\\\\])*`',
].join('|');
const WORDS = `and as async await begin break case catch class commit const create def default else except export False for from func function
  if import in insert interface into lambda let new nil None not null of or package raise range return select set struct switch table throw
  True true try type undefined update values var where while with`;

/** A block of code: comments, strings and the words of the language are marked by a class. Other blocks are only escaped. */
export function colourCode(text: string, language: string): string {
  const comment = COMMENTS[language];
  const body =
    comment === undefined
      ? escapeHtml(text)
      : mark(text, new RegExp(`(${comment})|(${STRINGS})|\\b(?:${WORDS.replace(/\s+/g, '|')})\\b`, 'g'));
  return `<pre tabindex="0"${language && ` class="${escapeHtml(language)}"`}><code>${body}\n</code></pre>\n`;
}

function mark(text: string, pattern: RegExp): string {
  let [html, end] = ['', 0];
  for (const match of text.matchAll(pattern)) {
    const [whole, comment, string] = match;
    const kind = comment === undefined ? (string === undefined ? 'word' : 'string') : 'comment';
    html += `${escapeHtml(text.slice(end, match.index))}<span class="${kind}">${escapeHtml(whole)}</span>`;
    end = match.index + whole.length;
  }
  return html + escapeHtml(text.slice(end));
}
