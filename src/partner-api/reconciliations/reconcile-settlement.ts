import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { LIST_LIMITS } from '../../domain/reconciliations/list-limits.ts';
import { settlementNotFound } from '../../operations/settlements/read-settlements.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { reconciliationPath, reconciliationToWire } from '../../wire/reconciliation-to-wire.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { TRANSFER_BOUNDS } from '../http/transfers/stream-bounds.ts';
import { watchTransfer } from '../http/transfers/watched-transfer.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { shareTransfers } from '../limits/transfers.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT_WRITE } from '../route-policy.ts';
import { SettlementParams } from '../settlements/settlement-schemas.ts';
import { markReplayed, WriteHeaders } from '../write-headers.ts';
import { formatOfList, takeListsAsStreams } from './list-body.ts';
import { ListSender } from './list-sender.ts';
import { ListBody, ReconcilingBody } from './reconciliation-schemas.ts';

interface Shape {
  Params: Static<typeof SettlementParams>;
  Headers: Static<typeof WriteHeaders>;
}

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
  const senders = new WeakMap<FastifyRequest, ListSender>();
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
        senders.set(request, new ListSender(request, reply, { authenticate, uploads }));
      },
      async onSend(request) {
        await senders.get(request)?.readRest();
      },
    },
    async (request, reply) => {
      const { settlement_id: settlementId } = request.params;
      const idempotencyKey = request.headers['idempotency-key'];
      const { partnerId } = callerOf(request);
      if (!isLongIdentifier(settlementId)) throw settlementNotFound();
      const format = formatOfList(request);
      const sender = senders.get(request) as ListSender;
      const requireSenderAllowed = () => sender.requireAllowed();
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
