import { readFileSync } from 'node:fs';

/** Connections of partners, of the database and of deliveries are open files too. */
export const ENOUGH_OPEN_FILES = 8_192;

/** A sentence where the system gives this process too few open files; nothing where it does not say how many. */
export function describeLowOpenFilesLimit(): string[] {
  const [, limit] = /^Max open files +(\d+)/m.exec(readLimits()) ?? [];
  if (limit === undefined || Number(limit) >= ENOUGH_OPEN_FILES) return [];
  return [
    `This process may have ${limit} files and connections open. Above that no connection is accepted. Give it ${ENOUGH_OPEN_FILES} (systemd: LimitNOFILE=${ENOUGH_OPEN_FILES}; a shell: ulimit -n ${ENOUGH_OPEN_FILES}).`,
  ];
}

/** Those of Linux; Node has raised the limit as far as the system lets it. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
