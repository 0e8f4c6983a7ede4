/** Ctrl-K or `/`: every page by its name, and every record by what a partner sends of it. */
import { Spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';
import { DESTINATIONS } from './navigation.tsx';

export function CommandPalette() {
  const t = useTexts(SHELL);
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const wanted = text.trim().toLowerCase();
  const pages = DESTINATIONS.filter(({ name }) => t[name].toLowerCase().includes(wanted));
  return (
    <Spotlight.Root query={text} onQueryChange={setText} shortcut={['mod + K', '/']} scrollable maxHeight={420}>
      <Spotlight.Search placeholder={t.searchFor} leftSection={<Icon name="search" />} aria-label={t.search} />
      <Spotlight.ActionsList>
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label={t.pages}>
            {pages.map(({ to, name, icon }) => (
              <Spotlight.Action
                key={to}
                label={t[name]}
                leftSection={<Icon name={icon} />}
                onClick={() => void navigate({ to })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {pages.length === 0 && <Spotlight.Empty>{t.nothingFound}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
