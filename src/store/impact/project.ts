import type { NewProject, Project } from '../../domain/impact/project.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const COLUMNS = 'project_id as "projectId", name_en as "nameEn", name_ar as "nameAr", country, created_at as "createdAt"';

const INSERT: Statement = {
  name: 'insert_project',
  text: `insert into project (project_id, name_en, name_ar, country, created_at) values ($1, $2, $3, $4, ${NOW}) returning ${COLUMNS}`,
};

export async function insertProject(db: Queryable, project: NewProject & Pick<Project, 'projectId'>): Promise<Project> {
  const { projectId, nameEn, nameAr, country } = project;
  const [row] = await run<Project>(db, INSERT, [projectId, nameEn, nameAr, country]);
  return row as Project;
}

const FIND: Statement = { name: 'find_project', text: `select ${COLUMNS} from project where project_id = $1` };

export async function findProject(db: Queryable, projectId: string): Promise<Project | undefined> {
  const [row] = await run<Project>(db, FIND, [projectId]);
  return row;
}

const LIST: Statement = { name: 'list_projects', text: `select ${COLUMNS} from project order by project_id` };

/** In the order of their making. */
export async function listProjects(db: Queryable): Promise<Project[]> {
  return run<Project>(db, LIST, []);
}
