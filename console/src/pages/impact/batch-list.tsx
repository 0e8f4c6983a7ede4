import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { Page } from '../../layout/page.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Foreign, Points, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { IMPACT, PLANTING } from './impact-texts.ts';
import { PlantingBadge } from './planting-badge.tsx';
import { Projects, useProjects } from './projects.tsx';

export function BatchList() {
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  const planting = useTexts(PLANTING);
  const { language } = useLanguage();
  const projects = useProjects();
  const names = Object.fromEntries(projects.data?.projects.map((each) => [each.project_id, each[`name_${language}`]]) ?? []);
  const nameOf = (projectId: string | null) => (projectId === null ? null : (names[projectId] ?? projectId));
  const mayCreate = useMay('operator');
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['status', 'project']);
  const { sort, sorting } = useSort(['created_at', 'quantity'], '-created_at');
  const wanted = present({
    sort,
    status: filters.status as keyof typeof PLANTING | undefined,
    project_id: filters.project,
  });
  const query = usePages(['impact-batches', wanted], (place) =>
    answerOf(client.GET('/operator/v1/impact-batches', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Page title={t.title} description={t.help} actions={mayCreate && <CreateLink />}>
      <Filters names={filterNames}>
        <ChoiceFilter
          label={common.status}
          options={planting}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
        <ChoiceFilter label={t.project} options={names} value={filters.project} onChange={(project) => setFilters({ project })} />
      </Filters>
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={csvAddress('impact-batches', wanted)}
        rowsOf={({ impact_batches }) => impact_batches}
        keyOf={({ impact_batch_id }) => impact_batch_id}
        linkOf={({ impact_batch_id }) => `/impact/${impact_batch_id}`}
        empty={
          isFiltered ? (
            <Empty title={common.nothingFits} icon="leaf" />
          ) : (
            <Empty title={t.nothing} icon="leaf">
              {t.nothingHelp}
            </Empty>
          )
        }
        columns={[
          {
            label: t.name,
            isName: true,
            show: ({ name }) => <Foreign text={name} isWhole />,
          },
          {
            label: common.status,
            show: ({ status, expected_delivery_period: period }) => (
              <TwoLines first={<PlantingBadge status={status} />} second={period && t.expectedIn(period)} />
            ),
          },
          { label: t.project, show: ({ project_id }) => <Foreign text={nameOf(project_id)} isWhole /> },
          { label: t.trees, isFigure: true, sort: 'quantity', show: ({ quantity }) => <Points value={quantity} /> },
          { label: common.created, sort: 'created_at', show: ({ created_at }) => <Time at={created_at} style="day" /> },
          { label: t.since, show: ({ status_at }) => <Time at={status_at} style="day" /> },
        ]}
      />
      <Projects />
    </Page>
  );
}

function CreateLink() {
  const t = useTexts(IMPACT);
  return (
    <Button component={Link} to="/impact/new" leftSection={<Icon name="plus" size={16} />}>
      {t.create}
    </Button>
  );
}
