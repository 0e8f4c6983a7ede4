import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { LIST_LIMITS } from '../../domain/reconciliations/list-limits.ts';
import { settlementNotFound } from '../../operations/settlements/read-settlements.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { reconciliationPath, reconciliationToWire } from '../../wire/reconciliation-to-wire.ts';
import { requirePermission } from '../access/require-permission.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { TRANSFER_BOUNDS } from '../http/stream-bounds.ts';
import { watchTransfer } from '../http/watched-transfer.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { shareTransfers } from '../limits/transfers.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT_WRITE } from '../route-policy.ts';
import { SettlementParams } from '../settlements/settlement-schemas.ts';
import { markReplayed, WriteHeaders } from '../write-headers.ts';
import { formatOfList, takeListsAsStreams } from './list-body.ts';
import { ListBody, ReconcilingBody } from './reconciliation-schemas.ts';

interface Shape {
  Params: Static<typeof SettlementParams>;
  Headers: Static<typeof WriteHeaders>;
}

/**
 * What is read of a refused list before its answer, while it has its share. A sender who pauses in the midst of it waits for the answer.
 * After the answer `limitRequestTime` reads on.
 */
const REST_BOUNDS = { idleMs: 1_000, totalMs: 30_000, bytesMax: LIST_LIMITS.bytes };
/** Of a sender who is too slow, or has sent too much: nothing more is taken from it, and its connection ends. */
const ENDING_STATUSES = [408, 413];

/** One list that is compared, and one request that is a replay or a retry that came too early. */
const UPLOAD_SHARES = { name: 'lists', perPartner: 2, inAll: 16 };

/**
 * Receives a partner's own list as a stream. Only this path is exempt from the limits on a body's size, chunks and time.
 *
 * @see docs/spec/settlements.md#2-settlement, Reconciliation.
 */
export function reconcileSettlement(app: FastifyInstance, { operations, authenticate, uploads }: PartnerApiOptions): void {
  takeListsAsStreams(app);
  const beginUpload = shareTransfers(UPLOAD_SHARES);
  const begun = new WeakSet<FastifyRequest>();
  /** Nothing more is taken from a sender who may send no longer, whatever its list is answered. */
  const checkAllowed = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      await requirePermission(request, authenticate);
    } catch (error) {
      reply.header('connection', 'close');
      throw error;
    }
  };
  const readRest = async (request: FastifyRequest, reply: FastifyReply) => {
    const chunks = request.raw.iterator({ destroyOnReturn: false });
    const rest = watchTransfer(chunks, { partner: 'sends', checkAllowed: () => checkAllowed(request, reply) });
    await uploads.discard(rest, REST_BOUNDS);
  };
  app.post<Shape>(
    '/v1/settlements/:settlement_id/reconciliations',
    {
      config: { operation: 'reconcileSettlement', policy: REPORT_WRITE },
      bodyLimit: LIST_LIMITS.bytes,
      schema: {
        ...describeOperation('reconcileSettlement'),
        params: SettlementParams,
        querystring: NoQuery,
        headers: WriteHeaders,
        body: ListBody,
        response: { 202: ReconcilingBody },
      },
      serializerCompiler: writtenAlready,
      async onRequest(request, reply) {
        beginUpload(callerOf(request).partnerId, reply.raw);
        begun.add(request);
      },
      async onSend(request, reply) {
        if (ENDING_STATUSES.includes(reply.statusCode)) reply.header('connection', 'close');
        else if (begun.has(request) && !request.raw.readableEnded) await readRest(request, reply);
      },
    },
    async (request, reply) => {
      const { settlement_id: settlementId } = request.params;
      const idempotencyKey = request.headers['idempotency-key'];
      const { partnerId } = callerOf(request);
      if (!isLongIdentifier(settlementId)) throw settlementNotFound();
      const format = formatOfList(request);
      const requireSenderAllowed = () => checkAllowed(request, reply);
      const body = request.body as Readable;
      const arriving = uploads.chunksOf(body.iterator({ destroyOnReturn: false }), 'the list', TRANSFER_BOUNDS);
      const chunks = watchTransfer(arriving, { partner: 'sends', checkAllowed: requireSenderAllowed });
      const standing = () => {
        const { isSuspended, unverified } = callerOf(request);
        return { isSuspended, isUnverified: unverified === 'partner' };
      };
      const list = { partnerId, settlementId, idempotencyKey, format, chunks, requireSenderAllowed, standing };
      const { reconciliation, isReplay } = await operations.reconcileSettlement.take(list);
      if (isReplay) markReplayed(reply);
      reply.header('location', reconciliationPath(reconciliation));
      const echo = { correlation_id: request.context.correlationId, idempotency_key: idempotencyKey };
      return sendWritten(reply.code(202), exactJson({ reconciliation: reconciliationToWire(reconciliation), request: echo }));
    },
  );
}
