/** Ctrl-K or `/`: every page by its name, what is done on one of its parts, and every record by what a partner sends of it. */

import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { answerOf, client } from '../api/client.ts';
import { isTypedOf } from '../format/arabic-spelling.ts';
import { asMeant } from '../format/as-meant.ts';
import { beginningOf } from '../format/beginning-of.ts';
import { Icon } from '../parts/icon.tsx';
import { ReadFailure } from '../parts/state.tsx';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';
import { DESTINATIONS, TASKS } from './navigation.tsx';
import { type Result, useResults } from './search-results.tsx';
import { search, searchStore, useTypedAhead } from './typed-ahead.ts';

/** What the service searches for. */
const CHARACTERS_MIN = 2;
const CHARACTERS_MAX = 200;

export function CommandPalette() {
  const t = useTexts(SHELL);
  const common = useTexts(COMMON);
  const [text, setText] = useState('');
  const meant = beginningOf(asMeant(text), CHARACTERS_MAX);
  const [settled] = useDebouncedValue(meant, 150);
  const found = useQuery({
    queryKey: ['search', settled],
    queryFn: () => answerOf(client.GET('/operator/v1/search', { params: { query: { q: settled } } })),
    enabled: settled.length >= CHARACTERS_MIN,
    refetchInterval: false,
  });
  const isMeant = ({ name }: { readonly name: keyof typeof SHELL }) => isTypedOf(t[name], meant);
  const pages = DESTINATIONS.filter(isMeant);
  // In the empty field the pages are enough.
  const tasks = meant === '' ? [] : TASKS.filter(isMeant);
  const results = useResults(settled === '' ? undefined : found.data, settled);
  const first = results[0]?.to ?? pages[0]?.to ?? tasks[0]?.to;
  const isSettled = settled === meant && !found.isFetching;
  // Enter opens what is first, as soon as it is known, where nothing was chosen with the arrow keys.
  const [isEntered, setEntered] = useState(false);
  const navigate = useNavigate();
  useEffect(() => {
    if (!isEntered || !isSettled) return;
    setEntered(false);
    if (first === undefined) return;
    search.close();
    void navigate({ href: first });
  }, [isEntered, isSettled, first, navigate]);
  const change = (typed: string) => {
    setEntered(false);
    setText(typed);
  };
  useTypedAhead({
    onType(next) {
      setEntered(false);
      setText(next);
    },
    onEnter: () => setEntered(meant !== ''),
  });
  const enter = ({ key, nativeEvent }: KeyboardEvent<HTMLInputElement>) => {
    if (key !== 'Enter' || nativeEvent.isComposing || meant === '') return;
    if (document.querySelector('[data-action][data-selected]') === null) setEntered(true);
  };
  return (
    <Spotlight.Root
      store={searchStore}
      query={text}
      onQueryChange={change}
      shortcut={['mod + K', '/']}
      scrollable
      maxHeight={440}
    >
      <Spotlight.Search
        placeholder={t.searchFor}
        leftSection={<Icon name="search" />}
        aria-label={t.search}
        // What stands in the empty field is of the language of the screen.
        {...(text !== '' && { dir: 'auto' })}
        onKeyDown={enter}
        // Goes on after what was typed before.
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
      />
      <Spotlight.ActionsList>
        {results.length > 0 && (
          <Spotlight.ActionsGroup label={t.records}>
            {results.map((result) => (
              <Action key={result.to} {...result} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {pages.length + tasks.length > 0 && (
          <Spotlight.ActionsGroup label={t.pages}>
            {pages.map(({ to, name, icon }) => (
              <Action key={to} to={to} label={t[name]} left={<Icon name={icon} />} />
            ))}
            {tasks.map(({ to, name, way, icon }) => (
              <Action key={name} to={to} label={t[name]} description={t[way]} left={<Icon name={icon} />} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {pages.length + tasks.length + results.length === 0 && !found.isFetching && !found.isError && (
          <Spotlight.Empty>{t.nothingFound}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
      {(found.isError || found.data?.left_out) && (
        <Spotlight.Footer>
          <Text size="sm" role="status">
            {found.isError ? <ReadFailure error={found.error} /> : common.leftOut}
          </Text>
        </Spotlight.Footer>
      )}
    </Spotlight.Root>
  );
}

function Action({ to, label, description, left, right }: Result) {
  const navigate = useNavigate();
  return (
    <Spotlight.Action
      label={label as string}
      {...(description !== undefined && { description: description as string })}
      leftSection={left}
      rightSection={right}
      onClick={() => void navigate({ href: to })}
    />
  );
}
