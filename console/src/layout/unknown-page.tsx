import { Button, Code, Group, Paper } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { Empty, Notice } from '../parts/state.tsx';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';
import { Page } from './page.tsx';
import { search } from './typed-ahead.ts';

export function UnknownPage() {
  const t = useTexts(COMMON);
  const shell = useTexts(SHELL);
  return (
    <Page title={t.noPage}>
      <Paper role="alert">
        <Empty title={t.notFound} icon="search">
          {t.notFoundHelp}
          <Group justify="center" mt="md">
            <Button component={Link} to="/">
              {shell.overview}
            </Button>
            <Button variant="default" leftSection={<Icon name="search" size={16} />} onClick={search.open}>
              {shell.search}
            </Button>
          </Group>
        </Empty>
      </Paper>
    </Page>
  );
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
