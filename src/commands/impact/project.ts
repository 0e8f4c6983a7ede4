import type { NewProject, Project } from '../../domain/impact/project.ts';
import { createProject } from '../../operations/impact/manage-project.ts';
import { listProjects } from '../../store/impact/project.ts';
import { readName } from '../terminal/options.ts';
import { formatTime, printFields, printJson, type Row } from '../terminal/output.ts';
import { listAfter, type PageOptions, printPage } from '../terminal/page.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { type OperatorContext, withOperator } from '../terminal/with-operator.ts';

interface JsonOption {
  readonly json?: boolean;
}

export function projectCommand(): ProgramCommand {
  const project = new ProgramCommand('project').description('projects: they plant the trees of impact batches');
  project
    .command('create')
    .description('create a project; it never changes, because events contain its names')
    .requiredOption('--name-en <name>', 'English name', readName)
    .requiredOption('--name-ar <name>', 'Arabic name', readName)
    .requiredOption('--country <code>', 'country (ISO 3166-1), such as SA')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(createProject.leastRole, create));
  project.command('list').description('all projects').paged(1_000).action(withOperator('viewer', list));
  return project;
}

async function create(
  { database, actor }: OperatorContext,
  { json, nameEn, nameAr, country }: JsonOption & NewProject,
): Promise<void> {
  const project = await createProject(database, actor, { nameEn, nameAr, country });
  if (json) printJson(toJson(project));
  else printFields(toRow(project));
}

async function list({ database }: OperatorContext, options: PageOptions): Promise<void> {
  const cursorOf = ({ projectId }: Project) => projectId;
  const ifNone = 'There is no project yet. Create one with `project create`.';
  printPage(listAfter(await listProjects(database.pool), options, cursorOf), options, { cursorOf, toJson, toRow, ifNone });
}

function toJson({ projectId, nameEn, nameAr, country, createdAt }: Project): object {
  return { project_id: projectId, name_en: nameEn, name_ar: nameAr, country, created_at: createdAt };
}

function toRow({ projectId, nameEn, nameAr, country, createdAt }: Project): Row {
  return { project: projectId, country, created: formatTime(createdAt), name: nameEn, 'arabic name': nameAr };
}
