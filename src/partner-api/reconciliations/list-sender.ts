import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIST_LIMITS } from '../../domain/reconciliations/list-limits.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { StoppableUploads } from '../http/transfers/stoppable-uploads.ts';
import { watchTransfer } from '../http/transfers/watched-transfer.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';

/**
 * What is read of a refused list before its answer, while it has its share. A sender who pauses in the midst of it waits for the answer.
 * After the answer `RestOfBodies` reads on.
 */
const REST_BOUNDS = { idleMs: 1_000, totalMs: 30_000, bytesMax: LIST_LIMITS.bytes };
const TOO_SLOW = 408;

/** The sender of a list that has its share. The connection of one that may send no longer ends with the answer, whatever it is. */
export class ListSender {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #authenticate: PartnerApiOptions['authenticate'];
  readonly #uploads: StoppableUploads;
  /** A suspended partner may send a list again that it sent before. */
  readonly #wasSuspended: boolean;
  #mayGoOn = true;

  constructor(request: FastifyRequest, reply: FastifyReply, options: Pick<PartnerApiOptions, 'authenticate' | 'uploads'>) {
    this.#request = request;
    this.#reply = reply;
    this.#authenticate = options.authenticate;
    this.#uploads = options.uploads;
    this.#wasSuspended = callerOf(request).isSuspended;
  }

  /** @throws ServiceError What `requirePermission` throws. */
  async requireAllowed(): Promise<void> {
    try {
      await requirePermission(this.#request, this.#authenticate);
    } catch (error) {
      // Where a key cannot be looked up, its sender is not at fault.
      if (!(error instanceof ServiceError) || error.code !== 'internal_service_unavailable') this.#end();
      throw error;
    }
    if (callerOf(this.#request).isSuspended && !this.#wasSuspended) this.#end();
  }

  /** Before the answer: reads what is left of a list that is refused, of a sender who sends first and reads then. */
  async readRest(): Promise<void> {
    if (this.#request.raw.readableEnded || !(await this.#mayStillGoOn())) return;
    const checkAllowed = async () => {
      if (!(await this.#mayStillGoOn())) throw new Error('The sender may send no longer.');
    };
    const chunks = this.#request.raw.iterator({ destroyOnReturn: false });
    const rest = watchTransfer(chunks, { partner: 'sends', checkAllowed });
    const mayWait = this.#reply.statusCode !== TOO_SLOW && (await this.#uploads.discard(rest, REST_BOUNDS));
    if (!mayWait) this.#end();
  }

  async #mayStillGoOn(): Promise<boolean> {
    if (this.#mayGoOn) await this.requireAllowed().catch(() => {});
    return this.#mayGoOn;
  }

  #end(): void {
    this.#mayGoOn = false;
    this.#reply.header('connection', 'close');
  }
}
