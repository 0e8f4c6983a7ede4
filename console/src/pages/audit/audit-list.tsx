import { Code, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { ownZone, startOfDay } from '../../format/time.ts';
import { Page } from '../../layout/page.tsx';
import { CodeLabel, CodeLabelInFull } from '../../parts/code-label.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { DayFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { PartnerFilter } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { Id, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { SHELL } from '../../texts/shell-texts.ts';
import { ActionFilter } from './action-filter.tsx';
import { useActionWords } from './action-words.ts';
import { AUDIT } from './audit-texts.ts';
import { About, MadeBy } from './entry-people.tsx';
import { MadeByFilter } from './made-by-filter.tsx';

type Entry = components['schemas']['AuditEntry'];

export function AuditList() {
  const t = useTexts(AUDIT);
  const common = useTexts(COMMON);
  const wordsOf = useActionWords();
  const roles = { ...useTexts(SHELL), partner: common.partner, service: t.service };
  const { filterNames, filters, setFilters } = useFilters(['partner', 'action', 'operator', 'subject', 'from', 'to']);
  const { sort, sorting } = useSort(['recorded_at'], '-recorded_at');
  const [shown, setShown] = useState<Entry>();
  const wanted = present({
    sort,
    partner_id: filters.partner,
    subject_id: filters.subject,
    operator_id: filters.operator,
    action: filters.action,
    since: startOfDay(filters.from, ownZone()),
    until: startOfDay(filters.to, ownZone(), 1),
  });
  const query = usePages(['audit', wanted], (place) =>
    answerOf(client.GET('/operator/v1/audit', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Page title={t.title} description={t.help}>
      <Filters names={filterNames}>
        <PartnerFilter value={filters.partner} onChange={(partner) => setFilters({ partner })} />
        <ActionFilter value={filters.action} onChange={(action) => setFilters({ action })} />
        <MadeByFilter value={filters.operator} onChange={(operator) => setFilters({ operator })} />
        <TextFilter label={t.subjectId} dir="ltr" value={filters.subject} onChange={(subject) => setFilters({ subject })} />
        <DayFilter label={common.from} value={filters.from} onChange={(from) => setFilters({ from })} />
        <DayFilter label={common.to} value={filters.to} onChange={(to) => setFilters({ to })} />
      </Filters>
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={csvAddress('audit', wanted)}
        rowsOf={({ entries }) => entries}
        keyOf={({ entry_no }) => entry_no}
        empty={<Empty title={t.nothing} icon="shield" />}
        columns={[
          {
            label: t.action,
            narrow: 'title',
            show: (entry) => (
              <UnstyledButton className="text-link" onClick={() => setShown(entry)}>
                <CodeLabelInFull code={entry.action} words={wordsOf(entry)} />
              </UnstyledButton>
            ),
          },
          {
            label: t.at,
            sort: 'recorded_at',
            narrow: 'plain',
            show: ({ recorded_at }) => <Time at={recorded_at} style="second" />,
          },
          { label: t.by, narrow: 'plain', show: (entry) => <MadeBy entry={entry} /> },
          { label: t.role, narrow: 'plain', show: (entry) => <CodeLabel code={roleOf(entry)} words={roles} /> },
          { label: t.subject, narrow: 'plain', show: (entry) => <About entry={entry} /> },
        ]}
      />
      <EntryDialog entry={shown} onClose={() => setShown(undefined)} />
    </Page>
  );
}

/** The accounts of the service itself act with a role, and are nobody's. */
function roleOf({ operator_id, role }: Entry): Entry['role'] | 'service' {
  return operator_id === 'schedule' || operator_id === 'dispatcher' ? 'service' : role;
}

function EntryDialog({ entry, onClose }: { readonly entry: Entry | undefined; readonly onClose: () => void }) {
  const t = useTexts(AUDIT);
  const common = useTexts(COMMON);
  return (
    <Dialog
      opened={entry !== undefined}
      onClose={onClose}
      title={`${t.entry} ${entry?.entry_no ?? ''} · ${entry?.action ?? ''}`}
      size="xl"
    >
      {entry && (
        <Stack gap="md">
          <Text size="sm" component="div">
            {common.correlationId} <Id id={entry.correlation_id} />
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Side title={t.before} json={entry.before_json} />
            <Side title={t.after} json={entry.after_json} />
          </SimpleGrid>
        </Stack>
      )}
    </Dialog>
  );
}

function Side({ title, json }: { readonly title: string; readonly json: string | null }) {
  const { nothingThere } = useTexts(AUDIT);
  return (
    <div>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      {json === null ? (
        <Text size="sm">{nothingThere}</Text>
      ) : (
        <Code block dir="ltr" className="foreign">
          {json.replaceAll(',"', ',\n"')}
        </Code>
      )}
    </div>
  );
}
