import type { HandOver } from '../../store/webhooks/hand-over.ts';

/** The hand-overs of this process. One whose deliveries all have their results is forgotten by the next transaction of the relay. */
export class HandOvers {
  readonly #ended: HandOver[] = [];

  /**
   * @param count Of its deliveries.
   * @returns A function to call once for each delivery that has a result, or is due for all.
   */
  begin(handOver: HandOver, count: number): () => void {
    let left = count;
    return () => {
      if (--left === 0) this.#ended.push(handOver);
    };
  }

  /** Returns the hand-overs that have ended since the last call. */
  takeEnded(): HandOver[] {
    return this.#ended.splice(0);
  }

  /** They could not be forgotten. */
  restoreEnded(ended: readonly HandOver[]): void {
    this.#ended.push(...ended);
  }
}
