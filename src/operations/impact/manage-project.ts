import type { Actor } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import { checkNewProject, type NewProject, type Project } from '../../domain/impact/project.ts';
import { recordNotFound, refuseInvalid } from '../../domain/service-error.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { findProject, insertProject } from '../../store/impact/project.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { withRole } from '../with-role.ts';

/**
 * Creates a project. It never changes, because events named it.
 *
 * @throws ServiceError `forbidden`; `invalid_request` with every problem of its fields.
 */
export const createProject = withRole(
  'operator',
  async (database: Database, actor: Actor, wanted: NewProject): Promise<Project> => {
    const details = checkNewProject(wanted);
    refuseInvalid(details);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const project = await insertProject(db, { ...wanted, projectId: newId('project') });
      const subject = { partnerId: null, subjectId: project.projectId };
      await audit(db, actor, { action: 'project.create', ...subject, before: null, after: projectRecord(project) });
      return project;
    });
  },
);

/** @throws ServiceError `invalid_request` when there is none. */
export async function getProject(db: Queryable, projectId: string): Promise<Project> {
  const project = await findProject(db, projectId);
  if (!project) throw recordNotFound('project_id', `There is no project ${projectId}. \`project list\` shows all.`);
  return project;
}

/** The record in the audit. */
export function projectRecord({ nameEn, nameAr, country, createdAt }: Project): object {
  return { name_en: nameEn, name_ar: nameAr, country, created_at: createdAt };
}
