import { Type } from 'typebox';
import { Echo } from '../envelope-schemas.ts';
import { closed, Environment, int64, longId, nullable } from '../schema-parts.ts';

/** What a partner reads of itself. @see docs/spec/decisions.md#9-self-service-and-pages. */

const nullablePoints = (description: string) =>
  Type.Unsafe<bigint | null>({ type: ['integer', 'null'], format: 'int64', minimum: 1, description });
const rate = (description: string) => Type.Integer({ minimum: 1, description });

const Bounds = Type.Object(
  {
    contribution_rule_version: Type.String({ description: 'Version of the contribution rule in force.' }),
    point_conversion_version: Type.String({ description: 'Version of the point conversion in force.' }),
    tree_cost_version: Type.String({ description: 'Version of the tree cost in force.' }),
    points_min: int64('Fewest points of a contribution.'),
    points_max: int64('Most points of a contribution.'),
    reviews_everything: Type.Boolean({ description: 'Whether every contribution is pending until an operator has decided.' }),
    review_threshold: nullablePoints('So many points or more are pending first; `null`: no number is.'),
    daily_points_cap: nullablePoints('What goes beyond so many points a day is pending first; `null`: nothing is.'),
    daily_count_cap: nullablePoints('What goes beyond so many contributions a day is pending first; `null`: nothing is.'),
  },
  { ...closed, description: 'In force at this moment.' },
);

const Rates = Type.Object(
  {
    writes_per_second: rate('Confirmations, estimates and associations.'),
    lookups_per_second: rate('Look-ups of contributions and estimates.'),
    reports_per_second: rate('Everything else.'),
  },
  { ...closed, description: 'The burst is twice the rate.' },
);

export const Partner = Type.Object(
  {
    partner_id: longId('Assigned by the service.'),
    name: Type.String({ description: 'As the operator entered it.' }),
    status: Type.Unsafe<'active' | 'suspended'>({
      type: 'string',
      enum: ['active', 'suspended'],
      description: 'While `suspended` nothing new is recorded; look-ups and replays still work.',
    }),
    environment: Environment,
    bounds: Bounds,
    rates: Rates,
    currency: nullable({ pattern: '^[A-Z]{3}$' }, 'Of your settlements, ISO 4217; `null` where none was fixed.'),
    time_zone: Type.String({ description: 'By whose calendar your days and periods run.' }),
  },
  closed,
);

export const PartnerBody = Type.Object({ partner: Partner, request: Echo }, closed);
