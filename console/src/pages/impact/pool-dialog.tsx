/** What the chosen settlements are worth together: in a bar that stays in sight, and in the dialog before they are in a batch for ever. */
import { Alert, Button, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { isolate } from '../../format/isolate.ts';
import { addWhole } from '../../format/points.ts';
import { type Chosen, useChosenRows } from '../../parts/chosen/chosen.ts';
import { ChosenBar } from '../../parts/chosen/chosen-bar.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { FasterChange } from './faster-change.tsx';
import { IMPACT } from './impact-texts.ts';
import { newSentShares, poolSettlements, sharesOf } from './pool-settlements.ts';
import type { Poolable } from './pooled-settlements.tsx';
import { PaidTogether, treesPaidBy, WorthCards, WorthLine, worthOf } from './worth.tsx';

interface PickedBarProps {
  readonly chosen: Chosen<Poolable>;
  readonly label: string;
  readonly onNext: () => void;
  /** What can be done while none is chosen. */
  readonly exception?: ReactNode;
}

export function PickedBar({ chosen, label, onNext, exception }: PickedBarProps) {
  const t = useTexts(IMPACT);
  const settlements = [...useChosenRows(chosen).values()];
  const isNone = settlements.length === 0;
  const points = String(addWhole(settlements.map((each) => each.points)));
  const disputed = countDisputed(settlements);
  const worth = worthOf(settlements);
  return (
    <ChosenBar
      isNone={isNone}
      count={isNone ? t.noneChosen : t.chosen(settlements.length, points)}
      details={
        <>
          {worth.map((each) => (
            <WorthLine key={each.currency ?? '-'} worth={each} />
          ))}
          <PaidTogether worth={worth} />
          {disputed > 0 && (
            <Text size="sm" c="var(--console-warning)">
              {t.disputedChosen(disputed)}
            </Text>
          )}
        </>
      }
    >
      {isNone ? (
        exception
      ) : (
        <Button variant="subtle" onClick={() => chosen.set(new Map())}>
          {t.chooseNone}
        </Button>
      )}
      <Button onClick={onNext} disabled={isNone}>
        {label}
      </Button>
    </ChosenBar>
  );
}

function countDisputed(settlements: readonly Poolable[]): number {
  return settlements.filter(({ acknowledgement }) => acknowledgement === 'disputed').length;
}

interface ChosenWorthProps {
  readonly settlements: readonly Poolable[];
  /** How many partners' settlements were added, while they are. */
  readonly sent: number | undefined;
}

export function ChosenWorth({ settlements, sent }: ChosenWorthProps) {
  const t = useTexts(IMPACT);
  if (settlements.length === 0) return null;
  const disputed = countDisputed(settlements);
  const partners = sharesOf(settlements).length;
  const worth = worthOf(settlements);
  const paid = treesPaidBy(worth);
  return (
    <>
      <WorthCards worth={worth} partnersOf={(currency) => namesOf(settlements.filter((each) => each.currency === currency))} />
      <Text fw={600}>{paid === undefined ? t.noCost : t.payTogether(settlements.length, String(paid))}</Text>
      {disputed > 0 && <Alert color="yellow">{t.disputedChosen(disputed)}</Alert>}
      {sent !== undefined && partners > 1 && (
        <Stack gap={4}>
          <Text size="sm">{t.poolProgress(sent, partners)}</Text>
          <Progress value={(sent * 100) / partners} aria-label={t.poolProgress(sent, partners)} />
        </Stack>
      )}
    </>
  );
}

/** One for each partner; those of one name with their ids. */
function namesOf(settlements: readonly Poolable[]): readonly string[] {
  const names = new Map(settlements.map(({ partner_name, partner_id }) => [partner_id, partner_name ?? partner_id]));
  const all = [...names.values()];
  const isShared = (name: string) => all.indexOf(name) !== all.lastIndexOf(name);
  return [...names].map(([id, name]) => (isShared(name) ? `${name} (${isolate(id)})` : name));
}

interface PoolBarProps {
  readonly batchId: string;
  readonly chosen: Chosen<Poolable>;
  /** By a colleague: after it no settlement is added. */
  readonly allocated: components['schemas']['ImpactBatchDetail']['changes'][number] | undefined;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

/** Adds the chosen settlements to a batch that there is. */
export function PoolBar({ batchId, chosen, allocated, isOpen, setOpen }: PoolBarProps) {
  const t = useTexts(IMPACT);
  const { changedMeanwhile } = useTexts(COMMON);
  const settlements = [...useChosenRows(chosen).values()];
  const [sent, setSent] = useState(0);
  const shares = sharesOf(settlements);
  const [kept] = useState(newSentShares);
  const pool = useChange({
    async send(wanted: typeof shares, key, sender) {
      const refusals: ApiError[] = [];
      const onRefused = (refusal: ApiError) => void refusals.push(refusal);
      await poolSettlements({ batchId, shares: wanted, key, sender, sent: kept, onProgress: setSent, onRefused });
      const added = wanted.flatMap(([, ids]) => ids).filter((id) => kept.added.has(id)).length;
      // Of nothing that was added there is nothing to go on with: the dialog says why.
      const [refusal] = refusals;
      if (refusal && added === 0) throw refusal;
      return { added, isWhole: refusal === undefined };
    },
    done: ({ added }) => t.pooled(added),
    failed: ({ added, isWhole }) => (isWhole ? undefined : t.pooledWithout(added)),
    onDone() {
      setOpen(false);
      chosen.set(new Map());
    },
    isContested: true,
  });
  return (
    <>
      <PickedBar chosen={chosen} label={t.pool} onNext={() => setOpen(true)} />
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.pool}
        consequence={allocated ? changedMeanwhile : t.poolConsequence(settlements.length, shares.length)}
        label={t.pool}
        change={pool}
        isDone={allocated !== undefined}
        onConfirm={() => pool.mutate(shares)}
      >
        {allocated ? (
          <FasterChange change={allocated} />
        ) : (
          <ChosenWorth settlements={settlements} sent={pool.isPending ? sent : undefined} />
        )}
      </ConfirmDialog>
    </>
  );
}
