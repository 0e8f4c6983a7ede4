import MiniSearch from 'minisearch';
import type { Json } from '../openapi/openapi-schemas.ts';
import { operationAddress } from './api-reference.ts';
import type { MarkdownPage } from './markdown-pages.ts';
import type { Section } from './render-markdown.ts';

/** What a search finds: a section of a page, or an operation of the interface. */
interface Entry {
  readonly id: number;
  /** Below `/docs/`, with the anchor. */
  readonly address: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** What `site.js` gives to MiniSearch, which has to be what the index was made with. */
const OPTIONS = {
  fields: ['heading', 'page', 'text'],
  searchOptions: { prefix: true, fuzzy: 0.07, combineWith: 'AND' as const, boost: { heading: 4, page: 2 } },
};

export interface SearchablePage {
  readonly page: MarkdownPage;
  readonly sections: readonly Section[];
}

/** The index of all titles and texts, as the JSON that the browser loads with the first search. */
export function writeSearchIndex(pages: readonly SearchablePage[], openapi: Json): string {
  const index = new MiniSearch<Entry>({
    ...OPTIONS,
    extractField: (entry, field) => (field === 'id' ? entry.id : fold(String(entry[field as keyof Entry]))) as string,
  });
  const entries = [...pages.flatMap(readSections), ...readOperations(openapi)].map((entry, id) => ({ ...entry, id }));
  index.addAll(entries);
  const texts = entries.map(({ id: _id, ...entry }) => entry);
  return JSON.stringify({ options: OPTIONS, index, texts });
}

/** Without case and without marks, so that «مؤكدة» finds «مؤكَّدة». `site.js` does the same to what is typed. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function readSections({ page, sections }: SearchablePage): Omit<Entry, 'id'>[] {
  return sections.map(({ anchor, depth, heading, text }) => ({
    address: depth === 1 ? page.name : `${page.name}#${anchor}`,
    page: page.title,
    heading,
    text,
  }));
}

function readOperations({ paths }: Json): Omit<Entry, 'id'>[] {
  const operations = Object.entries(paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => (operation['operationId'] ? [{ path, method, operation }] : [])),
  );
  return operations.map(({ path, method, operation }) => ({
    address: operationAddress({ tag: String((operation['tags'] as string[])[0]), method, path }),
    page: 'API reference',
    heading: `${operation['summary']}`,
    text: `${method.toUpperCase()} ${path} · ${operation['operationId']} · ${String(operation['description'] ?? '').replace(/\s+/g, ' ')}`,
  }));
}
