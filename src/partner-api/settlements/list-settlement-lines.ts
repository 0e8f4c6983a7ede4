import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { settlementNotFound } from '../../operations/settlements/read-settlements.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { settlementLineToWire } from '../../wire/settlement-to-wire.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { pageMembers, placeOf } from '../paging.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { isIntegerText } from '../validation/integer-text.ts';
import { LINE_BOUNDS, LINE_PAGE, LinePageBody, ListLinesQuery, SettlementParams } from './settlement-schemas.ts';

interface Shape {
  Params: Static<typeof SettlementParams>;
  Querystring: Static<typeof ListLinesQuery>;
}

const isPlace = (text: string) => isIntegerText(text, LINE_BOUNDS);

/**
 * The lines of the statement, page by page.
 *
 * @see docs/spec/settlements.md#2-settlement, partner paths.
 */
export function listSettlementLines(app: FastifyInstance, { operations }: PartnerApiOptions): void {
  app.get<Shape>(
    '/v1/settlements/:settlement_id/lines',
    {
      config: { operation: 'listSettlementLines', policy: REPORT },
      schema: {
        ...describeOperation('listSettlementLines'),
        params: SettlementParams,
        querystring: ListLinesQuery,
        response: { 200: LinePageBody },
      },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { settlement_id: settlementId } = request.params;
      if (!isLongIdentifier(settlementId)) throw settlementNotFound();
      const { after_line: older, after, limit = LINE_PAGE.default } = request.query;
      const { partnerId } = callerOf(request);
      const list = { name: ['listSettlementLines', partnerId, settlementId], first: '0', isPlace };
      const place = placeOf(list, after, { name: 'after_line', place: older });
      const page = { partnerId, settlementId, afterLine: Number(place), limit: Number(limit) };
      const { lines, nextAfterLine, hasMore } = await beforeDeadline(request, operations.readSettlements.lines(page));
      const body = {
        lines: lines.map(settlementLineToWire),
        ...pageMembers(list, String(nextAfterLine), hasMore),
        next_after_line: nextAfterLine,
        request: { correlation_id: request.context.correlationId },
      };
      return sendWritten(reply, exactJson(body));
    },
  );
}
