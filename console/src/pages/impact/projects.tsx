import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { present } from '../../api/present.ts';
import { useChange } from '../../api/use-change.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { formatCountry } from '../../format/country.ts';
import { isolate } from '../../format/isolate.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { CodeFilter, Filters } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty } from '../../parts/state.tsx';
import { Foreign, Id, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';

export function useProjects() {
  const query = { limit: 200 };
  return useQuery({
    queryKey: ['projects'],
    queryFn: () => answerOf(client.GET('/operator/v1/projects', { params: { query } })),
  });
}

/** The planting projects that batches are given to. */
export function Projects() {
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  const { language } = useLanguage();
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['country']);
  const { sort, sorting } = useSort(['created_at', 'name_en', 'name_ar'], 'created_at', 'projects');
  const wanted = present({ sort, country: filters.country });
  const query = usePages(['projects', wanted], (place) =>
    answerOf(client.GET('/operator/v1/projects', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Section id="projects" title={t.projects} actions={<NewProject />}>
      <Stack gap="sm">
        <Filters names={filterNames}>
          <CodeFilter label={t.country} example="SA" value={filters.country} onChange={(country) => setFilters({ country })} />
        </Filters>
        <RecordPages
          label={t.projects}
          query={query}
          sorting={sorting}
          csv={csvAddress('projects', wanted)}
          rowsOf={({ projects }) => projects}
          keyOf={({ project_id }) => project_id}
          empty={
            isFiltered ? (
              <Empty title={common.nothingFits} icon="leaf" />
            ) : (
              <Empty title={t.noProjects} icon="leaf">
                {t.noProjectsHelp}
              </Empty>
            )
          }
          columns={[
            { label: t.nameEn, sort: 'name_en', sortKind: 'name', show: ({ name_en }) => <Foreign text={name_en} isWhole /> },
            { label: t.nameAr, sort: 'name_ar', sortKind: 'name', show: ({ name_ar }) => <Foreign text={name_ar} isWhole /> },
            { label: t.country, show: ({ country }) => `${formatCountry(country, language)} (${isolate(country)})` },
            { label: common.created, sort: 'created_at', show: ({ created_at }) => <Time at={created_at} style="day" /> },
            { label: t.projectId, show: ({ project_id }) => <Id id={project_id} isShort /> },
          ]}
        />
      </Stack>
    </Section>
  );
}

const BLANK = { name_en: '', name_ar: '', country: 'SA' };

function NewProject() {
  const t = useTexts(IMPACT);
  const { language } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const [project, setProject] = useState(BLANK);
  const create = useChange({
    send: (body: typeof project, key) =>
      answerOf(client.POST('/operator/v1/projects', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: t.projectCreated(language === 'ar' ? project.name_ar : project.name_en),
    onDone: () => {
      setOpen(false);
      setProject(BLANK);
    },
  });
  // The project is in the list then, and the same request brings it.
  const isInDoubt = create.inDoubt.length > 0;
  if (!useMay('operator')) return null;
  const field = (name: keyof typeof project, label: string, dir: 'ltr' | 'rtl') => (
    <TextInput
      label={label}
      required
      dir={dir}
      maxLength={name === 'country' ? 2 : 200}
      disabled={create.isLocked}
      value={project[name]}
      error={problemOf(create.error, name)}
      onChange={(event) => setProject({ ...project, [name]: event.currentTarget.value })}
      {...(name === 'country' && { description: t.countryHelp })}
    />
  );
  return (
    <>
      <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        {t.newProject}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.newProject}
        consequence={t.projectConsequence}
        label={t.newProject}
        change={create}
        fields={Object.keys(BLANK)}
        inDoubt={isInDoubt && t.projectInDoubt}
        isTyped={project !== BLANK}
        onConfirm={() =>
          create.mutate({
            name_en: project.name_en.trim(),
            name_ar: project.name_ar.trim(),
            country: project.country.trim().toUpperCase(),
          })
        }
      >
        <Stack gap="md">
          {field('name_en', t.nameEn, 'ltr')}
          {field('name_ar', t.nameAr, 'rtl')}
          {field('country', t.country, 'ltr')}
        </Stack>
      </ConfirmDialog>
    </>
  );
}
