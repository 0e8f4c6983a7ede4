/** Who appears in the sample data. Every name says what it is, wherever it is shown. */
import type { Role } from '../domain/access/role.ts';
import type { SettlementPolicy } from '../store/access/partner.ts';

/** What the names of all sample records end with, in the script of the name. */
export const MARK = 'sample data';
export const MARK_IN_ARABIC = 'بيانات تجريبية';

export type Slug = 'brightline' | 'oasis' | 'nordlicht' | 'kiku';

export interface SamplePartner extends SettlementPolicy {
  readonly slug: Slug;
  readonly name: string;
  /** Contributions on a usual day. */
  readonly perDay: number;
  /** Points of a usual contribution, the least and the most. */
  readonly points: readonly [least: number, most: number];
  /** From this many points on a contribution is reviewed. */
  readonly reviewThreshold: number;
  /** Contributions of a day beyond this number are reviewed. */
  readonly dailyCountCap?: number;
  readonly pointValue: string;
  readonly laterPointValue?: string;
  readonly treeCost: string;
  /** The share of orders with an estimate of their delivery. */
  readonly estimates: number;
}

export const PARTNERS: readonly SamplePartner[] = [
  {
    slug: 'brightline',
    name: `Brightline Market (${MARK})`,
    currency: 'SAR',
    timeZone: 'Asia/Riyadh',
    perDay: 5,
    points: [40, 1_800],
    reviewThreshold: 5_000,
    pointValue: '0.01',
    laterPointValue: '0.0125',
    treeCost: '22.5',
    estimates: 0.5,
  },
  {
    slug: 'oasis',
    name: `متجر الواحة (${MARK_IN_ARABIC})`,
    currency: 'AED',
    timeZone: 'Asia/Dubai',
    perDay: 3,
    points: [100, 2_500],
    reviewThreshold: 6_000,
    pointValue: '0.008',
    treeCost: '21',
    estimates: 0.2,
  },
  {
    slug: 'nordlicht',
    name: `Nordlicht Bücher (${MARK})`,
    currency: 'EUR',
    timeZone: 'Europe/Berlin',
    perDay: 3,
    points: [20, 900],
    reviewThreshold: 2_500,
    pointValue: '0.002',
    laterPointValue: '0.0025',
    treeCost: '6.4',
    estimates: 0.35,
  },
  {
    slug: 'kiku',
    name: `Kiku Online (${MARK})`,
    currency: 'JPY',
    timeZone: 'Asia/Tokyo',
    perDay: 2,
    points: [50, 3_000],
    reviewThreshold: 9_000,
    dailyCountCap: 5,
    pointValue: '0.5',
    treeCost: '900',
    estimates: 0,
  },
];

export type Person = 'admin' | 'approver' | 'operator' | 'viewer';

/** The operators who appear. Nobody signs in as one of them: their codes have ended. */
export const PEOPLE: Readonly<Record<Person, { readonly name: string; readonly email: string; readonly role: Role }>> = {
  admin: { name: `Mina Brandt (${MARK})`, email: 'mina@sample-data.example', role: 'admin' },
  approver: { name: `Layla Haddad (${MARK})`, email: 'layla@sample-data.example', role: 'approver' },
  operator: { name: `عمر فاروق (${MARK_IN_ARABIC})`, email: 'omar@sample-data.example', role: 'operator' },
  viewer: { name: `Jonas Weber (${MARK})`, email: 'jonas@sample-data.example', role: 'viewer' },
};
