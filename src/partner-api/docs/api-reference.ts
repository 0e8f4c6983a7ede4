import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import type { Environment } from '../../domain/access/api-key.ts';

/** The line of the package that has the program of the page as the literal of a string; its plugin serves this string. */
const PROGRAM = /^var standalone_default = (".*");$/m;

/** The program of the page. Loading the package for it, with all that it imports, would take ten times the memory. */
export async function readScalar(): Promise<string> {
  const text = await readFile(fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference')), 'utf8');
  const [, literal] = PROGRAM.exec(text) ?? [];
  if (literal === undefined) throw new Error('The package @scalar/fastify-api-reference has its program in another form.');
  return String(runInNewContext(literal));
}

/** Where the page of the reference shows an operation. */
export function operationAddress({ tag, method, path }: { tag: string; method: string; path: string }): string {
  return `reference#tag/${tag.toLowerCase()}/${method.toUpperCase()}${path}`;
}

/**
 * The link to the maker of the page's program is hidden; its licence is kept in the program itself. On a phone a table moves
 * sideways, and its words stay whole.
 */
const CUSTOM_CSS = `a[href^="https://www.scalar.com"] { display: none; }
:root { --scalar-custom-header-height: 56px; }
#reference table:not([role=dialog] table, .scalar-data-table table) { display: block; overflow-x: auto; }
#reference table:not([role=dialog] table, .scalar-data-table table) :is(th, td) {
  min-width: 7em !important; word-break: normal !important; overflow-wrap: normal !important;
}`;

/** A production key has no place in a browser, so that requests can be sent from the sandbox's page alone. */
export function startProgram(environment: Environment): string {
  const configuration = {
    url: 'openapi.json',
    title: 'Partner Impact',
    favicon: 'icon.svg',
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    hideClientButton: true,
    hideSearch: true,
    hideDarkModeToggle: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: 'none',
    hideTestRequestButton: environment === 'production',
    metaData: { title: 'API reference · Partner Impact' },
    customCss: CUSTOM_CSS,
  };
  // The service that sends the page is the one that it describes, at the address that its reader has for it.
  return `const address = new URL('..', location.href.split(/[?#]/)[0]).href.replace(/\\/$/, '');
const servers = [{ url: address, description: 'The environment that serves this page.' }];
const start = () => Scalar.createApiReference('#reference', { ...${JSON.stringify(configuration)}, servers, forceDarkModeState: window.isDark() ? 'dark' : 'light' });
let shown = start();
document.addEventListener('theme', () => { shown.destroy(); shown = start(); });
`;
}
