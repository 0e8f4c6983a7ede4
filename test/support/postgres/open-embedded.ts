/**
 * A process that holds the embedded server open, for tests that kill it, start several or run one as another user:
 * `node open-embedded.ts <data directory> <folder of PostgreSQL's programs, or nothing> [attach]`.
 * Prints one line of JSON: what it opened, or the sentence with which it was refused. Ends its server on SIGTERM.
 */
import { openEmbedded } from '../../../src/embedded-postgres/open-embedded.ts';

const [, , dataDirectory = '', binaries = '', attach] = process.argv;

try {
  const server = await openEmbedded(dataDirectory, { mayStart: attach === undefined, ...(binaries !== '' && { binaries }) });
  console.log(JSON.stringify({ socketDirectory: server.socketDirectory, isOwner: server.isOwner }));
  const keepAlive = setInterval(() => {}, 60_000);
  process.once('SIGTERM', () => {
    clearInterval(keepAlive);
    void server.stop();
  });
} catch (failure) {
  const { message, code } = failure as NodeJS.ErrnoException;
  console.log(JSON.stringify({ refusal: message, code }));
}
