import { getPartner, listPartners } from './access/partners.ts';
import { beginFactor, confirmFactor, dropFactor } from './access/second-factor.ts';
import { getSession, setPassword, signIn, signInOnceMore, signInWithLink, signOut } from './access/sign-in.ts';
import { getContribution, getTimeline, listContributions } from './contributions/contributions.ts';
import { decideReviews, getReviewOf, listReviews } from './contributions/reviews.ts';
import { getOverview } from './overview/overview.ts';
import { search } from './overview/search.ts';
import type { OperatorRoute } from './route.ts';

/** Every operation of the interface. */
export const ROUTES: readonly OperatorRoute[] = [
  ...[signIn, signInWithLink, getSession, signInOnceMore, setPassword, signOut],
  ...[beginFactor, confirmFactor, dropFactor],
  ...[getOverview, search],
  ...[listPartners, getPartner],
  ...[listContributions, getContribution, getTimeline],
  ...[listReviews, getReviewOf, decideReviews],
];
