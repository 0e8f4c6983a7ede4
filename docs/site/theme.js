// Runs before the page is drawn, so that the choice of light or dark does not flicker. Without a choice the system's holds.
const system = matchMedia('(prefers-color-scheme: dark)');
const root = document.documentElement;
const chosen = localStorage.getItem('theme');
if (chosen === 'dark' || chosen === 'light') root.dataset.theme = chosen;

globalThis.isDark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';

globalThis.changeTheme = () => {
  root.dataset.theme = globalThis.isDark() ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset.theme);
  document.dispatchEvent(new Event('theme'));
};
