import { Button, CopyButton, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { useAllPages } from '../../api/use-all-pages.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { formatWhole } from '../../format/points.ts';
import { Icon } from '../../parts/icon.tsx';
import { Section } from '../../parts/section.tsx';
import { Failure, Loading } from '../../parts/state.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import type { Language } from '../../texts/text.ts';
import { countDifferences, type Reconciliation } from '../reconciliations/verdicts.ts';
import { ComparedListChoice } from './compared-list-choice.tsx';
import { RecordReply, type Reply, useReply } from './record-reply.tsx';
import { composeReply, countRecorded, REPLY_CHARACTERS_MAX, type ReplyFacts } from './reply-text.ts';
import { useAdjustmentsOf } from './settlement-adjustments.tsx';
import { useDoneReconciliations } from './settlement-reconciliations.tsx';
import { SETTLEMENT } from './settlement-texts.ts';
import { useDifferingLines } from './use-differing-lines.ts';

type Settlement = components['schemas']['Settlement'];

function comparedIn(list: Reconciliation): ReplyFacts['compared'] {
  const { matched, missing_in_partner_file: notListed, malformed: unreadable } = list.counts;
  const found = countDifferences(list);
  const differences = found - Math.max(notListed, unreadable);
  return { lines: list.listed_lines, hasHeading: list.format === 'csv', found, matched, differences, unreadable, notListed };
}

/** What was posted before a dispute corrects nothing that it is about. */
function isAfter(postedAt: string | null, disputedAt: string | null): boolean {
  return postedAt !== null && (disputedAt === null || Date.parse(postedAt) > Date.parse(disputedAt));
}

interface Disputed {
  readonly settlement: Settlement;
  /** What the partner says against it, also where it has accepted since. */
  readonly dispute: Settlement['acknowledgement'];
}

interface Wanted {
  readonly language: Language;
  readonly listId?: string;
}

/** The text of an answer in a language, from what was compared and posted; none before all of it is read. */
function useComposed({ settlement, dispute }: Disputed, { language, listId }: Wanted) {
  const of = { partnerId: settlement.partner_id, settlementId: settlement.settlement_id };
  const query = useAdjustmentsOf(of);
  const { pages, isWhole } = useAllPages(query);
  const adjustments = pages.flatMap((page) => page.adjustments);
  const done = useDoneReconciliations(of);
  const lists = done.lists ?? [];
  const list = lists.find(({ reconciliation_id }) => reconciliation_id === listId) ?? lists[0];
  const lines = useDifferingLines(list);
  // Before that it would say that nothing was compared or posted.
  const isRead = isWhole && done.lists !== undefined && lines.isRead;
  const facts: ReplyFacts = {
    settlementId: of.settlementId,
    periodLabel: settlement.period_label,
    zone: settlement.period_timezone,
    currency: settlement.currency,
    disputedAt: dispute.acknowledged_at,
    note: dispute.note,
    compared: list && comparedIn(list),
    differing: lines.differing,
    posted: adjustments.filter(({ posted_at }) => isAfter(posted_at, dispute.acknowledged_at)),
  };
  return {
    composed: isRead ? composeReply(language, facts) : undefined,
    waiting: adjustments.filter(({ status }) => status === 'draft' || status === 'approved').length,
    lists,
    list,
    failed: [query, done.query, lines.query].filter(({ error }) => error !== null),
  };
}

/** What the person did with the composed text. */
interface Draft {
  /** What was composed when the text was copied, or its recording was begun: a later text does not replace it. */
  readonly kept?: string | undefined;
  /** Nothing where it is as composed. */
  readonly typed?: string | undefined;
}

/** The text of an answer, in either language. Nobody sends it but the person. */
export function DisputeReply({ settlement, dispute }: Disputed) {
  const t = useTexts(SETTLEMENT);
  const { language: own } = useLanguage();
  const [language, setLanguage] = useState<Language>(own);
  const [drafts, setDrafts] = useState<Partial<Record<Language, Draft>>>({});
  const [listId, setListId] = useState<string>();
  useUnsaved(Object.values(drafts).some(({ typed }) => typed !== undefined));
  const { composed, waiting, lists, list, failed } = useComposed({ settlement, dispute }, { language, ...present({ listId }) });
  const reply = useReply(settlement);
  const { kept, typed } = drafts[language] ?? {};
  const begun = kept ?? composed;
  const text = typed ?? begun;
  const setDraft = (draft: Draft) => setDrafts((before) => ({ ...before, [language]: draft }));
  return (
    <Section
      id="reply"
      title={settlement.is_dispute_answered ? t.replyAgain : t.reply}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t.replyLanguage}
          disabled={reply.isLocked}
          styles={{ label: { paddingInline: 12 } }}
          value={language}
          onChange={(chosen) => setLanguage(chosen as Language)}
          data={[
            { value: 'en', label: t.english },
            { value: 'ar', label: t.arabic },
          ]}
        />
      }
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t.replyHelp} {waiting > 0 && t.notNamed(String(waiting))}
        </Text>
        <ComparedListChoice lists={lists} chosen={list} zone={settlement.period_timezone} onChoose={setListId} />
        {text === undefined ? (
          <NotComposed error={failed[0]?.error ?? null} onRetry={() => failed.forEach((query) => void query.refetch())} />
        ) : (
          <ReplyText
            {...{ reply, language, text }}
            isComposed={text === composed}
            onChange={(words) => setDraft({ kept, typed: words === begun ? undefined : words })}
            onKeep={() => setDraft({ kept: begun, typed })}
            onRelease={() => setDraft({})}
          />
        )}
      </Stack>
    </Section>
  );
}

function NotComposed({ error, onRetry }: { readonly error: Error | null; readonly onRetry: () => void }) {
  return error ? <Failure error={error} onRetry={onRetry} /> : <Loading />;
}

interface ReplyTextProps {
  readonly reply: Reply;
  readonly language: Language;
  readonly text: string;
  /** Whether it is what is composed now. */
  readonly isComposed: boolean;
  readonly onChange: (text: string) => void;
  /** It stays as it is from now on. */
  readonly onKeep: () => void;
  /** What is composed takes its place, whatever that is later. */
  readonly onRelease: () => void;
}

/**
 * The words themselves. Once they are copied they stay as they are until they are recorded: that is what was sent. While they may have been
 * recorded nobody changes them.
 */
function ReplyText({ reply, language, text, isComposed, onChange, onKeep, onRelease }: ReplyTextProps) {
  const t = useTexts(SETTLEMENT);
  const length = countRecorded(text);
  const [characters, most] = [length, REPLY_CHARACTERS_MAX].map((count) => formatWhole(String(count))) as [string, string];
  return (
    <>
      <Textarea
        aria-label={t.reply}
        autosize
        minRows={8}
        styles={{ input: { padding: 12 } }}
        dir={language === 'ar' ? 'rtl' : 'ltr'}
        lang={language}
        description={t.replyLength(characters, most)}
        error={length > REPLY_CHARACTERS_MAX && t.replyTooLong(String(length - REPLY_CHARACTERS_MAX))}
        disabled={reply.isLocked}
        value={text}
        onCopy={onKeep}
        onChange={({ currentTarget: { value } }) => onChange(value)}
      />
      <Group justify="flex-end">
        {!isComposed && (
          <Button variant="subtle" disabled={reply.isLocked} onClick={onRelease}>
            {t.composeAnew}
          </Button>
        )}
        <CopyButton key={language} value={text}>
          {({ copied, copy }) => (
            <Button
              leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />}
              onClick={() => {
                copy();
                onKeep();
              }}
            >
              {copied ? t.replyCopied : t.copyReply}
            </Button>
          )}
        </CopyButton>
        <RecordReply reply={reply} text={text} onOpen={onKeep} onRecorded={onRelease} />
      </Group>
    </>
  );
}
