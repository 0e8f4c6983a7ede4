import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty } from '../../parts/state.tsx';
import { Foreign, Money, Points } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { DraftDialog } from '../adjustments/draft-dialog.tsx';
import { LINE_KIND, SETTLEMENT } from './settlement-texts.ts';

type Line = components['schemas']['SettlementLine'];

interface SettlementLinesProps {
  readonly partnerId: string;
  readonly settlementId: string;
}

const TYPED_MS = 300;

/** All lines, or those of what a partner speaks of. */
export function SettlementLines({ partnerId, settlementId }: SettlementLinesProps) {
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  const kinds = useTexts(LINE_KIND);
  const mayDraft = useMay('operator');
  const [wanted, setWanted] = useState('');
  const [of] = useDebouncedValue(wanted.trim(), TYPED_MS);
  const path = { partner_id: partnerId, settlement_id: settlementId };
  const query = usePages(['lines', path, of], (place) =>
    answerOf(
      client.GET('/operator/v1/partners/{partner_id}/settlements/{settlement_id}/lines', {
        params: { path, query: { ...present({ of }), ...place } },
      }),
    ),
  );
  return (
    <Section
      title={t.lines}
      actions={
        <TextInput
          type="search"
          aria-label={t.find}
          placeholder={t.findHelp}
          maxLength={128}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
          w={{ base: '100%', sm: 380 }}
        />
      }
    >
      <RecordPages
        label={t.lines}
        query={query}
        csv={csvAddress(`partners/${partnerId}/settlements/${settlementId}/lines`, present({ of }))}
        rowsOf={({ lines }) => lines}
        keyOf={({ line_no }) => String(line_no)}
        empty={
          <Empty title={of === '' ? t.noLines : t.find} icon="coins">
            {of === '' ? undefined : t.notOnIt}
          </Empty>
        }
        columns={[
          { label: t.line, isFigure: true, show: ({ line_no }) => <Points value={String(line_no)} /> },
          { label: t.kind, show: ({ line_type }) => kinds[line_type] },
          { label: common.order, show: ({ partner_order_ref }) => <Foreign text={partner_order_ref} /> },
          { label: common.contribution, show: (line) => <ContributionLink partnerId={partnerId} line={line} /> },
          { label: common.points, isFigure: true, show: ({ points }) => <Points value={points} /> },
          { label: common.amount, isFigure: true, show: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
          ...(mayDraft ? [{ label: '', show: (line: Line) => <DraftOfLine partnerId={partnerId} line={line} /> }] : []),
        ]}
      />
    </Section>
  );
}

function ContributionLink({ partnerId, line: { transaction_id: id } }: { readonly partnerId: string; readonly line: Line }) {
  if (id === null) return '–';
  return (
    <AddressLink to={`/contributions/${partnerId}/${id}`} className="id text-link figure">
      {`${id.slice(0, 4)}…${id.slice(-6)}`}
    </AddressLink>
  );
}

function DraftOfLine({ partnerId, line }: { readonly partnerId: string; readonly line: Line }) {
  const t = useTexts(SETTLEMENT);
  const [isOpen, setOpen] = useState(false);
  if (line.line_type !== 'contribution' || line.transaction_id === null) return null;
  return (
    <>
      <Button variant="subtle" size="compact-sm" onClick={() => setOpen(true)}>
        {t.adjust}
      </Button>
      {isOpen && (
        <DraftDialog
          contribution={{ partner_id: partnerId, transaction_id: line.transaction_id }}
          isOpen
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
