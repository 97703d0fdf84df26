/**
 * A query of pg whose rows are arrays of texts, as the server sends them. It does not ask what the columns are, since whoever made the statement
 * knows: that would be a message each way, and an object for each column, which cost more than most rows.
 */
import pg from "pg";
import type { Statement, TextRows } from "./connection.ts";

/** What pg's connection and query have that their types do not tell. */
interface Wire {
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { text: string; name: string }): void;
  bind(values: { statement: string; values: readonly (string | null)[]; valueMapper: (value: unknown) => unknown }): void;
  execute(portal: object): void;
  sync(): void;
}

const Query = pg.Query as unknown as new (
  config: object,
) => { callback: (error: Error | null) => void; hasBeenParsed(wire: Wire): boolean };

export class TextQuery extends Query {
  readonly received: TextRows = [];
  readonly #statement: Statement;

  private constructor(statement: Statement) {
    super(statement);
    this.#statement = statement;
  }

  static ask(client: pg.Client, statement: Statement): Promise<TextRows> {
    return new Promise((resolve, reject) => {
      const query = new TextQuery(statement);
      query.callback = (error) => (error ? reject(error) : resolve(query.received));
      client.query(query as unknown as pg.Submittable);
    });
  }

  /** Of a statement with a name or with values. */
  prepare(wire: Wire): void {
    const { text, name = "", values = [] } = this.#statement;
    if (!this.hasBeenParsed(wire)) {
      wire.parse({ text, name });
      if (name !== "") wire.submittedNamedStatements[name] = text;
    }
    wire.bind({ statement: name, values, valueMapper: asIs });
    wire.execute({});
    wire.sync();
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    this.received.push(fields);
  }

  handleCommandComplete(): void {}
}

function asIs(value: unknown): unknown {
  return value;
}
