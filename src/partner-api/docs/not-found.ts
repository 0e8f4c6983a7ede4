import { escapeHtml } from './colour-code.ts';
import type { DocsFiles } from './docs-files.ts';
import { PAGES } from './pages.ts';

/**
 * Where a reader meant to go, below `/docs/`: a page with a slash behind its name, or the first page of a folder.
 *
 * @returns `undefined` for what resembles no page.
 */
export function findMeantPage(name: string, files: DocsFiles): string | undefined {
  const trimmed = name.replace(/\/+$/, '');
  if (trimmed === '') return undefined;
  if (trimmed !== name && files.has(trimmed)) return trimmed;
  return PAGES.find((page) => page.name.startsWith(`${trimmed}/`))?.name;
}

/** What a browser shows for a page that there is not. Its links fit whatever stands in front of `/docs/`. */
export function notFoundPage(name: string): string {
  const toRoot = '../'.repeat(name.split('/').length - 1) || './';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No such page · Partner Impact</title>
<link rel="stylesheet" href="${toRoot}site.css">
<script src="${toRoot}theme.js"></script>
</head>
<body>
<div class="columns"><main id="text"><article class="text">
<h1>No such page</h1>
<p>The documentation has no page <code>${escapeHtml(name.slice(0, 200))}</code>. <a href="${toRoot}">All pages</a> · <a href="${toRoot}reference">API reference</a></p>
</article></main></div>
</body>
</html>
`;
}
