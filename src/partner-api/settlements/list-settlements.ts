import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { INT64_MAX } from '../../domain/numbers/int64.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { settlementToWire } from '../../wire/settlement-to-wire.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { pageMembers, placeOf } from '../paging.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { isIntegerText } from '../validation/integer-text.ts';
import { ListSettlementsQuery, SETTLEMENT_PAGE, SettlementPageBody } from './settlement-schemas.ts';

/** After every possible sequence. */
const LATEST = INT64_MAX;
const isPlace = (text: string) => isIntegerText(text, { minimum: 1 });

/** @see docs/spec/settlements.md#2-settlement, partner paths. */
export function listSettlements(app: FastifyInstance, { operations, environment }: PartnerApiOptions): void {
  app.get<{ Querystring: Static<typeof ListSettlementsQuery> }>(
    '/v1/settlements',
    {
      config: { operation: 'listSettlements', policy: REPORT },
      schema: {
        ...describeOperation('listSettlements'),
        querystring: ListSettlementsQuery,
        response: { 200: SettlementPageBody },
      },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { before_sequence: older, after, limit = SETTLEMENT_PAGE.default } = request.query;
      const { partnerId } = callerOf(request);
      const list = { name: ['listSettlements', partnerId], first: String(LATEST), isPlace };
      const place = placeOf(list, after, { name: 'before_sequence', place: older });
      const cursor = { partnerId, beforeSequence: BigInt(place), limit: Number(limit) };
      const { settlements, nextBeforeSequence } = await beforeDeadline(request, operations.readSettlements.page(cursor));
      const last = settlements.at(-1)?.settlement.sequence ?? place;
      const body = {
        settlements: settlements.map((each) => settlementToWire(each, environment)),
        ...pageMembers(list, String(last), nextBeforeSequence !== null),
        next_before_sequence: nextBeforeSequence,
        request: { correlation_id: request.context.correlationId },
      };
      return sendWritten(reply, exactJson(body));
    },
  );
}
