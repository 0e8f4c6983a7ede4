/** A page of the documentation, and the file of the repository that it is made of. */
export interface PageSource {
  /** The address below `/docs/`; with `.md` it is the address of the Markdown. */
  readonly name: string;
  readonly source: string;
  readonly language: 'en' | 'ar';
}

export interface PageGroup {
  readonly title: string;
  readonly language: PageSource['language'];
  readonly pages: readonly PageSource[];
}

const english = (name: string, source = `docs/${name}.md`): PageSource => ({ name, source, language: 'en' });
const arabic = (name: string): PageSource => ({ name: `ar/${name}`, source: `docs/ar/${name}.md`, language: 'ar' });

/** The page at `/docs/` itself; its Markdown is `index.md`. */
export const HOME = english('', 'docs/README.md');

/** Every other page, in the order of the navigation and of `llms.txt`. */
export const PAGE_GROUPS: readonly PageGroup[] = [
  {
    title: 'An afternoon',
    language: 'en',
    pages: [
      english('afternoon/1-first-call'),
      english('afternoon/2-deduct-store-send'),
      english('afternoon/3-recovery'),
      english('afternoon/4-webhooks'),
      english('afternoon/5-month-end'),
      english('afternoon/6-what-goes-wrong'),
    ],
  },
  {
    title: 'Guides',
    language: 'en',
    pages: [
      english('partner-guide'),
      english('webhooks'),
      english('sandbox'),
      english('production'),
      english('sdk', 'sdk/README.md'),
      english('sdk-reference', 'sdk/REFERENCE.md'),
    ],
  },
  { title: 'Look up', language: 'en', pages: [english('errors'), english('glossary'), english('customer-texts')] },
  {
    title: 'Versions',
    language: 'en',
    pages: [english('versions'), english('changelog', 'CHANGELOG.md'), english('sdk-changelog', 'sdk/CHANGELOG.md')],
  },
  {
    title: 'ما يراه العميل',
    language: 'ar',
    pages: [arabic('contributions'), arabic('emissions'), arabic('environmental-status')],
  },
];

export const PAGES: readonly PageSource[] = [HOME, ...PAGE_GROUPS.flatMap(({ pages }) => pages)];

/** Files of the repository that pages link to, by the name under which they are served. */
export const SERVED_FILES: Readonly<Record<string, string>> = {
  'openapi.json': 'openapi/partner.json',
  'postman.json': 'openapi/postman.json',
  'examples/partner-server.ts': 'examples/partner-server.ts',
  'examples/wallet.ts': 'examples/wallet.ts',
  'examples/receiver.py': 'examples/receiver.py',
  'examples/confirm.go': 'examples/confirm.go',
  'examples/confirm.php': 'examples/confirm.php',
  'examples/receiver.go': 'examples/receiver.go',
  'examples/receiver.php': 'examples/receiver.php',
  'examples/month-end.php': 'examples/month-end.php',
  'samples/confirm.ts': 'docs/samples/confirm.ts',
  'samples/confirm.py': 'docs/samples/confirm.py',
  'samples/verify.ts': 'docs/samples/verify.ts',
  'samples/verify.py': 'docs/samples/verify.py',
  'samples/verify.go': 'docs/samples/verify.go',
  'samples/verify.php': 'docs/samples/verify.php',
  'samples/read-list.ts': 'docs/samples/read-list.ts',
  'samples/read-list.py': 'docs/samples/read-list.py',
  'samples/estimate.ts': 'docs/samples/estimate.ts',
  'samples/estimate.py': 'docs/samples/estimate.py',
  'samples/month-end.ts': 'docs/samples/month-end.ts',
  'samples/month-end.py': 'docs/samples/month-end.py',
};

/** The name under which one version is served; the name without a version has the latest. */
export function archiveName(version: string): string {
  return `partner-impact-sdk-${version}.tgz`;
}

export function markdownName({ name }: PageSource): string {
  return `${name || 'index'}.md`;
}

/** From one name below `/docs/` to another, as a relative address. */
export function relativeAddress(from: string, to: string): string {
  const up = '../'.repeat(from.split('/').length - 1);
  return up + to === '' ? './' : up + to;
}
