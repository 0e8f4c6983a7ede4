import { Button, Code, Group } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/state.tsx';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';
import { Page } from './page.tsx';
import { search } from './typed-ahead.ts';

export function UnknownPage() {
  const t = useTexts(COMMON);
  const shell = useTexts(SHELL);
  return (
    <Page title={t.noPage} description={t.notFoundHelp}>
      <Group gap="xs">
        <Button leftSection={<Icon name="search" size={16} />} onClick={search.open}>
          {shell.search}
        </Button>
        <Button variant="default" component={Link} to="/">
          {shell.overview}
        </Button>
      </Group>
    </Page>
  );
}

/** A page that threw: the others still work. */
export function BrokenPage({ error }: ErrorComponentProps) {
  const t = useTexts(COMMON);
  return (
    <Notice isWholePage icon="alert" title={t.somethingBroke} text={t.somethingBrokeHelp}>
      <Code block>{String(error)}</Code>
    </Notice>
  );
}
