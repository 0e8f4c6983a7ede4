/** Node's test runner, which finds the test of an error, a hook or a nested test by its asynchronous context. */
import asyncHooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks';
import type { run } from 'node:test';

/** The id of the test, or of the hook of tests, that is being run. */
const running = new AsyncLocalStorage<number>();
/** What the runner notes of each test. */
const notes = new Set<HookCallbacks>();

/** A test, of which the runner is told as its own hook would tell. */
class FollowedResource extends AsyncResource {
  constructor(...terms: ConstructorParameters<typeof AsyncResource>) {
    super(...terms);
    for (const { init } of notes) init?.(this.asyncId(), terms[0], this.triggerAsyncId(), this);
  }

  override runInAsyncScope<This, Result>(
    work: (this: This, ...words: unknown[]) => Result,
    thisArg?: This,
    ...words: unknown[]
  ): Result {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => work.apply(thisArg as This, words)));
  }
}

/**
 * Loads the runner, which takes what is replaced here as it is loaded: afterwards it is as it was. By itself it has a hook for every promise
 * of the process, which notes to which test each belongs.
 */
export async function loadTestRunner(): Promise<typeof run> {
  const { executionAsyncId, createHook } = asyncHooks;
  Object.assign(asyncHooks, {
    AsyncResource: FollowedResource,
    executionAsyncId: () => running.getStore() ?? 0,
    createHook: (callbacks: HookCallbacks) => ({ enable: () => notes.add(callbacks), disable: () => notes.delete(callbacks) }),
  });
  try {
    return (await import('node:test')).run;
  } finally {
    Object.assign(asyncHooks, { AsyncResource, executionAsyncId, createHook });
  }
}
