import { invalidRequest, problem, type ServiceError } from '../../domain/service-error.ts';
import { changeImpactBatch } from '../../operations/impact/change-impact-batch.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readTime } from '../../partner-api/validation/read-time.ts';
import type { Database } from '../../store/database.ts';
import { operatorRoute } from '../route.ts';
import { closed, idParams, line, reasonOfChange } from '../schema-parts.ts';
import { BatchBody, batchToWire } from './impact-schemas.ts';

export const addEvidence = operatorRoute({
  operation: 'addEvidence',
  method: 'POST',
  path: '/operator/v1/impact-batches/:impact_batch_id/evidence',
  tag: 'Impact',
  summary: 'Record a file as evidence of an impact batch, permanently',
  description:
    'The body is the file. The service computes its SHA-256, compares it with the one that the browser computed, and keeps the SHA-256 alone. A batch takes 50 files for its project. Partners with contributions in the batch get an event.',
  leastRole: changeImpactBatch.leastRole,
  isFinal: true,
  takesFile: true,
  deadlineMs: 20_000,
  params: idParams('impact_batch_id', 'The id of the batch.'),
  query: Type.Object(
    {
      type: Type.String({ minLength: 1, maxLength: 40, description: 'What it is, such as `photo` or `satellite_image`.' }),
      url: Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'The address at which partners and their customers find the evidence: https, at a public host.',
      }),
      file_name: line('The name of the file, without its folder.', 255),
      sha256: Type.String({
        minLength: 64,
        maxLength: 64,
        description: 'SHA-256 as the browser computed it, in hexadecimal digits.',
      }),
      captured_at: Type.String({ minLength: 20, maxLength: 40, description: 'When it was captured, in ISO 8601 with its zone.' }),
      reason: reasonOfChange,
    },
    closed,
  ),
  answer: BatchBody,
  handle: ({ tools, actor, work, params: { impact_batch_id: id }, query, file }) => {
    const { type, url, file_name: fileName, reason = null } = query;
    if (file.sha256 !== query.sha256) throw differs();
    const capturedAt = readTime('captured_at', query.captured_at) as Date;
    const change = { changeType: 'evidence_added', reason, evidence: { ...file, type, url, fileName, capturedAt } } as const;
    return work.answer(tools.database, (database: Database) => changeImpactBatch(database, actor, id, change), batchToWire);
  },
});

function differs(): ServiceError {
  const message =
    'The file that arrived is not the one that the browser hashed: it changed on the way. Nothing was recorded. Choose it again.';
  return invalidRequest([problem('sha256', 'wrong_form', message)]);
}
