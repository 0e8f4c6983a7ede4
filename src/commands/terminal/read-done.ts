import { messageOf } from './error-to-wire.ts';
import { printNotice } from './output.ts';

/**
 * Reads what is shown of a change that is done. The change is done even where that cannot be read at the moment.
 *
 * @param later The command that shows it later, such as `review show`.
 * @returns `undefined` where it cannot be read; the person was told so on standard error.
 */
export async function readDone<Shown>(later: string, read: () => Promise<Shown>): Promise<Shown | undefined> {
  try {
    return await read();
  } catch (error) {
    printNotice(`Done. The effect cannot be read now: ${messageOf(error)} Run \`${later}\` later.`);
    return undefined;
  }
}

/**
 * What failed after the change, and is no part of it.
 *
 * @param what The failure, such as `The former sign-in was not ended`.
 * @param next What follows from it.
 */
export function tellUndone(what: string, next: string): (error: unknown) => void {
  return (error) => printNotice(`Done. ${what}: ${messageOf(error)} ${next}`);
}
