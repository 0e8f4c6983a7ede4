import type { components } from '../../api/operator-types.ts';
import { Records } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty } from '../../parts/state.tsx';
import { Foreign, Id, Points, Time } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { AddEvidence } from './add-evidence.tsx';
import { IMPACT } from './impact-texts.ts';

type Detail = components['schemas']['ImpactBatchDetail'];

/** The name of the file, as a link to its public address. */
export function EvidenceFile({ evidence: { file_name, url } }: { readonly evidence: Detail['evidence'][number] }) {
  return (
    <a className="text-link" href={url} target="_blank" rel="noreferrer noopener">
      <Foreign text={file_name} />
    </a>
  );
}

/** The files that document the planting. */
export function EvidenceSection({ detail: { batch, changes, evidence } }: { readonly detail: Detail }) {
  const t = useTexts(IMPACT);
  const verified = changes.find(({ change_type, status }) => change_type === 'advanced' && status === 'verified');
  return (
    <Section title={t.evidence} actions={<AddEvidence batchId={batch.impact_batch_id} verified={verified} />}>
      <Records
        label={t.evidence}
        rows={evidence}
        keyOf={({ evidence_no }) => String(evidence_no)}
        empty={
          <Empty title={t.noEvidence} icon="leaf">
            {t.noEvidenceHelp}
          </Empty>
        }
        columns={[
          { label: t.file, show: (each) => <EvidenceFile evidence={each} /> },
          { label: t.type, show: ({ type }) => <bdi dir="ltr">{type}</bdi> },
          { label: t.captured, show: ({ captured_at }) => <Time at={captured_at} /> },
          { label: t.bytes, isFigure: true, show: ({ byte_count }) => <Points value={byte_count} /> },
          { label: t.hash, show: ({ sha256 }) => <Id id={sha256} isShort /> },
        ]}
      />
    </Section>
  );
}
