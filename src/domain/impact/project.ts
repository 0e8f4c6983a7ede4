import type { ErrorDetail } from '../service-error.ts';
import { checkLine } from '../single-line-text.ts';

/**
 * A planting project, for which contributions are pooled.
 *
 * @see docs/spec/settlements.md#4-environmental-status, field project.
 */
export interface Project {
  readonly projectId: string;
  readonly nameEn: string;
  readonly nameAr: string;
  /** ISO 3166-1, two capital letters. */
  readonly country: string;
  readonly createdAt: Date;
}

export type NewProject = Pick<Project, 'nameEn' | 'nameAr' | 'country'>;

export const PROJECT_NAME_MAX = 200;

/** All problems of a new project, by field; empty when it may be created. */
export function checkNewProject({ nameEn, nameAr, country }: NewProject): ErrorDetail[] {
  const found: (ErrorDetail | false)[] = [
    checkLine('name_en', nameEn, PROJECT_NAME_MAX),
    checkLine('name_ar', nameAr, PROJECT_NAME_MAX),
    !isCountry(country) && {
      field: 'country',
      code: 'unsupported_value',
      message: 'country must be an ISO 3166-1 code of two capital letters, such as SA.',
    },
  ];
  return found.filter((each) => each !== false);
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Codes that the runtime knows and that are no countries: unions, pseudo-regions and the unknown region. */
const NO_COUNTRIES = ['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ'];

/** Whether the code is the code of an existing country. */
function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && !NO_COUNTRIES.includes(code) && REGIONS.of(code) !== undefined;
}
