/** The frame of every page: its title, what it is for, what can be done, and one way to show that something is not there. */
import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { setPageTitle } from '../app/page-title.ts';
import { isolate } from '../format/isolate.ts';
import { shortId } from '../format/short-id.ts';
import { AddressLink } from '../parts/address-link.tsx';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';
import { listAbove } from './navigation.tsx';

interface Parent {
  readonly to: string;
  readonly label: string;
}

interface PageProps {
  readonly title: string;
  /** The id of a record whose title others have too: the tab of the browser shows it behind the title. */
  readonly id?: string;
  /** The record that the page belongs to, between the list of the menu and the page itself. */
  readonly parent?: Parent | false | undefined;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, id, parent, description, actions, children }: PageProps) {
  useEffect(() => {
    setPageTitle(id === undefined ? title : `${title} ${isolate(shortId(id))}`);
  }, [title, id]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box maw={720} miw={0}>
          <Trail parent={parent || undefined} />
          <Title order={1} className="foreign" tabIndex={-1}>
            <bdi>
              <TitleText text={title} />
            </bdi>
          </Title>
          {description && (
            <Text c="dimmed" size="sm" mt={4} component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions && (
          <Group gap="xs" className="page-actions">
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </Stack>
  );
}

/** A period such as `2026-11`, which a title holds within marks of direction. */
const PERIOD = /(\u2066[\d-]+\u2069)/;

/** The title, of which no period is broken at its hyphens. */
function TitleText({ text }: { readonly text: string }) {
  return text.split(PERIOD).map((part, index) =>
    PERIOD.test(part) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
      <span key={index} className="unbroken">
        {part}
      </span>
    ) : (
      part
    ),
  );
}

/** The way up: to the list of the menu, and to what the page belongs to. */
function Trail({ parent }: { readonly parent: Parent | undefined }) {
  const t = useTexts(SHELL);
  const list = useLocation({ select: ({ pathname }) => listAbove(pathname) });
  if (list === undefined) return null;
  const steps = [{ to: list.to, label: t[list.name] }, ...(parent ? [parent] : [])];
  return (
    <Group component="nav" aria-label={t.trail} gap={4} mb={4} fz="sm">
      {steps.map(({ to, label }) => (
        <Group key={to} gap={4} wrap="nowrap" miw={0}>
          <AddressLink to={to}>
            <bdi>{label}</bdi>
          </AddressLink>
          <Icon name="chevron" size={14} />
        </Group>
      ))}
    </Group>
  );
}
