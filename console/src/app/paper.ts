/** The light text of the dark theme would be pale on paper. */
export function printInLight(): void {
  const { dataset } = document.documentElement;
  let shown: string | undefined;
  addEventListener('beforeprint', () => {
    shown = dataset['mantineColorScheme'];
    dataset['mantineColorScheme'] = 'light';
  });
  addEventListener('afterprint', () => {
    if (shown !== undefined) dataset['mantineColorScheme'] = shown;
  });
}
