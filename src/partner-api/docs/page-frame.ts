import { readServiceVersion } from '../openapi/service-version.ts';
import { escapeHtml } from './colour-code.ts';
import type { MarkdownPage } from './markdown-pages.ts';
import { HOME, markdownName, PAGE_GROUPS, relativeAddress } from './pages.ts';
import type { RenderedPage } from './render-markdown.ts';

/** The words of the frame in the language of its page. */
const WORDS = {
  en: {
    brand: 'Partner Impact',
    menu: 'Menu',
    search: 'Search',
    theme: 'Light or dark',
    contents: 'On this page',
    pages: 'Pages',
    markdown: 'This page as Markdown',
    version: 'Service version',
    next: 'Next',
    previous: 'Previous',
    skip: 'Skip to the text',
    nothing: 'Nothing found',
    failed: 'The search could not be loaded. Reload the page.',
    copy: 'Copy',
    copied: 'Copied',
  },
  ar: {
    brand: 'Partner Impact',
    menu: 'القائمة',
    search: 'بحث',
    theme: 'فاتح أو داكن',
    contents: 'في هذه الصفحة',
    pages: 'الصفحات',
    markdown: 'هذه الصفحة بصيغة Markdown',
    version: 'إصدار الخدمة',
    next: 'التالي',
    previous: 'السابق',
    skip: 'انتقل إلى النص',
    nothing: 'لا توجد نتائج',
    failed: 'تعذّر تحميل البحث. أعد تحميل الصفحة.',
    copy: 'نسخ',
    copied: 'نُسخ',
  },
} as const;

export type Titles = ReadonlyMap<string, string>;

/** What stands around the text of a page, and around the reference. */
interface Frame {
  readonly name: string;
  readonly title: string;
  readonly language: 'en' | 'ar';
  readonly head: string;
  readonly body: string;
}

/** A whole page: the header, the navigation, the text, and what the page has in it. */
export function framePage(page: MarkdownPage, { html, sections }: RenderedPage, titles: Titles): string {
  const words = WORDS[page.language];
  const markdown = relativeAddress(page.name, markdownName(page));
  const second = sections.filter(({ depth }) => depth === 2);
  const contents = second.map(({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`).join('\n');
  const onPage =
    second.length > 1
      ? `<nav class="on-page" aria-label="${words.contents}"><p>${words.contents}</p><ul>${contents}</ul></nav>`
      : '';
  return frame({
    ...page,
    title: page.name === HOME.name ? words.brand : `${page.title} · ${words.brand}`,
    head: `<link rel="alternate" type="text/markdown" href="${markdown}">\n<meta name="description" content="${escapeHtml(page.summary)}">`,
    body: `<div class="columns">
<nav class="pages" aria-label="${words.pages}">${renderNavigation(page.name, titles)}</nav>
<main id="text">
<article class="text">
${html}</article>
${renderNeighbours(page, titles)}
<footer><a href="${markdown}">${words.markdown}</a> <span>${words.version} ${readServiceVersion()}</span></footer>
</main>
${onPage}
</div>`,
  });
}

/** The reference of the interface: its program draws it below the header, with a navigation of its own where there is room. */
export function frameReference(titles: Titles): string {
  return frame({
    name: 'reference',
    title: 'API reference · Partner Impact',
    language: 'en',
    head: '<script src="scalar.js" defer></script>\n<script src="reference.js" defer></script>',
    body: `<nav class="pages only-menu" aria-label="${WORDS.en.pages}">${renderNavigation('reference', titles)}</nav>
<main id="text"><div id="reference"></div></main>`,
  });
}

function frame({ name, title, language, head, body }: Frame): string {
  const words = WORDS[language];
  const to = (target: string) => relativeAddress(name, target);
  const data = `data-root="${to('')}" data-nothing="${words.nothing}" data-failed="${words.failed}" data-copy="${words.copy}" data-copied="${words.copied}"`;
  return `<!doctype html>
<html lang="${language}"${language === 'ar' ? ' dir="rtl"' : ''} ${data}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${to('icon.svg')}">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('theme.js')}"></script>
<script type="module" src="${to('site.js')}"></script>
${head}
</head>
<body>
<a class="skip" href="#text">${words.skip}</a>
<header>
<a class="brand" href="${to('')}"><img src="${to('icon.svg')}" alt="" width="28" height="28"> ${words.brand}</a>
<nav aria-label="${words.brand}">
<a href="${to('afternoon/1-first-call')}"${name.startsWith('afternoon/') ? ' aria-current="true"' : ''} lang="en" dir="ltr">Guides</a>
<a href="${to('reference')}"${name === 'reference' ? ' aria-current="page"' : ''} lang="en" dir="ltr">API reference</a>
${language === 'ar' ? `<a href="${to('')}" lang="en" dir="ltr">English</a>` : `<a href="${to('ar/contributions')}" lang="ar" dir="rtl">العربية</a>`}
</nav>
<button type="button" class="open-search" aria-haspopup="dialog" aria-keyshortcuts="/ Control+K">${words.search} <kbd>/</kbd></button>
<button type="button" class="theme" aria-label="${words.theme}" title="${words.theme}"></button>
<button type="button" class="menu" aria-expanded="false">${words.menu}</button>
</header>
${body}
<dialog class="search" aria-label="${words.search}">
<input type="search" role="combobox" aria-expanded="true" aria-controls="found" aria-label="${words.search}" placeholder="${words.search}" autocomplete="off" spellcheck="false">
<ul id="found" role="listbox" aria-label="${words.search}"></ul>
<p class="told" role="status"></p>
</dialog>
</body>
</html>
`;
}

function renderNavigation(current: string, titles: Titles): string {
  const link = (name: string) => {
    const here = name === current ? ' aria-current="page"' : '';
    return `<li><a href="${relativeAddress(current, name)}"${here}>${escapeHtml(titles.get(name) ?? '')}</a></li>`;
  };
  const groups = PAGE_GROUPS.map(({ title, language, pages }) => {
    const inArabic = language === 'ar' ? ' lang="ar" dir="rtl"' : ' lang="en" dir="ltr"';
    return `<section${inArabic}><h2>${title}</h2><ul>${pages.map(({ name }) => link(name)).join('\n')}</ul></section>`;
  });
  const reference = `<section lang="en" dir="ltr"><h2>Interface</h2><ul>${link('reference')}
<li><a href="${relativeAddress(current, 'openapi.json')}">OpenAPI 3.1</a></li>
<li><a href="${relativeAddress(current, 'postman.json')}">Postman collection</a></li>
<li><a href="${relativeAddress(current, 'llms.txt')}">llms.txt</a></li></ul></section>`;
  return [...groups.slice(0, 2), reference, ...groups.slice(2)].join('\n');
}

/** The page before and the page after it, in its group. */
function renderNeighbours({ name, language }: MarkdownPage, titles: Titles): string {
  const pages = PAGE_GROUPS.find((group) => group.pages.some((page) => page.name === name))?.pages ?? [];
  const index = pages.findIndex((page) => page.name === name);
  const link = (at: number, relation: 'next' | 'prev', word: string) => {
    const page = pages[at];
    if (!page) return '';
    return `<a rel="${relation}" href="${relativeAddress(name, page.name)}"><small>${word}</small> ${escapeHtml(titles.get(page.name) ?? '')}</a>`;
  };
  const { previous, next } = WORDS[language];
  return `<nav class="neighbours" aria-label="${previous}, ${next}">${link(index - 1, 'prev', previous)}${link(index + 1, 'next', next)}</nav>`;
}
