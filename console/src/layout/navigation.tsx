/** The pages that the console has, in the groups of its menu. What is not built has no line here. */
import { Stack, Text } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';

export interface Destination {
  /** Without parameters. */
  readonly to: string;
  readonly name: keyof typeof SHELL;
  readonly icon: IconName;
  /** Pages that are reached from its own, and that it stands for in the menu. */
  readonly also?: string;
}

interface DestinationGroup {
  readonly name?: keyof typeof SHELL;
  readonly destinations: readonly Destination[];
}

const GROUPS: readonly DestinationGroup[] = [
  { destinations: [{ to: '/', name: 'overview', icon: 'home' }] },
  {
    name: 'work',
    destinations: [
      { to: '/contributions', name: 'contributions', icon: 'inbox', also: '/estimates/' },
      { to: '/reviews', name: 'reviews', icon: 'list' },
      { to: '/failures', name: 'failures', icon: 'alert' },
      { to: '/webhooks', name: 'webhooks', icon: 'webhook', also: '/events/' },
    ],
  },
  {
    name: 'money',
    destinations: [
      { to: '/adjustments', name: 'adjustments', icon: 'scales' },
      { to: '/settlements', name: 'settlements', icon: 'coins' },
      { to: '/closings', name: 'closings', icon: 'lock' },
      { to: '/reconciliations', name: 'reconciliations', icon: 'compare' },
      { to: '/impact', name: 'impact', icon: 'leaf' },
    ],
  },
  {
    name: 'setUp',
    destinations: [
      { to: '/partners', name: 'partners', icon: 'building' },
      { to: '/rules', name: 'rules', icon: 'book' },
      { to: '/operators', name: 'operators', icon: 'people' },
      { to: '/audit', name: 'audit', icon: 'shield' },
      { to: '/jobs', name: 'jobs', icon: 'clock' },
    ],
  },
];

export const DESTINATIONS = GROUPS.flatMap(({ destinations }) => destinations);

/** What has no page of its own in the menu: where it is done. */
export interface Task extends Pick<Destination, 'to' | 'icon'> {
  readonly name: keyof typeof SHELL;
  readonly way: keyof typeof SHELL;
}

export const TASKS: readonly Task[] = [
  { to: '/partners', name: 'apiKeys', way: 'throughSetUp', icon: 'lock' },
  { to: '/partners', name: 'suspension', way: 'throughPartner', icon: 'building' },
  { to: '/account', name: 'password', way: 'account', icon: 'people' },
];

/** The list that a page was reached from; `undefined` for a list itself, and for a page that belongs to none. */
export function listAbove(pathname: string): Destination | undefined {
  return DESTINATIONS.find(
    ({ to, also }) => (to !== '/' && pathname.startsWith(`${to}/`)) || (also !== undefined && pathname.startsWith(also)),
  );
}

export function Navigation({ onChoose }: { readonly onChoose: () => void }) {
  const t = useTexts(SHELL);
  const pathname = useLocation({ select: (location) => location.pathname });
  const isWithin = (also: string | undefined) => also !== undefined && pathname.startsWith(also);
  return (
    <Stack component="nav" gap={8} aria-label={t.navigation}>
      {GROUPS.map((group) => (
        <Stack gap={2} key={group.name ?? 'first'}>
          {group.name && (
            <Text size="xs" fw={600} c="dimmed" px={10} pb={2}>
              {t[group.name]}
            </Text>
          )}
          {group.destinations.map(({ to, name, icon, also }) => (
            <Link
              key={to}
              to={to}
              className="nav-link"
              {...(isWithin(also) && { 'aria-current': 'page' as const })}
              onClick={onChoose}
              activeOptions={{ exact: to === '/', includeSearch: false }}
            >
              <Icon name={icon} />
              {t[name]}
            </Link>
          ))}
        </Stack>
      ))}
    </Stack>
  );
}
