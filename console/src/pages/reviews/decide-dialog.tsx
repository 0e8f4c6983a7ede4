import { Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client, requireSender } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { addWhole } from '../../format/points.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { useTexts } from '../../texts/language.tsx';
import { type NotDecided, NotDecidedList, OrderOfPartner } from './not-decided.tsx';
import { REVIEW } from './review-texts.ts';

type Decided = components['schemas']['ReviewDecision'];
type Contribution = components['schemas']['ContributionSummary'];

/** What the person chose when the dialog opened: it stays, whatever the list behind has then. */
export interface WantedDecision {
  readonly decision: 'confirm' | 'fail';
  readonly contributions: readonly Contribution[];
}

interface MadeDecision extends WantedDecision {
  readonly reason: string;
}

interface DecideDialogProps {
  /** Closed without one. */
  readonly wanted: WantedDecision | undefined;
  readonly onClose: () => void;
  /** @param left What was not decided. */
  readonly onDecided?: (left: readonly NotDecided[]) => void;
}

const NOTHING: WantedDecision = { decision: 'confirm', contributions: [] };

/**
 * Confirms or fails one contribution or many, with one reason. Each is decided by itself; what was not is listed with who was faster, and is
 * tried again where the service was busy.
 */
export function DecideDialog({ wanted, onClose, onDecided }: DecideDialogProps) {
  const t = useTexts(REVIEW);
  const isOpen = wanted !== undefined;
  const { decision, contributions } = wanted ?? NOTHING;
  const [left, setLeft] = useState<readonly NotDecided[]>([]);
  const [done, setDone] = useState(0);
  const change = useChange({
    send: (made: MadeDecision, key, sender) => decideAll(made, { key, sender, onProgress: setDone }),
    done: ({ decisions }) => (decision === 'confirm' ? t.confirmed : t.failed)(countDecided(decisions)),
    failed: ({ decisions }) => (countDecided(decisions) === 0 ? t.noneDecided : undefined),
    onDone: ({ decisions }) => {
      const answered = new Set(decisions.map(({ transaction_id }) => transaction_id));
      // What was not tried again is still not decided.
      const untried = left.filter(({ contribution }) => !answered.has(contribution.transaction_id));
      const refused = decisions.flatMap((each) => {
        const contribution = contributions.find(({ transaction_id }) => transaction_id === each.transaction_id);
        return each.error !== null && contribution ? [{ contribution, decision: each }] : [];
      });
      const notDecided = [...untried, ...refused];
      setLeft(notDecided);
      if (notDecided.length === 0) onClose();
      onDecided?.(notDecided);
    },
    // Of many, those of the requests before it are decided.
    isContested: true,
  });
  const points = String(addWhole(contributions.map((each) => each.points)));
  const partners = new Set(contributions.map(({ partner_id }) => partner_id)).size;
  const [title, consequence] = decision === 'confirm' ? [t.confirmTitle, t.confirmConsequence] : [t.failTitle, t.failConsequence];
  const isLeft = left.length > 0;
  const rest = left.filter(isTriedAgain).map(({ contribution }) => contribution);
  const wantedNow = isLeft ? rest : contributions;
  const [only] = contributions.length === 1 ? contributions : [];
  const close = () => {
    setLeft([]);
    onClose();
  };
  return (
    <ConfirmDialog
      key={String(isOpen)}
      isOpen={isOpen}
      onClose={close}
      title={isLeft ? t.notDecidedTitle(left.length) : title(contributions.length)}
      consequence={isLeft ? t[rest.length > 0 ? 'notDecidedYet' : 'notDecided'] : consequence(points, partners)}
      label={isLeft ? t.tryAgain : title(contributions.length)}
      color={decision === 'fail' && !isLeft ? 'red' : 'forest'}
      asksReason
      isDone={isLeft}
      isRepeated={rest.length > 0}
      change={change}
      onConfirm={(reason) => change.mutate({ decision, contributions: wantedNow, reason })}
    >
      {isLeft && <NotDecidedList left={left} />}
      {!isLeft && only && (
        <Text>
          <OrderOfPartner contribution={only} />
        </Text>
      )}
      {wantedNow.length > DECIDED_AT_ONCE_MAX && <DecidedSoFar done={done} of={wantedNow.length} change={change} />}
    </ConfirmDialog>
  );
}

interface DecidedSoFarProps {
  readonly done: number;
  readonly of: number;
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
}

/** What is decided while further requests are under way, and once one of them is refused. */
function DecidedSoFar({ done, of, change: { isPending, error } }: DecidedSoFarProps) {
  const t = useTexts(REVIEW);
  if (isPending)
    return (
      <Stack gap={4}>
        <Text size="sm">{t.progress(done, of)}</Text>
        <Progress value={(done * 100) / of} aria-label={t.progress(done, of)} />
      </Stack>
    );
  if (!error || done === 0) return null;
  return <Text fw={600}>{t.decidedForGood(done, of)}</Text>;
}

/** What the service decides with one request. */
const DECIDED_AT_ONCE_MAX = 100;
/** The code of what was locked until the service gave up: its review still waits. */
const BUSY = 'internal_service_unavailable';

/** Not what somebody had decided before it was locked. */
function isTriedAgain({ decision: { error_code, earlier } }: NotDecided): boolean {
  return error_code === BUSY && earlier === null;
}

interface Sending {
  readonly key: string;
  readonly sender: string | undefined;
  /** @param done How many are decided. */
  readonly onProgress: (done: number) => void;
}

/** One request after the other. Each has a key of its own, so that a repetition decides only what is left. */
async function decideAll({ decision, contributions, reason }: MadeDecision, { key, sender, onProgress }: Sending) {
  const decisions: Decided[] = [];
  onProgress(0);
  for (let start = 0; start < contributions.length; start += DECIDED_AT_ONCE_MAX) {
    const some = contributions.slice(start, start + DECIDED_AT_ONCE_MAX);
    const ids = some.map(({ partner_id, transaction_id }) => ({ partner_id, transaction_id }));
    const params = { header: { 'Idempotency-Key': `${key}.${start}` } };
    const body = { decision, reason, contributions: ids };
    requireSender(sender);
    decisions.push(...(await answerOf(client.POST('/operator/v1/reviews/decisions', { params, body }))).decisions);
    onProgress(countDecided(decisions));
  }
  return { decisions };
}

function countDecided(decisions: readonly Decided[]): number {
  return decisions.filter(({ error }) => error === null).length;
}
