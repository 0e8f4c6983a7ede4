import { Type } from '../../partner-api/schema-type.ts';
import type { Partner } from '../../store/access/partner.ts';
import { count, nullableText, nullableTime, oneOf, shape, text, time } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';

/** How a list by partners is sorted, and by what it is filtered. */
export const partnerOrder = sorting(['created_at', 'name'], 'created_at');
export const partnerName = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, description: 'A part of the name, in upper or lower case.' }),
);

export const PartnerName = shape('PartnerName', {
  partner_id: text('The id of the partner.'),
  name: text('The name of the partner.'),
});

export const PartnerBody = shape('Partner', {
  partner_id: text('The id of the partner. The service assigns it.'),
  name: text('The name of the partner.'),
  status: oneOf(['active', 'suspended'], 'A suspended partner records nothing new; its look-ups still work.'),
  currency: nullableText('The currency of its settlements, by ISO 4217; `null` until one is fixed.'),
  time_zone: text('The time zone of its days and periods.'),
  writes_per_second: count('Confirmations and estimates a second.'),
  lookups_per_second: count('Look-ups a second.'),
  reports_per_second: count('Other requests a second.'),
  created_at: time('When the partner was created.'),
  suspended_at: nullableTime('When the partner was suspended; `null` while it is active.'),
});

export function partnerToWire(partner: Partner) {
  const { partnerId, name, currency, timeZone, writesPerSecond, lookupsPerSecond, reportsPerSecond } = partner;
  return {
    partner_id: partnerId,
    name,
    status: partner.suspendedAt === null ? 'active' : 'suspended',
    currency,
    time_zone: timeZone,
    writes_per_second: writesPerSecond,
    lookups_per_second: lookupsPerSecond,
    reports_per_second: reportsPerSecond,
    created_at: partner.createdAt,
    suspended_at: partner.suspendedAt,
  };
}
