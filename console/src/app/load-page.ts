const PAUSE_MS = 2_000;

/**
 * Loads a part of the program, again and again while the service does not answer: the router would take that for a new release and load
 * the whole console anew, which a browser without a network replaces by a page of its own.
 */
export async function loadPage<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (await isAnswering()) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

async function isAnswering(): Promise<boolean> {
  try {
    return (await fetch('/livez', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
