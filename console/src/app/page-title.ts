/** The title of the page that is shown, as the tab of the browser has it before the name of the product. */
const PRODUCT = ' · Partner Impact';

export function setPageTitle(title: string): void {
  document.title = title + PRODUCT;
}

export function pageTitle(): string {
  return document.title.replace(PRODUCT, '');
}
