import { Page } from '../../layout/page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { SHELL } from '../../texts/shell-texts.ts';

export function Overview() {
  const { overview } = useTexts(SHELL);
  return <Page title={overview}>{null}</Page>;
}
