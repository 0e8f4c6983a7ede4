import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** A folder of its own for a file of tests or a suite; gone at its end. */
export function temporaryFolder(purpose: string): string {
  const folder = mkdtempSync(join(tmpdir(), `partner-impact-${purpose}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
