import { randomUUID } from 'node:crypto';
import { decode } from './decode.ts';
import { InvalidValueError } from './errors.ts';
import { stringifyExactJson } from './exact-json.ts';
import type { Calculation, EmissionFactors, Estimate } from './generated/types.ts';
import { list } from './http/list.ts';
import { pathSegment } from './http/path-segment.ts';
import { type CallOptions, requestMember } from './http/request.ts';
import type { Transport } from './http/transport.ts';

export interface EstimateFields {
  /** Your reference of the order; a contribution that links the estimate has the same. */
  readonly orderRef: string;
  /** Kilometres as a plain decimal, above 0 and at most 200, with at most three decimals: `'12.345'`. */
  readonly distanceKm: string;
  /** An open list; the service has factors for these so far. */
  readonly vehicleCategory: 'motorcycle_gasoline' | 'car_gasoline' | (string & {});
}

export interface PostOptions extends CallOptions {
  /** A key that you stored before, so that a repetition after a crash gives the first answer. Random unless given. */
  readonly idempotencyKey?: string;
}

/** Educational well-to-wheel estimates of deliveries. They are not related to points. */
export class Estimates {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * A new estimate. It expires after 24 hours unless a contribution links it.
   *
   * @throws InvalidValueError for a distance that is no text; InvalidDistanceError, UnsupportedVehicleError, InvalidRequestError, or another
   * ServiceError; NoAnswerError.
   */
  async create({ orderRef, distanceKm, vehicleCategory }: EstimateFields, options: PostOptions = {}): Promise<Estimate> {
    // A number would have lost digits before the service counts them.
    if (typeof distanceKm !== 'string') throw new InvalidValueError('distanceKm', "a decimal as text, such as '12.345'");
    const fields = {
      partner_order_ref: orderRef,
      distance_km: distanceKm,
      distance_unit: 'km',
      vehicle_category: vehicleCategory,
    };
    const { idempotencyKey = randomUUID() } = options;
    const call = { method: 'POST', path: '/v1/emissions/estimates', idempotencyKey, body: stringifyExactJson(fields) } as const;
    return decode<Estimate>(await requestMember(this.#transport, call, 'estimate', options));
  }

  /** @throws EstimateNotFoundError, EstimateExpiredError. */
  async get(calculationId: string, options?: CallOptions): Promise<Estimate> {
    const path = `/v1/emissions/estimates/${pathSegment('calculationId', calculationId)}`;
    return decode<Estimate>(await requestMember(this.#transport, { path }, 'estimate', options));
  }

  /**
   * Each step from the distance to the displayed value, to get the same digits by hand.
   *
   * @throws EstimateNotFoundError, EstimateExpiredError.
   */
  async calculation(calculationId: string, options?: CallOptions): Promise<Calculation> {
    const path = `/v1/emissions/estimates/${pathSegment('calculationId', calculationId)}/calculation`;
    return decode<Calculation>(await requestMember(this.#transport, { path }, 'calculation', options));
  }

  /** Every version of the factors. */
  factors(options?: CallOptions): AsyncGenerator<EmissionFactors, void> {
    return list(this.#transport, '/v1/emissions/factors', 'emission_factors', options);
  }
}
