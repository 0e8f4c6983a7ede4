import { readFile } from 'node:fs/promises';
import { MARKDOWN_PAGES } from './markdown-pages.ts';

/** Guides that stand beside the reference, in this order. */
const GUIDES = ['partner-guide', 'webhooks', 'sandbox', 'errors'] as const;

/** What a guide links to that the page has in another form. */
const OWN_FILES: Readonly<Record<string, string>> = { '../openapi/partner.json': 'openapi.json' };

/** A tag of the document without operations: the page shows its text, and its search reads it. */
interface SectionTag {
  readonly name: string;
  readonly 'x-displayName': string;
  readonly description: string;
}

interface Guide {
  readonly name: string;
  readonly title: string;
  readonly tags: readonly SectionTag[];
  /** By the anchor of a heading, the tag that has it. */
  readonly anchors: ReadonlyMap<string, string>;
}

export interface GuidesAsTags {
  readonly tags: readonly SectionTag[];
  /** For `x-tagGroups`. */
  readonly groups: readonly { readonly name: string; readonly tags: readonly string[] }[];
}

/** The guides, a tag for each section, with links that stay on the page. */
export async function readGuides(): Promise<GuidesAsTags> {
  const texts = await Promise.all(GUIDES.map((name) => readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')));
  const guides = texts.map((text, index) => readGuide(GUIDES[index] as string, text));
  return {
    tags: guides.flatMap((guide) => guide.tags.map((tag) => ({ ...tag, description: linkTags(tag.description, guide, guides) }))),
    groups: guides.map(({ title, tags }) => ({ name: title, tags: tags.map((tag) => tag.name) })),
  };
}

function readGuide(name: string, text: string): Guide {
  const [head, ...rest] = text.split(/^## /m).map(splitHeading) as [Heading, ...Heading[]];
  const sections = [
    { ...head, tag: name, shown: 'Overview' },
    ...rest.map((each) => ({ ...each, tag: `${name}-${anchorOf(each.heading).replaceAll('_', '-')}`, shown: each.heading })),
  ];
  return {
    name,
    title: head.heading.replace(/^# /, ''),
    tags: sections.map(({ tag, shown, body }) => ({ name: tag, 'x-displayName': shown, description: body })),
    anchors: new Map(sections.flatMap(({ tag, heading, body }) => anchorsOf(heading, body).map((anchor) => [anchor, tag]))),
  };
}

interface Heading {
  readonly heading: string;
  readonly body: string;
}

function splitHeading(text: string): Heading {
  const end = text.indexOf('\n');
  return { heading: text.slice(0, end), body: text.slice(end + 1) };
}

/** Those of a section's own heading and of the smaller ones in it. */
function anchorsOf(heading: string, body: string): string[] {
  return [heading, ...[...body.matchAll(/^### (.+)$/gm)].map(([, words = '']) => words)].map(anchorOf);
}

/** As GitHub and the guides' own links have it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** `[a](webhooks.md#verify)` and `[a](#verify)` lead to the tag with that heading; of a file that the page does not have the words stay. */
function linkTags(text: string, own: Guide, guides: readonly Guide[]): string {
  return text.replace(/\[([^\]]*)\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g, (_whole, words: string, file: string, anchor) => {
    const ownFile = OWN_FILES[file] ?? MARKDOWN_PAGES.find((name) => name === file && name.startsWith('afternoon/'));
    if (ownFile) return `[${words}](${ownFile})`;
    const guide = file === '' ? own : guides.find(({ name }) => file === `${name}.md`);
    const tag = guide && (anchor === undefined ? guide.name : guide.anchors.get(anchor));
    return tag === undefined ? words : `[${words}](#tag/${tag})`;
  });
}
