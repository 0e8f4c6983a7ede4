import { Marked, type Tokens } from 'marked';
import { colourCode, escapeHtml } from './colour-code.ts';

/** A heading and the text below it, up to the next one: what a search finds. */
export interface Section {
  readonly anchor: string;
  readonly depth: number;
  readonly heading: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly sections: readonly Section[];
}

/** The only HTML in Markdown: where a text runs from right to left. */
const DIRECTION = /^<(?:span dir="rtl"|\/span)>$/;
const ARABIC = /^\P{L}*\p{Script=Arabic}/u;

/** Markdown of this repository as HTML. Other HTML in it is shown as text, and links to Markdown pages lead to the pages. */
export function renderMarkdown(markdown: string): RenderedPage {
  const anchors = new Set<string>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const [anchor, words] = [nextAnchor(text, anchors), this.parser.parseInline(tokens)];
        return `<h${depth} id="${anchor}">${words} <a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(toPage(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      paragraph({ tokens, text }) {
        return `<p${directionOf(text)}>${this.parser.parseInline(tokens)}</p>\n`;
      },
      table(token) {
        const cell = ({ tokens, text, header }: Tokens.TableCell) => {
          const name = header ? 'th' : 'td';
          return `<${name}${directionOf(text)}>${this.parser.parseInline(tokens)}</${name}>`;
        };
        const row = (cells: Tokens.TableCell[]) => `<tr>${cells.map(cell).join('')}</tr>`;
        return `<div class="table" tabindex="0"><table><thead>${row(token.header)}</thead><tbody>${token.rows.map(row).join('\n')}</tbody></table></div>\n`;
      },
      code: ({ text, lang = '' }) => (lang === 'mermaid' ? renderStates(text) : colourCode(text, lang)),
      html: ({ text }) => (DIRECTION.test(text) ? text : escapeHtml(text)),
    },
  });
  return { html: marked.parse(markdown, { async: false }), sections: readSections(marked, markdown) };
}

/** A text that begins in Arabic runs from right to left, on an English page too. */
function directionOf(text: string): string {
  return ARABIC.test(text) ? ' lang="ar" dir="rtl"' : '';
}

/** The anchor that GitHub makes for a heading: a second heading of the same words gets `-1`. */
function nextAnchor(heading: string, taken: Set<string>): string {
  const anchor = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
  let free = anchor;
  for (let number = 1; taken.has(free); number++) free = `${anchor}-${number}`;
  taken.add(free);
  return free;
}

/** `../webhooks.md#verify` is the page `../webhooks#verify`; the Markdown of the page at `/docs/` is `index.md`. */
function toPage(href: string): string {
  if (/^\w+:/.test(href)) return href;
  return href.replace(/^((?:\.\.\/)*)index\.md/, (_whole, up: string) => up || './').replace(/\.md(?=#|$)/, '');
}

/** A diagram of states needs no program when it is a table. */
function renderStates(text: string): string {
  const nameOf = (state: string, other: string) => (state === '[*]' ? other : state);
  const rows = [...text.matchAll(/^\s*(\S+) --> ([^:\s]+)\s*: (.+)$/gm)].map(
    ([, from = '', to = '', when = '']) =>
      `<tr><td>${escapeHtml(nameOf(from, 'begin'))}</td><td>${escapeHtml(when)}</td><td>${escapeHtml(nameOf(to, 'end'))}</td></tr>`,
  );
  const head = '<thead><tr><th>From</th><th>By</th><th>To</th></tr></thead>';
  return `<div class="table" tabindex="0"><table>${head}<tbody>${rows.join('\n')}</tbody></table></div>\n`;
}

function readSections(marked: Marked, markdown: string): Section[] {
  const anchors = new Set<string>();
  const sections: { anchor: string; depth: number; heading: string; texts: string[] }[] = [];
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading')
      sections.push({
        anchor: nextAnchor(token['text'], anchors),
        depth: token['depth'],
        heading: plain(token['text']),
        texts: [],
      });
    else if (token.type !== 'space') sections.at(-1)?.texts.push(plain(token.raw));
  }
  return sections.map(({ texts, ...section }) => ({ ...section, text: texts.join(' ').replace(/\s+/g, ' ').trim() }));
}

/** Without the marks of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replace(/^ *```\w*$/gm, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<span dir="rtl">|<\/span>/g, '')
    .replace(/^\|[\s|:-]+\|$/gm, '')
    .replace(/\*\*|`/g, '')
    .replace(/ *\| */g, ' ');
}
