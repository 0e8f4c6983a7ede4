import { PROJECT_NAME_MAX } from '../../domain/impact/project.ts';
import { createProject } from '../../operations/impact/manage-project.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { listProjects as listAll } from '../../store/impact/project.ts';
import { operatorRoute } from '../route.ts';
import { closed, line, listOf, shape } from '../schema-parts.ts';
import { ProjectBody, projectToWire } from './impact-schemas.ts';

export const listProjects = operatorRoute({
  operation: 'listProjects',
  method: 'GET',
  path: '/operator/v1/projects',
  tag: 'Impact',
  summary: 'List all projects',
  leastRole: 'viewer',
  answer: shape('Projects', { projects: listOf(ProjectBody, 'All projects, the oldest first.') }),
  handle: async ({ tools: { database } }) => ({ projects: (await listAll(database.pool)).map(projectToWire) }),
});

export const create = operatorRoute({
  operation: 'createProject',
  method: 'POST',
  path: '/operator/v1/projects',
  tag: 'Impact',
  summary: 'Create a project, finally',
  description: 'It never changes, because events contain its names.',
  leastRole: createProject.leastRole,
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
    work.answer(tools.database, (database) => createProject(database, actor, { nameEn, nameAr, country }), projectToWire),
});
