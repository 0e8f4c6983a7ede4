import { readFile } from 'node:fs/promises';

/** Guides that stand beside the reference, in this order. */
const GUIDES = ['partner-guide', 'webhooks', 'errors'] as const;

/** What a guide links to that is not part of the reference is found with the service's program. */
const OWN_FILES: Readonly<Record<string, string>> = { '../openapi/partner.json': 'openapi.json' };

/** The guides as one Markdown text. Each begins with its title, and their links lead to each other's headings on the same page. */
export async function readGuides(): Promise<string> {
  const texts = await Promise.all(GUIDES.map((name) => readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')));
  return texts.map(linkHeadings).join('\n\n');
}

/** `[a](webhooks.md#verify)`, `[a](#verify)` and `[a](errors.md)` become links of the page; of files that it does not have, the text stays. */
function linkHeadings(text: string): string {
  return text.replace(/\[([^\]]*)\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g, (_whole, words: string, file: string, heading) => {
    if (file in OWN_FILES) return `[${words}](${OWN_FILES[file]})`;
    const guide = GUIDES.find((name) => file === `${name}.md`);
    if (file !== '' && !guide) return words;
    return `[${words}](#description/${heading ?? guide})`;
  });
}
