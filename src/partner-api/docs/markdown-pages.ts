import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path/posix';
import { archiveName, markdownName, PAGE_GROUPS, PAGES, type PageSource, relativeAddress, SERVED_FILES } from './pages.ts';

export interface MarkdownPage extends PageSource {
  readonly title: string;
  /** The first sentence below the heading. */
  readonly summary: string;
  /** Links lead to what is served, each to the Markdown of a page; what is not served is no link. */
  readonly text: string;
}

/** A repository's file by its path. */
export function repositoryFile(path: string): URL {
  return new URL(`../../../${path}`, import.meta.url);
}

const SERVED_AS: ReadonlyMap<string, string> = new Map([
  ...PAGES.map((page): [string, string] => [page.source, markdownName(page)]),
  ['openapi/bruno', 'bruno.tgz'],
  ...Object.entries(SERVED_FILES).map(([name, source]): [string, string] => [source, name]),
]);

export async function readMarkdownPages(): Promise<readonly MarkdownPage[]> {
  return Promise.all(
    PAGES.map(async (page) => {
      const text = linkServed(page, await readFile(repositoryFile(page.source), 'utf8'));
      return { ...page, text, title: titleOf(text), summary: summaryOf(text) };
    }),
  );
}

/** A link to what is not served loses its address, and keeps its words. Code is left as it stands. */
function linkServed(page: PageSource, text: string): string {
  return text
    .split(/^( *```[\s\S]*?^ *```)$/m)
    .map((part, index) => (index % 2 === 1 ? part : linkProse(page, part)))
    .join('');
}

function linkProse(page: PageSource, text: string): string {
  return text.replace(/\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]+)?\)/g, (_whole, words: string, file: string, anchor = '') => {
    const served = SERVED_AS.get(join(dirname(page.source), file));
    return served === undefined ? words : `[${words}](${relativeAddress(page.name, served)}${anchor})`;
  });
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';
}

function summaryOf(text: string): string {
  const [, paragraph = ''] = /^# .+\n\n([\s\S]*?)(?:\n\n|$)/.exec(text) ?? [];
  const plain = paragraph
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '');
  return /^.*?[.](?= |$)/.exec(plain)?.[0] ?? plain;
}

/** `llms.txt`: every page in a line, in the order in which they are read. */
export function writePageList(pages: readonly MarkdownPage[], sdkVersion: string | undefined): string {
  const lineOf = (source: PageSource) => {
    const page = pages.find(({ name }) => name === source.name) as MarkdownPage;
    return `- [${page.title}](${markdownName(page)}): ${page.summary}`;
  };
  const groups = PAGE_GROUPS.map(({ title, pages: ofGroup }) => `## ${title}\n\n${ofGroup.map(lineOf).join('\n')}`);
  return `# Partner Impact

> Partners' servers confirm contributions of loyalty points: exactly once, terminal, and findable after any time-out. The order never
> changes: deduct the points, store the request, send it. Restore points after a terminal \`failed\` and after nothing else.

${groups.join('\n\n')}

## Interface

- [OpenAPI 3.1](openapi.json): every operation, event and error, with examples
- [Postman collection](postman.json): a request for each operation
- [Bruno folder](bruno.tgz): the same as an archive
- [The package for TypeScript and JavaScript](partner-impact-sdk.tgz): what \`npm install\` takes
${sdkVersion === undefined ? '' : `- [Version ${sdkVersion} of the package](${archiveName(sdkVersion)}): the same bytes at an address that pins the version\n`}`;
}
