import { recordNotFound } from '../../domain/service-error.ts';
import { Type } from '../../partner-api/schema-type.ts';

export const monthParams = Type.Object({ month: Type.String({ description: 'A calendar month, such as `2026-11`.' }) });

/** @throws ServiceError `not_found` for what is no month. */
export function readMonth(month: string): string {
  if (/^20\d\d-(?:0[1-9]|1[0-2])$/.test(month)) return month;
  throw recordNotFound('month', 'A month is written such as 2026-11.');
}
