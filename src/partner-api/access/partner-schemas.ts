import { Echo } from '../envelope-schemas.ts';
import { closed, Environment, int64, longId, nullable } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';

/** What a partner reads of itself. @see docs/spec/decisions.md#9-self-service-and-pages. */

const nullablePoints = (description: string) =>
  Type.Unsafe<bigint | null>({ type: ['integer', 'null'], format: 'int64', minimum: 1, description });
const rate = (description: string) => Type.Integer({ minimum: 1, description });

const Bounds = Type.Object(
  {
    contribution_rule_version: Type.String({ description: 'The version of the contribution rule in force.' }),
    point_conversion_version: Type.String({ description: 'The version of the point conversion in force.' }),
    tree_cost_version: Type.String({ description: 'The version of the tree cost in force.' }),
    points_min: int64('The smallest number of points of a contribution.'),
    points_max: int64('The largest number of points of a contribution.'),
    reviews_everything: Type.Boolean({ description: 'Whether every contribution is pending until an operator has decided.' }),
    review_threshold: nullablePoints('A contribution of so many points or more is pending first; `null` without such a number.'),
    daily_points_cap: nullablePoints('What goes beyond so many points a day is pending first; `null`: nothing is.'),
    daily_count_cap: nullablePoints('What goes beyond so many contributions a day is pending first; `null`: nothing is.'),
  },
  { ...closed, description: 'The rules that are in force now.' },
);

const Rates = Type.Object(
  {
    writes_per_second: rate('The rate of confirmations, estimates and associations.'),
    lookups_per_second: rate('The rate of look-ups of contributions and estimates.'),
    reports_per_second: rate('The rate of all other requests.'),
  },
  { ...closed, description: 'The rates in requests a second. A burst may have twice as many.' },
);

const Partner = Type.Object(
  {
    partner_id: longId('The id of the partner.'),
    name: Type.String({ description: 'The name of the partner, as the operator entered it.' }),
    status: Type.Unsafe<'active' | 'suspended'>({
      type: 'string',
      enum: ['active', 'suspended'],
      description:
        'Whether the service records new contributions and estimates. For a `suspended` partner it does not; look-ups and replays still work.',
    }),
    environment: Environment,
    bounds: Bounds,
    rates: Rates,
    currency: nullable({ pattern: '^[A-Z]{3}$' }, 'The currency of your settlements by ISO 4217; `null` where none was fixed.'),
    time_zone: Type.String({ description: 'The time zone of your days and periods.' }),
  },
  closed,
);

export const PartnerBody = Type.Object({ partner: Partner, request: Echo }, closed);
