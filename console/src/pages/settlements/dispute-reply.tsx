import { Button, CopyButton, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../api/operator-types.ts';
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
import { RecordReply } from './record-reply.tsx';
import { asRecorded, composeReply, REPLY_CHARACTERS_MAX, type ReplyFacts } from './reply-text.ts';
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

/** The text of an answer, from what was compared and posted, in either language. Nobody sends it but the person. */
export function DisputeReply({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const { language: own } = useLanguage();
  const [language, setLanguage] = useState<Language>(own);
  const [edited, setEdited] = useState<Partial<Record<Language, string | undefined>>>({});
  const [recorded, setRecorded] = useState<string>();
  useUnsaved(Object.values(edited).some((words) => words !== undefined && words !== recorded));
  const of = { partnerId: settlement.partner_id, settlementId: settlement.settlement_id };
  const query = useAdjustmentsOf(of);
  const { pages, isWhole } = useAllPages(query);
  const adjustments = pages.flatMap((page) => page.adjustments);
  const lists = useDoneReconciliations(of);
  const [listId, setListId] = useState<string>();
  const list = lists.find(({ reconciliation_id }) => reconciliation_id === listId) ?? lists[0];
  const differing = useDifferingLines(list);
  const { acknowledgement } = settlement;
  const composed = composeReply(language, {
    settlementId: of.settlementId,
    periodLabel: settlement.period_label,
    zone: settlement.period_timezone,
    currency: settlement.currency,
    disputedAt: acknowledgement.acknowledged_at,
    note: acknowledgement.note,
    compared: list && comparedIn(list),
    differing,
    posted: adjustments.filter(({ posted_at }) => isAfter(posted_at, acknowledgement.acknowledged_at)),
  });
  const waiting = adjustments.filter(({ status }) => status === 'draft' || status === 'approved').length;
  // It would say that nothing was posted.
  const text = edited[language] ?? (isWhole ? composed : undefined);
  return (
    <Section
      id="reply"
      title={settlement.is_dispute_answered ? t.replyAgain : t.reply}
      actions={
        <SegmentedControl
          size="xs"
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
          <NotComposed error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <ReplyText
            {...{ settlement, language, text, composed }}
            onChange={(words) => setEdited({ ...edited, [language]: words })}
            onRecorded={() => setRecorded(text)}
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
  readonly settlement: Settlement;
  readonly language: Language;
  readonly text: string;
  readonly composed: string;
  /** @param text `undefined` for what is composed, whatever that is later. */
  readonly onChange: (text: string | undefined) => void;
  readonly onRecorded: () => void;
}

/** The words themselves. Once they are copied they stay as they are: what is recorded later is what was sent. */
function ReplyText({ settlement, language, text, composed, onChange, onRecorded }: ReplyTextProps) {
  const t = useTexts(SETTLEMENT);
  const { length } = asRecorded(text);
  const [characters, most] = [length, REPLY_CHARACTERS_MAX].map((count) => formatWhole(String(count))) as [string, string];
  const keep = () => onChange(text);
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
        value={text}
        onCopy={keep}
        onChange={({ currentTarget: { value } }) => onChange(value === composed ? undefined : value)}
      />
      <Group justify="flex-end">
        {text !== composed && (
          <Button variant="subtle" onClick={() => onChange(undefined)}>
            {t.composeAnew}
          </Button>
        )}
        <CopyButton key={language} value={text}>
          {({ copied, copy }) => (
            <Button
              leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />}
              onClick={() => {
                copy();
                keep();
              }}
            >
              {copied ? t.replyCopied : t.copyReply}
            </Button>
          )}
        </CopyButton>
        <RecordReply settlement={settlement} text={text} onOpen={keep} onRecorded={onRecorded} />
      </Group>
    </>
  );
}
