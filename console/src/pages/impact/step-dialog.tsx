import { Input, List, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { useChange } from '../../api/use-change.ts';
import { inDigits, withoutHidden } from '../../format/as-meant.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { Id, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { type BatchStep, evidenceOfProject, findFaster, hasOtherSettlements, isOfAllShown } from './batch-step.ts';
import { EvidenceFile } from './evidence-section.tsx';
import { FasterChange } from './faster-change.tsx';
import { CHANGE, IMPACT, PLANTING } from './impact-texts.ts';
import { useProjects } from './projects.tsx';
import { readBatch } from './use-batch.ts';
import { PaidTogether, WorthCards } from './worth.tsx';

type Detail = components['schemas']['ImpactBatchDetail'];

interface Stated {
  readonly project: string;
  readonly value: string;
  readonly reason: string;
}

const NOTHING: Stated = { project: '', value: '', reason: '' };
const ADVANCES = { allocate: 'allocated', fund: 'funded', start: 'in_progress', deliver: 'delivered' } as const;

interface StepDialogProps {
  readonly detail: Detail;
  readonly step: BatchStep;
  readonly onClose: () => void;
}

/** Records one change of a batch, with its consequence before it. Mounted anew for each, it stays where a colleague is faster. */
export function StepDialog({ detail, step, onClose }: StepDialogProps) {
  const { batch, changes } = detail;
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  const [seen] = useState({ changes: changes.length, settlements: detail.settlement_count });
  const [stated, setStated] = useState(NOTHING);
  const { allocated, funded, in_progress, delivered, verified } = useTexts(PLANTING);
  const { delayed, reallocated, corrected } = useTexts(CHANGE);
  const stateAfter: Readonly<Record<BatchStep, string>> = {
    allocate: allocated,
    fund: funded,
    start: in_progress,
    deliver: delivered,
    verify: verified,
    delay: delayed,
    reallocate: reallocated,
    correct: corrected,
  };
  const change = useChange({
    send: (sent: Stated, key) => sendStep(batch.impact_batch_id, step, { sent, key, seen }),
    done: t.done(batch.name, stateAfter[step]),
    onDone: onClose,
    isContested: true,
    // The service would record a second delay, project or number of trees too, and send partners an event of each.
    isMadeNow: async () => isOvertaken(step, await readBatch(batch.impact_batch_id), seen),
  });
  const field = ASKED[step];
  const overtaken = isOvertaken(step, detail, seen);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t[step]}
      consequence={overtaken ? common.changedMeanwhile : t[`${step}Consequence`]}
      label={t[step]}
      change={change}
      isDone={overtaken}
      fields={field ? [field, 'reason'] : ['reason']}
      onConfirm={() => change.mutate(stated)}
    >
      {overtaken ? (
        <Meanwhile detail={detail} step={step} seen={seen} />
      ) : (
        <StepFields
          detail={detail}
          step={step}
          stated={stated}
          error={change.error}
          isLocked={change.isLocked}
          onChange={setStated}
        />
      )}
    </ConfirmDialog>
  );
}

/** What there was of the batch when the step was chosen. */
interface Seen {
  readonly changes: number;
  readonly settlements: number;
}

function isOvertaken(step: BatchStep, detail: Detail, seen: Seen): boolean {
  return findFaster(step, detail, seen.changes) !== undefined || hasOtherSettlements(step, detail, seen.settlements);
}

/** What somebody else did first. */
function Meanwhile({ detail, step, seen }: { readonly detail: Detail; readonly step: BatchStep; readonly seen: Seen }) {
  const t = useTexts(IMPACT);
  const faster = findFaster(step, detail, seen.changes);
  return faster ? <FasterChange change={faster} /> : <Text>{t.addedMeanwhile(detail.settlement_count)}</Text>;
}

type AskedField = 'project_id' | 'expected_delivery_period' | 'quantity';

/** What a step asks for beside the reason, as the interface names it. */
const ASKED: Readonly<Partial<Record<BatchStep, AskedField>>> = {
  allocate: 'project_id',
  reallocate: 'project_id',
  delay: 'expected_delivery_period',
  correct: 'quantity',
};

interface StepFieldsProps {
  readonly detail: Detail;
  readonly step: BatchStep;
  readonly stated: Stated;
  readonly error: Error | null;
  readonly isLocked: boolean;
  readonly onChange: (stated: Stated) => void;
}

/** What the step is about, and what is stated of it. */
function StepFields({ detail, step, stated, error, isLocked, onChange }: StepFieldsProps) {
  const { batch, worth } = detail;
  const t = useTexts(IMPACT);
  const field = ASKED[step];
  const isDelay = field === 'expected_delivery_period';
  return (
    <Stack gap="md">
      {step === 'fund' && <Funded quantity={batch.quantity} worth={worth} />}
      {step === 'verify' && <ToVerify quantity={batch.quantity} evidence={evidenceOfProject(detail)} />}
      {field === 'project_id' && (
        <ProjectChoice
          value={stated.project}
          except={batch.project_id}
          disabled={isLocked}
          error={problemOf(error, field)}
          onChange={(project) => onChange({ ...stated, project })}
        />
      )}
      {(isDelay || field === 'quantity') && (
        <TextInput
          label={isDelay ? t.expectedPeriod : t.trees}
          description={isDelay ? t.expectedHelp : t.treesHelp}
          required
          dir="ltr"
          maxLength={isDelay ? 7 : 19}
          disabled={isLocked}
          value={stated.value}
          error={problemOf(error, field)}
          onChange={(event) => onChange({ ...stated, value: inDigits(event.currentTarget.value) })}
        />
      )}
      <TextInput
        label={t.reason}
        description={t.reasonHelp}
        dir="auto"
        maxLength={500}
        disabled={isLocked}
        value={stated.reason}
        error={problemOf(error, 'reason')}
        onChange={(event) => onChange({ ...stated, reason: withoutHidden(event.currentTarget.value) })}
      />
    </Stack>
  );
}

/** What is said to be paid for. */
function Funded({ quantity, worth }: { readonly quantity: string } & Pick<Detail, 'worth'>) {
  const t = useTexts(IMPACT);
  return (
    <Stack gap="xs">
      <Facts columns={3} facts={[{ label: t.trees, value: <Points value={quantity} /> }]} />
      <Text size="sm">{t.worth}</Text>
      <WorthCards worth={worth} />
      <PaidTogether worth={worth} />
    </Stack>
  );
}

/** What is said to be planted, and the files that document it. */
function ToVerify({ quantity, evidence }: { readonly quantity: string } & Pick<Detail, 'evidence'>) {
  const t = useTexts(IMPACT);
  return (
    <>
      <Facts columns={3} facts={[{ label: t.trees, value: <Points value={quantity} /> }]} />
      <Input.Wrapper label={t.evidence} labelElement="div" description={t.notOpened}>
        <List size="sm" mt={4}>
          {evidence.map((each) => (
            <List.Item key={each.evidence_no}>
              <EvidenceFile evidence={each} />
              <div>
                <bdi dir="ltr" className="foreign">
                  {each.url}
                </bdi>
              </div>
              {t.hash} <Id id={each.sha256} />
            </List.Item>
          ))}
        </List>
      </Input.Wrapper>
    </>
  );
}

interface ProjectChoiceProps {
  readonly value: string;
  /** It has the batch already. */
  readonly except: string | null;
  readonly disabled: boolean;
  readonly error: ReactNode;
  readonly onChange: (projectId: string) => void;
}

function ProjectChoice({ value, except, disabled, error, onChange }: ProjectChoiceProps) {
  const t = useTexts(IMPACT);
  const { language } = useLanguage();
  const projects = useProjects();
  const choices = (projects.data?.projects ?? []).filter(({ project_id }) => project_id !== except);
  return (
    <>
      <Select
        label={t.project}
        required
        searchable
        disabled={disabled}
        data={choices.map(({ project_id, name_en, name_ar }) => ({
          value: project_id,
          label: language === 'ar' ? name_ar : name_en,
        }))}
        value={value === '' ? null : value}
        error={error}
        nothingFoundMessage={t.noProjects}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
      {projects.data && choices.length === 0 && <AddressLink to="/impact">{t.createProjectFirst}</AddressLink>}
    </>
  );
}

interface Sent {
  readonly sent: Stated;
  readonly key: string;
  readonly seen: Seen;
}

/** Sends the step. The steps that only state the next status share one path. */
function sendStep(impact_batch_id: string, step: BatchStep, { sent, key, seen }: Sent) {
  const params = { path: { impact_batch_id }, header: { 'Idempotency-Key': key } };
  const reason = present({ reason: sent.reason.trim() });
  const expected = {
    ...(isOfAllShown(step) && { expected_change_no: String(seen.changes) }),
    ...(step === 'allocate' && { expected_settlement_count: String(seen.settlements) }),
  };
  const value = sent.value.trim();
  switch (step) {
    case 'verify':
      return answerOf(
        client.POST('/operator/v1/impact-batches/{impact_batch_id}/verify', { params, body: { ...reason, ...expected } }),
      );
    case 'delay': {
      const body = { ...reason, expected_delivery_period: value };
      return answerOf(client.POST('/operator/v1/impact-batches/{impact_batch_id}/delay', { params, body }));
    }
    case 'correct': {
      const body = { ...reason, quantity: value };
      return answerOf(client.POST('/operator/v1/impact-batches/{impact_batch_id}/correct', { params, body }));
    }
    case 'reallocate': {
      const body = { ...reason, project_id: sent.project };
      return answerOf(client.POST('/operator/v1/impact-batches/{impact_batch_id}/reallocate', { params, body }));
    }
    default: {
      const body = { ...reason, ...expected, to: ADVANCES[step], ...present({ project_id: sent.project }) };
      return answerOf(client.POST('/operator/v1/impact-batches/{impact_batch_id}/advance', { params, body }));
    }
  }
}
