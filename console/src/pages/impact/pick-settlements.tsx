import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { present } from '../../api/present.ts';
import { useChange } from '../../api/use-change.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { addDecimals, addWhole, formatWhole } from '../../format/points.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Filters, TextFilter } from '../../parts/filters.tsx';
import { PartnerFilter } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty } from '../../parts/state.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';
import { type Poolable, usePoolableColumns } from './pooled-settlements.tsx';
import { type Worth, WorthTable } from './worth.tsx';

const keyOf = ({ settlement_id }: Poolable) => settlement_id;

/** The settlements that may be added to a batch, with what the chosen ones are worth together. */
export function PickSettlements({ batchId }: { readonly batchId: string }) {
  const t = useTexts(IMPACT);
  const columns = usePoolableColumns('closed_at');
  const mayPool = useMay('operator');
  const { filters, setFilters } = useFilters<'partner' | 'period'>();
  const { sort, sorting } = useSort(['closed_at'], '-closed_at');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const wanted = present({ sort, partner_id: filters.partner, period: filters.period });
  const query = usePages(['unpooled-settlements', wanted], (place) =>
    answerOf(client.GET('/operator/v1/unpooled-settlements', { params: { query: { ...wanted, ...place } } })),
  );
  const settlements = query.data?.pages.flatMap((page) => page.settlements) ?? [];
  return (
    <Section title={t.pick}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.pickHelp}
        </Text>
        <Filters names={['partner', 'period']}>
          <PartnerFilter value={filters.partner} onChange={(partner) => setFilters({ partner })} />
          <TextFilter label={t.period} dir="ltr" value={filters.period} onChange={(period) => setFilters({ period })} />
        </Filters>
        <RecordPages
          label={t.pick}
          query={query}
          sorting={sorting}
          rowsOf={(page) => page.settlements}
          keyOf={keyOf}
          {...(mayPool && { selection: { chosen, choose: setChosen, label: t.choose } })}
          empty={
            <Empty title={t.nothingToPick} icon="coins">
              {t.nothingToPickHelp}
            </Empty>
          }
          columns={columns}
        />
        <PoolBar
          batchId={batchId}
          settlements={settlements.filter((each) => chosen.has(keyOf(each)))}
          onDone={() => setChosen(new Set())}
        />
      </Stack>
    </Section>
  );
}

interface PoolBarProps {
  readonly batchId: string;
  readonly settlements: readonly Poolable[];
  readonly onDone: () => void;
}

/** Stays in sight while something is chosen. A request for each partner: those that went through are not sent again. */
function PoolBar({ batchId, settlements, onDone }: PoolBarProps) {
  const t = useTexts(IMPACT);
  const [isOpen, setOpen] = useState(false);
  const [sent, setSent] = useState(0);
  const byPartner = Map.groupBy(settlements, ({ partner_id }) => partner_id);
  const pool = useChange({
    async send(partners: readonly (readonly [partnerId: string, ids: readonly string[]])[], key) {
      for (const [index, [partner_id, ids]] of partners.entries()) {
        setSent(index);
        const params = { path: { impact_batch_id: batchId }, header: { 'Idempotency-Key': `${key}.${index}` } };
        const body = { partner_id, settlement_ids: [...ids] };
        await answerOf(client.POST('/operator/v1/impact-batches/{impact_batch_id}/settlements', { params, body }));
      }
    },
    done: t.pooled,
    onDone() {
      setOpen(false);
      onDone();
    },
  });
  if (settlements.length === 0) return null;
  const points = formatWhole(addWhole(settlements.map((each) => each.points)));
  return (
    <>
      <Paper p="sm" shadow="md" pos="sticky" bottom={16} style={{ zIndex: 5 }}>
        <Group justify="space-between">
          <Text fw={600}>{t.chosen(settlements.length, points)}</Text>
          <Button onClick={() => setOpen(true)}>{t.pool}</Button>
        </Group>
      </Paper>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.pool}
        consequence={t.poolConsequence(settlements.length, byPartner.size)}
        label={t.pool}
        change={pool}
        onConfirm={() => pool.mutate([...byPartner].map(([id, each]) => [id, each.map(keyOf)] as const))}
      >
        <WorthTable worth={worthOf(settlements)} />
        {pool.isPending && byPartner.size > 1 && (
          <Stack gap={4}>
            <Text size="sm">{t.poolProgress(sent, byPartner.size)}</Text>
            <Progress value={(sent * 100) / byPartner.size} aria-label={t.poolProgress(sent, byPartner.size)} />
          </Stack>
        )}
      </ConfirmDialog>
    </>
  );
}

function worthOf(settlements: readonly Poolable[]): Worth[] {
  return [...Map.groupBy(settlements, ({ currency }) => currency)].map(([currency, same]) => {
    const [amounts, trees] = [same.map((each) => each.amount), same.map((each) => each.trees)];
    return {
      currency,
      points: String(addWhole(same.map((each) => each.points))),
      amount: amounts.includes(null) ? null : addDecimals(amounts as string[]),
      trees: trees.includes(null) ? null : String(addWhole(trees as string[])),
    };
  });
}
