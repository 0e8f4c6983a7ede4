import { Group } from '@mantine/core';
import { DESTINATIONS } from '../../layout/navigation.tsx';
import { AddressLink } from '../../parts/address-link.tsx';
import { Section } from '../../parts/section.tsx';
import { useTexts } from '../../texts/language.tsx';
import { SHELL } from '../../texts/shell-texts.ts';
import { PARTNER } from './partner-texts.ts';
import { SET_UP } from './set-up/set-up-texts.ts';

/** The lists that have records of a partner. */
const LISTS: readonly (keyof typeof SHELL)[] = [
  ...(['contributions', 'reviews', 'failures', 'webhooks', 'adjustments', 'settlements'] as const),
  ...(['reconciliations', 'rules', 'audit'] as const),
];

/** What is recorded of the partner: each list with the filter set. */
export function PartnerLists({ partnerId }: { readonly partnerId: string }) {
  const t = useTexts(PARTNER);
  const shell = useTexts(SHELL);
  const { setUp } = useTexts(SET_UP);
  const lists = DESTINATIONS.filter(({ name }) => LISTS.includes(name));
  return (
    <Section title={t.lists}>
      <Group component="nav" aria-label={t.lists} gap="lg">
        {lists.map(({ to, name }) => (
          <AddressLink key={to} to={`${to}?partner=${partnerId}`}>
            {shell[name]}
          </AddressLink>
        ))}
        <AddressLink to={`/partners/${partnerId}/set-up`}>{setUp}</AddressLink>
      </Group>
    </Section>
  );
}
