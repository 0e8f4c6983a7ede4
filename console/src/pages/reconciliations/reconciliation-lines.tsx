import { Alert, Stack, Text } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { pathOf } from '../../api/path-of.ts';
import { usePages } from '../../api/use-pages.ts';
import { useSort } from '../../app/use-sort.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { Download } from '../../parts/download.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty } from '../../parts/state.tsx';
import { useTexts } from '../../texts/language.tsx';
import { VERDICT } from '../../texts/record-texts.ts';
import { useLineColumns } from './line-columns.tsx';
import { RECONCILIATION, VERDICT_HELP } from './reconciliation-texts.ts';
import type { Reconciliation, Verdict } from './verdicts.ts';

interface LinesProps {
  readonly record: Reconciliation;
  readonly verdict: Verdict;
}

export function ReconciliationLines({ record, verdict }: LinesProps) {
  const t = useTexts(RECONCILIATION);
  const names = useTexts(VERDICT);
  const help = useTexts(VERDICT_HELP);
  const { partner_id, reconciliation_id } = record;
  const list = pathOf`partners/${partner_id}/reconciliations/${reconciliation_id}/lines`;
  return (
    <Section
      title={names[verdict]}
      actions={!record.lines_removed_at && <Download href={csvAddress(list)}>{t.exportAll}</Download>}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed" maw={760}>
          {help[verdict]}
        </Text>
        {verdict === 'missing_in_partner_file' && record.counts.malformed > 0 && (
          <Alert color="yellow">
            {t.unreadable(String(record.counts.malformed))}{' '}
            <AddressLink to={`/reconciliations/${partner_id}/${reconciliation_id}?verdict=malformed`}>
              {t.showUnreadable}
            </AddressLink>
          </Alert>
        )}
        {record.lines_removed_at ? (
          <Alert color="gray">{t.removed}</Alert>
        ) : (
          <LinesOfVerdict record={record} verdict={verdict} csv={csvAddress(list, { verdict })} />
        )}
      </Stack>
    </Section>
  );
}

function LinesOfVerdict({ record, verdict, csv }: LinesProps & { readonly csv: string }) {
  const t = useTexts(RECONCILIATION);
  const columns = useLineColumns(record, verdict);
  const { partner_id, reconciliation_id } = record;
  const path = { partner_id, reconciliation_id };
  const { sort, sorting } = useSort(['position'], 'position');
  const query = usePages(['reconciliation-lines', path, { verdict, sort }], (place) =>
    answerOf(
      client.GET('/operator/v1/partners/{partner_id}/reconciliations/{reconciliation_id}/lines', {
        params: { path, query: { verdict, sort, ...place } },
      }),
    ),
  );
  return (
    <RecordPages
      label={t.linesOf}
      query={query}
      sorting={sorting}
      csv={csv}
      csvLabel={t.exportThese}
      rowsOf={({ lines }) => lines}
      keyOf={({ position }) => position}
      empty={<Empty title={t.none} icon="compare" />}
      columns={columns}
    />
  );
}
