/** What stands around every page: the menu, the search, and who is signed in. */
import { AppShell, Badge, Box, Burger, Flex, Group, Kbd, ScrollArea, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { type KeyboardEvent, useRef } from 'react';
import { useKeptFocus } from '../app/kept-focus.ts';
import markAddress from '../app/mark.svg';
import { isolateForeign } from '../format/isolate.ts';
import { cityOf, ownZone } from '../format/time.ts';
import { Hints, hint } from '../parts/hint.tsx';
import { Icon } from '../parts/icon.tsx';
import { useSession } from '../session/session.tsx';
import { COMMON } from '../texts/common-texts.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';
import { Account, Preferences } from './account.tsx';
import { CommandPalette } from './command-palette.tsx';
import { LeaveGuard } from './leave-dialog.tsx';
import { Navigation } from './navigation.tsx';
import { StaleNotice } from './stale-notice.tsx';
import { Toasts, useToastRoom } from './toasts.tsx';
import { search } from './typed-ahead.ts';

const BAR_HEIGHT = 54;

export function Shell() {
  const [isOpen, menu] = useDisclosure(false);
  const burger = useRef<HTMLButtonElement>(null);
  const t = useTexts(SHELL);
  const toasts = useToastRoom();
  useKeptFocus();
  // On a narrow screen the menu covers the page while it is open. What is not seen gets no focus.
  const isMenuBeside = toasts.isInMenu;
  const leaveMenu = ({ key, target, currentTarget }: KeyboardEvent) => {
    // A dialog that the menu opened is no part of it.
    if (key !== 'Escape' || isMenuBeside || !isOpen || !currentTarget.contains(target as Node)) return;
    menu.close();
    burger.current?.focus();
  };
  return (
    <AppShell
      header={{ height: { base: BAR_HEIGHT + (toasts.isInMenu ? 0 : toasts.height), lg: 0 } }}
      navbar={{ width: 236, breakpoint: 'lg', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', lg: 'xl' }}
    >
      <a href="#content" className="skip-link">
        {t.skip}
      </a>
      <AppShell.Header hiddenFrom="lg">
        <Group h={BAR_HEIGHT - 1} px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              ref={burger}
              opened={isOpen}
              onClick={menu.toggle}
              onKeyDown={leaveMenu}
              size="sm"
              aria-label={t.openMenu}
              aria-expanded={isOpen}
            />
            <Brand isLow />
          </Group>
          <UnstyledButton onClick={search.open} aria-label={t.search} p={6} display="flex">
            <Icon name="search" size={20} />
          </UnstyledButton>
        </Group>
        {!toasts.isInMenu && <Toasts measure={toasts.measure} />}
      </AppShell.Header>
      <AppShell.Navbar p="sm" inert={!isMenuBeside && !isOpen} onKeyDown={leaveMenu}>
        <AppShell.Section visibleFrom="lg" px={8} pt={2} pb="sm">
          <Brand />
        </AppShell.Section>
        <AppShell.Section pb="sm">
          <SearchButton />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea} type="auto">
          <Navigation onChoose={menu.close} />
        </AppShell.Section>
        {toasts.isInMenu && (
          <AppShell.Section>
            <Toasts />
          </AppShell.Section>
        )}
        <AppShell.Section pt="sm">
          <Group justify="space-between" wrap="nowrap" gap={4}>
            <OwnZone />
            <Preferences />
          </Group>
          <Account onChoose={menu.close} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main inert={!isMenuBeside && isOpen}>
        <Box id="content" maw={1240} mx="auto" tabIndex={-1}>
          <StaleNotice />
          <LeaveGuard>
            <Outlet />
          </LeaveGuard>
        </Box>
      </AppShell.Main>
      <CommandPalette />
      <Hints />
    </AppShell>
  );
}

/** @param isLow In a bar, which has two lines where the screen has no room for one. */
function Brand({ isLow = false }: { readonly isLow?: boolean }) {
  const { product } = useTexts(COMMON);
  const t = useTexts(SHELL);
  const { environment } = useSession();
  return (
    <Link to="/" className="row-anchor">
      <Group gap="xs" wrap="nowrap">
        <img src={markAddress} width={28} height={28} alt="" />
        <Flex direction={isLow ? 'row' : 'column'} wrap="wrap" gap={isLow ? '0 8px' : 2} align={isLow ? 'center' : 'flex-start'}>
          <Text fw={700} lh={1.2} className="figure">
            {product}
          </Text>
          {environment === 'sandbox' && (
            <Badge size="sm" fz={11} color="yellow">
              {t.sandbox}
            </Badge>
          )}
        </Flex>
      </Group>
    </Link>
  );
}

/** In whose zone the times are that name none. */
function OwnZone() {
  const t = useTexts(COMMON);
  const { language } = useLanguage();
  return (
    <Text size="xs" c="dimmed" px={10} miw={0} truncate {...hint(t.ownZoneHelp(isolateForeign(ownZone())))}>
      {t.zoneOf(isolateForeign(cityOf(ownZone(), language)))}
    </Text>
  );
}

function SearchButton() {
  const t = useTexts(SHELL);
  return (
    <UnstyledButton className="search-button" onClick={search.open} w="100%">
      <Group justify="space-between" wrap="nowrap">
        <Group gap="xs" wrap="nowrap">
          <Icon name="search" size={16} />
          <Text size="sm">{t.search}</Text>
        </Group>
        <Stack visibleFrom="lg">
          <Kbd size="xs">/</Kbd>
        </Stack>
      </Group>
    </UnstyledButton>
  );
}
