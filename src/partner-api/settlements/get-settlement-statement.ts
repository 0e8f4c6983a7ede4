import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { type SettlementStatement, settlementNotFound } from '../../operations/settlements/read-settlements.ts';
import { requirePermission } from '../access/require-permission.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { hasTag } from '../http/negotiation.ts';
import { boundStream, TRANSFER_BOUNDS } from '../http/transfers/stream-bounds.ts';
import { watchTransfer } from '../http/transfers/watched-transfer.ts';
import { shareTransfers } from '../limits/transfers.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { Type } from '../schema-type.ts';
import { SettlementParams, StatementQuery } from './settlement-schemas.ts';

interface Shape {
  Params: Static<typeof SettlementParams>;
  Querystring: Static<typeof StatementQuery>;
}

/** A second download may run beside one that broke off and is not closed yet. */
const DOWNLOAD_SHARES = { name: 'statements', perPartner: 2, inAll: 32 };

/**
 * The statement as a stream, at the speed of its reader. Without `excel_safe` the head has its length and its digest, so that the client
 * recognises a truncated one.
 *
 * @see docs/spec/settlements.md#2-settlement, Statement.
 */
export function getSettlementStatement(app: FastifyInstance, { operations, authenticate }: PartnerApiOptions): void {
  const beginDownload = shareTransfers(DOWNLOAD_SHARES);
  app.get<Shape>(
    '/v1/settlements/:settlement_id/statement.csv',
    {
      config: { operation: 'getSettlementStatement', policy: REPORT },
      schema: {
        ...describeOperation('getSettlementStatement'),
        params: SettlementParams,
        querystring: StatementQuery,
        produces: ['text/csv'],
        response: { 200: { content: { 'text/csv': { schema: Type.String({ description: 'RFC 4180, UTF-8, LF.' }) } } } },
      },
    },
    async (request, reply) => {
      const { settlement_id: settlementId } = request.params;
      if (!isLongIdentifier(settlementId)) throw settlementNotFound();
      const { partnerId } = callerOf(request);
      const id = { partnerId, settlementId };
      const statement = await beforeDeadline(request, operations.readSettlements.statement(id));
      const isExcelSafe = request.query.excel_safe === 'true';
      const tag = describe(reply, statement, isExcelSafe);
      if (hasTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      beginDownload(partnerId, reply.raw);
      const checkAllowed = () => requirePermission(request, authenticate);
      const chunks = watchTransfer(statement.write({ isExcelSafe }), { partner: 'takes', checkAllowed });
      const stream = boundStream(Readable.from(chunks, { objectMode: false }), TRANSFER_BOUNDS);
      // The head is sent: no error can be answered any more, and only the metrics show why it ended.
      stream.once('error', (error) => {
        if (error instanceof ServiceError) request.context.limit = error.limit;
      });
      return reply.send(stream);
    },
  );
}

/** @returns The entity tag. */
function describe(reply: FastifyReply, { settlement }: SettlementStatement, isExcelSafe: boolean): string {
  const { statement: kept, period, settlementId } = settlement;
  if (!kept) throw new Error(`The settlement ${settlementId} has no statement.`);
  const tag = `"${kept.csvSha256}${isExcelSafe ? '-excel-safe' : ''}"`;
  const name = `statement-${period.label}-${settlementId}${isExcelSafe ? '-excel-safe' : ''}.csv`;
  reply.type('text/csv; charset=utf-8; header=present');
  reply.header('content-disposition', `attachment; filename="${name}"`).header('etag', tag);
  if (!isExcelSafe) {
    const digest = Buffer.from(kept.csvSha256, 'hex').toString('base64');
    reply.header('content-length', String(kept.csvBytes)).header('repr-digest', `sha-256=:${digest}:`);
  }
  return tag;
}
