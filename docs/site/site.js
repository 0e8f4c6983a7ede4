// The header's buttons, the copying of code, and the search. The pages are read without it.
const root = document.documentElement;
const { root: toRoot = './', nothing, failed, copy, copied } = root.dataset;
const find = (selector) => document.querySelector(selector);
const dialog = find('dialog.search');
const [input, list, told] = ['input', 'ul', '.told'].map((part) => dialog.querySelector(part));
const FOUND_MAX = 12;
const EXCERPT_LENGTH = 150;

find('.theme').addEventListener('click', () => globalThis.changeTheme());

const menu = find('.menu');
if (!find('.pages')) menu.hidden = true;
menu.addEventListener('click', () => {
  const isOpen = root.classList.toggle('menu-open');
  menu.setAttribute('aria-expanded', String(isOpen));
});
find('.pages [aria-current]')?.scrollIntoView({ block: 'nearest' });

// Over plain http, and not from this machine, a browser gives no clipboard.
for (const block of navigator.clipboard ? document.querySelectorAll('.text pre') : []) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = copy;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent.replace(/\n$/, ''));
    button.textContent = copied;
    setTimeout(() => {
      button.textContent = copy;
    }, 2000);
  });
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(block, button);
}

/** The index is loaded with the first search. */
let loading;
function load() {
  loading ??= loadIndex().catch((error) => {
    loading = undefined;
    told.textContent = failed;
    throw error;
  });
  return loading;
}

async function loadIndex() {
  const address = new URL(toRoot, location.href);
  const [{ default: MiniSearch }, answer] = await Promise.all([
    import(new URL('minisearch.js', address).href),
    fetch(new URL('search.json', address)),
  ]);
  if (!answer.ok) throw new Error(`search.json: ${answer.status}`);
  const { options, index, texts } = await answer.json();
  return { index: MiniSearch.loadJS(index, options), texts };
}

/** As the index was made: without case and without marks. */
const fold = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

function openSearch() {
  if (!dialog.open) dialog.showModal();
  input.select();
  load().then(showFound, () => {});
}

async function showFound() {
  const query = input.value.trim();
  const { index, texts } = await load();
  if (query !== input.value.trim()) return;
  const found = query === '' ? [] : index.search(fold(query)).slice(0, FOUND_MAX);
  list.replaceChildren(...found.map(({ id, terms }, place) => listItem(texts[id], terms, place)));
  told.textContent = query !== '' && found.length === 0 ? nothing : '';
  choose(0);
}

function listItem({ address, page, heading, text }, terms, place) {
  const link = document.createElement('a');
  link.href = new URL(toRoot + address, location.href).href;
  link.tabIndex = -1;
  const [title, where, excerpt] = ['strong', 'span', 'p'].map((name) => document.createElement(name));
  title.textContent = heading;
  where.textContent = page === heading ? '' : page;
  markTerms(excerpt, excerptOf(text, terms), terms);
  link.append(title, ' ', where, excerpt);
  const item = document.createElement('li');
  item.role = 'option';
  item.id = `found-${place}`;
  item.dir = 'auto';
  item.append(link);
  return item;
}

function excerptOf(text, terms) {
  const folded = fold(text);
  const at = Math.max(0, Math.min(...terms.map((term) => folded.indexOf(term)).filter((place) => place >= 0)) - 40);
  const start = Number.isFinite(at) ? text.lastIndexOf(' ', at) + 1 : 0;
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + EXCERPT_LENGTH)}`;
}

function markTerms(element, text, terms) {
  for (const word of text.split(/([^\p{L}\p{M}\p{N}_]+)/u)) {
    const isFound = terms.includes(fold(word));
    const part = isFound ? document.createElement('mark') : document.createTextNode(word);
    if (isFound) part.textContent = word;
    element.append(part);
  }
}

let chosen = 0;
function choose(place) {
  const items = [...list.children];
  if (items.length === 0) return input.removeAttribute('aria-activedescendant');
  chosen = (place + items.length) % items.length;
  for (const [index, item] of items.entries()) item.ariaSelected = String(index === chosen);
  input.setAttribute('aria-activedescendant', items[chosen].id);
  return items[chosen].scrollIntoView({ block: 'nearest' });
}

find('.open-search').addEventListener('click', openSearch);
input.addEventListener('input', () => showFound().catch(() => {}));
input.addEventListener('keydown', (event) => {
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps) choose(chosen + steps[event.key]);
  else if (event.key === 'Escape') dialog.close();
  else if (event.key === 'Enter') list.children[chosen]?.querySelector('a').click();
  else return;
  event.preventDefault();
});
list.addEventListener('click', () => dialog.close());
dialog.addEventListener('click', ({ target }) => {
  if (target === dialog) dialog.close();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]');
  const isShortcut = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
  if (!isShortcut) return;
  event.preventDefault();
  openSearch();
});
