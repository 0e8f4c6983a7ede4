import { PROJECT_NAME_MAX } from '../../domain/impact/project.ts';
import * as operations from '../../operations/impact/manage-project.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { listProjects as listAll } from '../../store/impact/project.ts';
import { pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, line } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import { pageOfWhole } from '../whole-list.ts';
import { ProjectBody, projectToWire } from './impact-schemas.ts';

const order = sorting(['created_at', 'name_en', 'name_ar'], 'created_at');

export const listProjects = operatorRoute({
  operation: 'listProjects',
  method: 'GET',
  path: '/operator/v1/projects',
  tag: 'Impact',
  summary: 'List projects',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      country: Type.Optional(
        Type.String({ minLength: 2, maxLength: 2, description: 'Only those of this country, by ISO 3166-1.' }),
      ),
    },
    closed,
  ),
  answer: pageOf('ProjectPage', 'projects', ProjectBody, 'The projects of the page.'),
  async handle({ tools: { database }, query }) {
    const all = (await listAll(database.pool)).map(projectToWire);
    const wanted = all.filter(({ country }) => (query.country ?? country) === country);
    const sorted = sortedPage('listProjects', order, query, [query.country]);
    const { page, end } = pageOfWhole(wanted, sorted, (project, by) => [
      by === 'created_at' ? project.created_at.toISOString() : project[by].toLowerCase(),
      project.project_id,
    ]);
    return { projects: page, ...end };
  },
});

export const createProject = operatorRoute({
  operation: 'createProject',
  method: 'POST',
  path: '/operator/v1/projects',
  tag: 'Impact',
  summary: 'Create a project, permanently',
  description: 'It never changes, because events contain its names.',
  leastRole: operations.createProject.leastRole,
  isFinal: true,
  body: Type.Object(
    {
      name_en: line('The English name.', PROJECT_NAME_MAX),
      name_ar: line('The Arabic name.', PROJECT_NAME_MAX),
      country: Type.String({ minLength: 2, maxLength: 2, description: 'The country, by ISO 3166-1, such as `SA`.' }),
    },
    closed,
  ),
  answer: ProjectBody,
  handle: ({ tools, actor, work, body: { name_en: nameEn, name_ar: nameAr, country } }) =>
    work.answer(
      tools.database,
      (database) => operations.createProject(database, actor, { nameEn, nameAr, country }),
      projectToWire,
    ),
});
