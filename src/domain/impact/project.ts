import type { ErrorDetail } from '../service-error.ts';
import { isLine, lineForm } from '../single-line-text.ts';

/** What contributions are pooled for. @see docs/spec/settlements.md#4-environmental-status, field project. */
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

/** Everything that is wrong with a new project, field by field; empty when it may be made. */
export function checkNewProject({ nameEn, nameAr, country }: NewProject): ErrorDetail[] {
  const found: (ErrorDetail | false)[] = [
    checkName('name_en', nameEn),
    checkName('name_ar', nameAr),
    !isCountry(country) && {
      field: 'country',
      code: 'unsupported_value',
      message: 'country must be an ISO 3166-1 code of two capital letters, such as SA.',
    },
  ];
  return found.filter((each) => each !== false);
}

function checkName(field: string, name: string): ErrorDetail | false {
  if (isLine(name, PROJECT_NAME_MAX)) return false;
  return { field, code: 'wrong_form', message: `${field} must be ${lineForm(name, PROJECT_NAME_MAX)}.` };
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Known to the platform as well, and no countries: unions, pseudo-regions and the unknown one. */
const NO_COUNTRIES = ['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ'];

/** Whether it is a country's code that is in use. */
export function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && !NO_COUNTRIES.includes(code) && REGIONS.of(code) !== undefined;
}
