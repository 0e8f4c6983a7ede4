import type { FastifyInstance } from 'fastify';
import type { PartnerAndRules } from '../../operations/access/get-partner-and-rules.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { PartnerBody } from './partner-schemas.ts';

/** @see docs/spec/decisions.md#9-self-service-and-pages. */
export function getPartner(app: FastifyInstance, { operations, environment }: PartnerApiOptions): void {
  app.get(
    '/v1/partner',
    {
      config: { operation: 'getPartner', policy: REPORT },
      schema: { ...describeOperation('getPartner'), querystring: NoQuery, response: { 200: PartnerBody } },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { correlationId, arrivedAtMs } = request.context;
      const found = await beforeDeadline(request, operations.getPartnerAndRules(callerOf(request).partnerId, arrivedAtMs));
      const partner = { ...toWire(found), environment };
      return sendWritten(reply, exactJson({ partner, request: { correlation_id: correlationId } }));
    },
  );
}

function toWire({ partner, rules }: PartnerAndRules) {
  return {
    partner_id: partner.partnerId,
    name: partner.name,
    status: partner.suspendedAt === null ? 'active' : 'suspended',
    bounds: {
      contribution_rule_version: rules.contributionRuleVersion,
      point_conversion_version: rules.pointConversionVersion,
      tree_cost_version: rules.treeCostVersion,
      points_min: rules.pointsMin,
      points_max: rules.pointsMax,
      reviews_everything: rules.reviewsEverything,
      review_threshold: rules.reviewThreshold,
      daily_points_cap: rules.dailyPointsCap,
      daily_count_cap: rules.dailyCountCap,
    },
    rates: {
      writes_per_second: partner.writesPerSecond,
      lookups_per_second: partner.lookupsPerSecond,
      reports_per_second: partner.reportsPerSecond,
    },
    currency: partner.currency,
    time_zone: partner.timeZone,
  };
}
