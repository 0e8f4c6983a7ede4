import type { FastifyInstance } from 'fastify';
import { describeErrorCode, type ErrorCode } from '../domain/error-codes.ts';
import { VERIFICATION_TYPE } from '../domain/event.ts';
import type { RecoverableOperation } from '../domain/recovery.ts';
import type { ServiceError } from '../domain/service-error.ts';
import { eventNotFound } from '../operations/list-events.ts';
import { impactBatchNotFound } from '../operations/read-environmental-status.ts';
import { settlementNotFound } from '../operations/read-settlements.ts';
import { reconciliationNotFound } from '../operations/reconcile-settlement.ts';
import { Association, Link, Rejection } from './association-schemas.ts';
import { Contribution } from './contribution-schemas.ts';
import { factorsNotFound } from './emission-factors-not-found.ts';
import { Calculation, EmissionFactors, Estimate } from './emissions-schemas.ts';
import { ErrorBody } from './envelope-schemas.ts';
import { ENVIRONMENTAL_RESPONSE_EXAMPLES } from './environmental-examples.ts';
import { errorEnvelope } from './errors.ts';
import { EVENT_RESPONSE_EXAMPLES } from './event-examples.ts';
import { CHALLENGE, EVENT_KINDS, Event, schemaNameOf } from './event-kinds.ts';
import { Settlement } from './event-schemas.ts';
import { ERROR_EXAMPLES, REQUEST_EXAMPLES, RESPONSE_EXAMPLES } from './openapi-examples.ts';
import { WEBHOOK_PARAMETERS, WEBHOOKS } from './openapi-webhooks.ts';
import { CSV_REQUEST_EXAMPLES, SETTLEMENT_REQUEST_EXAMPLES, SETTLEMENT_RESPONSE_EXAMPLES } from './settlement-examples.ts';

export type OperationId = keyof typeof OPERATIONS;

interface OperationText {
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly errors: readonly ErrorCode[];
  readonly recoverable?: RecoverableOperation;
  /** What is answered for an unknown record where no code of the interface says so. */
  readonly notFound?: ServiceError;
}

const ACCESS = ['unauthorized', 'forbidden'] as const satisfies ErrorCode[];
const SERVICE = ['rate_limited', 'internal_service_unavailable'] as const satisfies ErrorCode[];

/** What the reference says of each operation, and the errors that it can answer. */
const OPERATIONS = {
  confirmContribution: {
    tag: 'Contributions',
    summary: 'Confirm a contribution',
    description:
      "Records a contribution after the partner has deducted the customer's points. Confirmed is terminal and non-refundable. After a time-out look up by `partner_event_id`; when nothing is found, send the identical request again.",
    errors: [
      'invalid_request',
      'invalid_point_amount',
      ...ACCESS,
      'partner_suspended',
      'idempotency_conflict',
      'partner_event_conflict',
      'partner_order_conflict',
      'contribution_pending',
      'contribution_final_failure',
      ...SERVICE,
    ],
    recoverable: 'confirm',
  },
  getContributionByPartnerEventId: {
    tag: 'Contributions',
    summary: 'Find a contribution by its event',
    description: 'The way to recover after a time-out or an unknown result. `contribution_not_found` is not a final failure.',
    errors: ['invalid_request', ...ACCESS, 'contribution_not_found', ...SERVICE],
    recoverable: 'lookup',
  },
  getContributionById: {
    tag: 'Contributions',
    summary: 'Get a contribution',
    description: 'By the `transaction_id` that the confirmation gave, with the association as it stands now.',
    errors: ['invalid_request', ...ACCESS, 'contribution_not_found', ...SERVICE],
    recoverable: 'lookup',
  },
  createDeliveryEmissionsEstimate: {
    tag: 'Emissions',
    summary: 'Estimate the emissions of a delivery',
    description:
      'A well-to-wheel estimate from distance and vehicle type, for information. It is not needed to confirm a contribution.',
    errors: [
      'invalid_request',
      'invalid_distance',
      'unsupported_vehicle',
      ...ACCESS,
      'partner_suspended',
      'idempotency_conflict',
      ...SERVICE,
    ],
  },
  getDeliveryEmissionsEstimate: {
    tag: 'Emissions',
    summary: 'Get an estimate',
    description: 'Readable for 24 hours, and for good once it is linked.',
    errors: ['invalid_request', ...ACCESS, 'estimate_not_found', 'estimate_expired', ...SERVICE],
  },
  associateEmissionsEstimate: {
    tag: 'Emissions',
    summary: 'Link an estimate with a contribution',
    description:
      'Links one estimate with one confirmed contribution of the same order, for good. A refusal never changes the contribution.',
    errors: [
      'invalid_request',
      ...ACCESS,
      'partner_suspended',
      'contribution_not_found',
      'estimate_not_found',
      'idempotency_conflict',
      'association_conflict',
      'contribution_pending',
      'estimate_expired',
      'calculation_mismatch',
      'contribution_final_failure',
      ...SERVICE,
    ],
    recoverable: 'associate',
  },
  getEstimateCalculation: {
    tag: 'Emissions',
    summary: 'Get the calculation behind an estimate',
    description: 'Distance, factor, product, division, threshold and rounding: enough to get the same digits by hand.',
    errors: ['invalid_request', ...ACCESS, 'estimate_not_found', 'estimate_expired', ...SERVICE],
  },
  listEmissionFactors: {
    tag: 'Emissions',
    summary: 'List the emission factors',
    description: 'Every version of the factors, oldest first. No conformity with a standard is claimed.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
  },
  getEmissionFactors: {
    tag: 'Emissions',
    summary: 'Get a version of the emission factors',
    description: 'By the `emission_factor_version` that an estimate carries.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: factorsNotFound(),
  },
  listEvents: {
    tag: 'Events',
    summary: 'List events',
    description:
      'All events of the partner by their `sequence`, for a receiver that was down. Keep `next_after_sequence` and begin there the next time. An event is here within a second of its change.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
  },
  getEvent: {
    tag: 'Events',
    summary: 'Get an event',
    description: 'By its `event_id`, as webhooks send it, byte for byte.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: eventNotFound(),
  },
  listSettlements: {
    tag: 'Settlements',
    summary: 'List settlements',
    description:
      'What was contributed in each period, the latest first. One settlement is open at any time; its totals are those of the moment, `as_of`.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
  },
  getSettlement: {
    tag: 'Settlements',
    summary: 'Get a settlement',
    description: 'Once it is closed it never changes. While it is open its totals are those of the moment, `as_of`.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: settlementNotFound(),
  },
  listSettlementLines: {
    tag: 'Settlements',
    summary: 'List the lines of a settlement',
    description: 'One for each contribution and adjustment on it, as in the statement, page by page.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: settlementNotFound(),
  },
  getSettlementStatement: {
    tag: 'Settlements',
    summary: 'Download the statement of a settlement',
    description:
      'All lines as CSV, in the same bytes every time: their SHA-256 is `csv_sha256` of the settlement. There is none while the settlement is open.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: settlementNotFound(),
  },
  acknowledgeSettlement: {
    tag: 'Settlements',
    summary: 'Accept or dispute a settlement',
    description: 'Says that a closed settlement is right, or that it is not. It reopens nothing.',
    errors: ['invalid_request', ...ACCESS, 'idempotency_conflict', ...SERVICE],
    notFound: settlementNotFound(),
  },
  reconcileSettlement: {
    tag: 'Settlements',
    summary: 'Compare a list of your own with a settlement',
    description:
      'Takes up to a million lines or 100 MiB, as a stream that may take 15 minutes and pause for 30 seconds. Malformed lines are told, and the rest is compared. One at a time for each partner: `rate_limited` until then.',
    errors: ['invalid_request', ...ACCESS, 'idempotency_conflict', ...SERVICE],
    notFound: settlementNotFound(),
  },
  getReconciliation: {
    tag: 'Settlements',
    summary: 'Get a reconciliation',
    description: 'How far it is, and the counts by verdict.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: reconciliationNotFound(),
  },
  listReconciliationLines: {
    tag: 'Settlements',
    summary: 'List the lines of a reconciliation',
    description:
      'All lines, or those of one verdict, page by page. A line that is missing in the service says what to do: look up, then retry the original confirmation; never restore points.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: reconciliationNotFound(),
  },
  getEnvironmentalStatus: {
    tag: 'Environment',
    summary: 'Get the environmental status of a contribution',
    description:
      'How far the planting has come that the contribution is pooled for. It is the status of a whole batch, and changes nothing of the contribution. There is none unless the contribution is confirmed.',
    errors: ['invalid_request', ...ACCESS, 'contribution_not_found', ...SERVICE],
    recoverable: 'lookup',
  },
  listImpactBatchTransactions: {
    tag: 'Environment',
    summary: 'List your contributions in an impact batch',
    description: 'Those of this partner, settlement by settlement, page by page; and how far the batch has come.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: impactBatchNotFound(),
  },
} as const satisfies Record<string, OperationText>;

/** The part of a route's schema that only people read. */
export function describeOperation(operationId: OperationId): {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
} {
  const { summary, description, tag } = OPERATIONS[operationId];
  return { operationId, summary, description, tags: [tag] };
}

export const DOCUMENT_HEAD = {
  openapi: '3.1.0',
  info: {
    title: 'Partner Impact',
    version: '1.0.0',
    description:
      'Server-to-server interface for partners: loyalty-points contributions, delivery-emissions estimates, and the link between them.\n\nAn API key belongs to a server; it must never reach a browser or an app. Points are not related to emissions.',
    contact: { name: 'The operator who issued your API key', url: 'https://example.com/partner-impact' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The environment that serves this page.' }],
  tags: [
    { name: 'Contributions', description: 'Confirm, and find again.' },
    { name: 'Emissions', description: 'Estimate a delivery, and link the estimate.' },
    { name: 'Events', description: 'What happened, in order, as webhooks tell it.' },
    { name: 'Settlements', description: 'What was contributed in a period, line by line.' },
    { name: 'Environment', description: 'How far the planting has come that contributions are pooled for.' },
    { name: 'Webhooks', description: 'What the service sends to the endpoints of a partner, signed.' },
  ],
  components: {
    securitySchemes: {
      apiKey: { type: 'apiKey' as const, name: 'X-API-Key', in: 'header' as const, description: "The partner's credential." },
    },
  },
  security: [{ apiKey: [] }],
};

type Json = Record<string, unknown>;
interface OperationObject extends Json {
  operationId: OperationId;
  parameters?: Json[];
  requestBody?: { content: Record<string, Json> };
  responses: Record<string, Json>;
}

const CORRELATION_PARAMETER = {
  name: 'X-Correlation-ID',
  in: 'header',
  required: false,
  description: 'Non-personal; the service makes one when it is omitted. Every response returns it.',
  schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
};

const HEADER_TEXTS: Record<string, string> = {
  'X-Correlation-ID': 'As sent, or made by the service.',
  'Idempotent-Replayed': '`true` when the answer repeats an earlier result; absent otherwise.',
  'Retry-After': 'Whole seconds to wait.',
  Location: 'Path of the record.',
};

const headers = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { description: HEADER_TEXTS[name], schema: { type: 'string' } }]));

/** The OpenAPI 3.1 document, from the routes, with an example for every outcome and every error code. */
export function buildDocument(app: FastifyInstance): Json {
  const document = nameShapes(structuredClone({ ...app.swagger(), webhooks: WEBHOOKS })) as Json & {
    paths: Record<string, Record<string, OperationObject>>;
  };
  Object.assign(document['components'] as Json, { parameters: WEBHOOK_PARAMETERS, schemas: namedSchemas() });
  for (const path of Object.values(document.paths)) for (const operation of Object.values(path)) complete(operation);
  return document;
}

/** The shapes that have a name in the contract; the document refers to them. */
const NAMED = {
  Contribution,
  Association,
  Link,
  Rejection,
  Estimate,
  EmissionFactors,
  Calculation,
  Settlement,
  Event,
  ...Object.fromEntries(Object.entries(EVENT_KINDS).map(([type, { schema }]) => [schemaNameOf(type), schema])),
  [schemaNameOf(VERIFICATION_TYPE)]: CHALLENGE.schema,
  Error: ErrorBody,
};

const nameOf = new Map(Object.entries(NAMED).map(([name, schema]) => [JSON.stringify(schema), name]));

function namedSchemas(): Json {
  return Object.fromEntries(
    Object.entries(NAMED).map(([name, schema]) => [name, nameShapes(JSON.parse(JSON.stringify(schema)), name)]),
  );
}

/** Puts a reference wherever a named shape stands, and leaves out what only our validation reads. */
function nameShapes(value: unknown, ownName?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => nameShapes(item));
  if (typeof value !== 'object' || value === null) return value;
  const name = nameOf.get(JSON.stringify(value));
  if (name !== undefined && name !== ownName) return { $ref: `#/components/schemas/${name}` };
  const kept = Object.entries(value).filter(([member]) => member !== 'x-lenient');
  return Object.fromEntries(kept.map(([member, item]) => [member, nameShapes(item)]));
}

function complete(operation: OperationObject): void {
  const { operationId } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter['name'] === 'idempotency-key' ? { ...parameter, name: 'Idempotency-Key' } : parameter,
  );
  operation.parameters = [...parameters, CORRELATION_PARAMETER];
  const media = operation.requestBody?.content['application/json'];
  if (media) media['examples'] = { ...REQUEST_EXAMPLES, ...SETTLEMENT_REQUEST_EXAMPLES }[operationId];
  const csv = operation.requestBody?.content['text/csv'];
  if (csv) csv['examples'] = CSV_REQUEST_EXAMPLES[operationId];
  for (const [status, response] of Object.entries(operation.responses)) completeSuccess(operationId, status, response);
  Object.assign(operation.responses, errorResponses(operationId));
}

const SUCCESS_TEXTS: Record<string, string> = {
  '200': 'Found.',
  '201': 'Recorded, or the original result of a replay.',
  '202': 'Recorded and pending: an operator reviews it. Points must not be restored.',
};

function completeSuccess(operationId: OperationId, status: string, response: Json): void {
  const isWrite = status !== '200';
  const isConfirmation = operationId === 'confirmContribution';
  response['description'] =
    operationId === 'reconcileSettlement' ? 'The list has come; the rest is compared.' : SUCCESS_TEXTS[status];
  response['headers'] = headers(
    'X-Correlation-ID',
    ...(isWrite ? ['Idempotent-Replayed'] : []),
    ...(isConfirmation || operationId === 'reconcileSettlement' ? ['Location'] : []),
  );
  const examples = {
    ...RESPONSE_EXAMPLES,
    ...EVENT_RESPONSE_EXAMPLES,
    ...SETTLEMENT_RESPONSE_EXAMPLES,
    ...ENVIRONMENTAL_RESPONSE_EXAMPLES,
  }[operationId]?.[status];
  for (const media of Object.values(response['content'] as Record<string, Json>)) media['examples'] = examples;
}

const EXAMPLE_CORRELATION_ID = 'corr-2026-11-21-0001';

function errorResponses(operationId: OperationId): Record<string, Json> {
  const { errors, recoverable, notFound }: OperationText = OPERATIONS[operationId];
  const byStatus = Map.groupBy(errors, (code) => String(describeErrorCode(code).status));
  const entries = [...byStatus].map(([status, codes]): [string, Json] => [status, errorResponse(codes, recoverable)]);
  const other = {
    ...errorResponse([], undefined),
    description: '`invalid_request` for what is not this path, method, size or media type.',
  };
  return { ...Object.fromEntries(entries), ...(notFound && { '404': notFoundResponse(notFound) }), default: other };
}

function notFoundResponse(error: ServiceError): Json {
  const examples = { not_found: { summary: error.code, value: errorEnvelope(error, EXAMPLE_CORRELATION_ID) } };
  return { ...errorResponse([], undefined), description: `\`${error.code}\``, content: errorContent(examples) };
}

function errorResponse(codes: readonly ErrorCode[], recoverable: RecoverableOperation | undefined): Json {
  const examples = Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: code, value: errorEnvelope({ code, ...ERROR_EXAMPLES[code] }, EXAMPLE_CORRELATION_ID, recoverable) },
    ]),
  );
  const hasRetryAfter = codes.some((code) => describeErrorCode(code).retryAfterSeconds !== undefined);
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: headers('X-Correlation-ID', ...(hasRetryAfter ? ['Retry-After'] : [])),
    content: errorContent(examples),
  };
}

function errorContent(examples: Json): Json {
  const schema = { $ref: '#/components/schemas/Error' };
  return { 'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) } };
}
