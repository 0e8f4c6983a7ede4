import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path/posix';

/** The guides as Markdown, for programs that read: each in a line of `llms.txt`, in the order in which they are read. */
export const MARKDOWN_PAGES = [
  'afternoon/1-first-call.md',
  'afternoon/2-deduct-store-send.md',
  'afternoon/3-recovery.md',
  'afternoon/4-webhooks.md',
  'afternoon/5-month-end.md',
  'afternoon/6-what-goes-wrong.md',
  'partner-guide.md',
  'webhooks.md',
  'sandbox.md',
  'errors.md',
  'glossary.md',
] as const;

/** What a page links to that is served under another name. */
const SERVED_AS: Readonly<Record<string, string>> = {
  '../openapi/partner.json': 'openapi.json',
  '../openapi/postman.json': 'postman.json',
};

const DOCS = new URL('../../../docs/', import.meta.url);

/** The pages by the name under which they are served, `llms.txt` first. */
export async function readMarkdownPages(): Promise<[name: string, text: string][]> {
  const pages = await Promise.all(
    MARKDOWN_PAGES.map(
      async (name): Promise<[string, string]> => [name, keepLinks(name, await readFile(new URL(name, DOCS), 'utf8'))],
    ),
  );
  return [['llms.txt', writeList(pages)], ...pages];
}

/** A link to what is not served loses its address, and keeps its words. */
function keepLinks(page: string, text: string): string {
  return text.replace(
    /\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[\w-]+)?\)/g,
    (_whole, words: string, file: string, anchor = '') => {
      const target = join(dirname(page), file);
      const served = SERVED_AS[target] ?? MARKDOWN_PAGES.find((name) => name === target);
      const up = '../'.repeat(page.split('/').length - 1);
      return served === undefined ? words : `[${words}](${up}${served}${anchor})`;
    },
  );
}

function writeList(pages: readonly (readonly [name: string, text: string])[]): string {
  const lines = pages.map(([name, text]) => `- [${titleOf(text)}](${name}): ${beginningOf(text)}`);
  return `# Partner Impact

> Partners' servers confirm contributions of loyalty points: exactly once, terminal, and findable after any time-out. The order never
> changes: deduct the points, store the request, send it. Restore points after a terminal \`failed\` and after nothing else.

## Guides

${lines.join('\n')}

## Interface

- [OpenAPI 3.1](openapi.json): every operation, event and error, with examples
- [Postman collection](postman.json): a request for each operation
`;
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

/** The first sentence below the heading, without its links. */
function beginningOf(text: string): string {
  const [, paragraph = ''] = /^# .+\n\n([\s\S]*?)\n\n/.exec(text) ?? [];
  const plain = paragraph
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '');
  return /^.*?[.](?= |$)/.exec(plain)?.[0] ?? plain;
}
