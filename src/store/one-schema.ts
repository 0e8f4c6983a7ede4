import type pg from 'pg';
import { UnfitDatabaseError } from './database-problem.ts';

/**
 * The schema in which the connections of a process find the tables. Another `search_path` of the role or of the database reaches new
 * sessions only: of two schemas with tables, such as the service's own and a restored copy, one connection would not find what another
 * recorded, and each could record the same contribution.
 */
export class OneSchema {
  #name: string | undefined;
  #open = 0;

  /** @param name Where another process of the service finds them, which counts for the first connections of this one. */
  constructor(name?: string) {
    this.#name = name;
  }

  /** `undefined` while no connection has found the tables. */
  get name(): string | undefined {
    return this.#name;
  }

  /**
   * Counts the connection until its end. The first one after all have ended may find another schema.
   *
   * @param schema `null` where the connection finds no tables: the server refuses its statements.
   * @throws UnfitDatabaseError When the others find another schema.
   */
  admit(connection: pg.ClientBase, schema: string | null): void {
    if (schema === null) return;
    this.#name ??= schema;
    if (schema !== this.#name)
      throw new UnfitDatabaseError(
        'other_tables',
        `A new connection finds the tables in the schema ${schema}, and the others find them in ${this.#name}.`,
      );
    this.#open += 1;
    connection.once('end', () => {
      this.#open -= 1;
      if (this.#open === 0) this.#name = undefined;
    });
  }
}
