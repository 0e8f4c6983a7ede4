import { Code } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Notice } from '../parts/state.tsx';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';

export function UnknownPage() {
  const t = useTexts(COMMON);
  return <Notice isWholePage icon="search" title={t.notFound} text={t.notFoundHelp} />;
}

/** A page that threw: the others still work. */
export function BrokenPage({ error }: ErrorComponentProps) {
  const t = useTexts(COMMON);
  return (
    <Notice isWholePage icon="alert" title={t.somethingBroke} text={t.noAnswerToChange}>
      <Code block>{String(error)}</Code>
    </Notice>
  );
}
