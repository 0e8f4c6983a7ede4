import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LIST_FORMATS, type ListFormat } from '../../domain/reconciliations/read-partner-list.ts';
import { type ServiceError, unsupportedHeader } from '../../domain/service-error.ts';
import { charsetOf, isUtf8, refuseCompressed } from '../http/read-body.ts';

/**
 * A list is read as it arrives: of the application, or of a part of it, that takes nothing else. One that {@link formatOfList} refuses is
 * refused before its headers are judged.
 */
export function takeListsAsStreams(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  for (const type of Object.values(LIST_FORMATS))
    app.addContentTypeParser(type, async (request: FastifyRequest, body: unknown) => {
      formatOfList(request);
      return body;
    });
  app.addContentTypeParser('*', (_request, _body, done) => done(otherType()));
}

/** @throws ServiceError `invalid_request` (415) for another media type or charset, or a compressed list. */
export function formatOfList({ headers }: Pick<FastifyRequest, 'headers'>): ListFormat {
  const sent = headers['content-type'] ?? '';
  const type = sent.split(';', 1)[0]?.trim().toLowerCase();
  const format = (Object.keys(LIST_FORMATS) as ListFormat[]).find((each) => LIST_FORMATS[each] === type);
  if (!format || !isReadable(format, sent)) throw otherType();
  refuseCompressed(headers);
  return format;
}

/** Which of the two UTF-16 a CSV is in, its byte order mark says. */
function isReadable(format: ListFormat, contentType: string): boolean {
  return isUtf8(contentType) || (format === 'csv' && /^utf-?16(?:le|be)?$/.test(charsetOf(contentType)));
}

function otherType(): ServiceError {
  const message = 'A list must be CSV in UTF-8 or UTF-16, or JSON in UTF-8: send Content-Type: text/csv or application/json.';
  return unsupportedHeader('Content-Type', 415, message);
}
