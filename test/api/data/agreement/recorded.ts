/** A node's answers at a checkpoint of a recording, read from its files. */
import { readText } from "../../../conformance/json-lines.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many forms; a member that is missing shows as a difference
export type Json = any;

export interface RecordedAnswer {
  readonly method: string;
  readonly params: Json;
  /** undefined: the node answered with an error */
  readonly result: Json | undefined;
}

export class RecordedAnswers {
  readonly #byMethod = new Map<string, RecordedAnswer[]>();

  constructor(answers: Iterable<RecordedAnswer>) {
    for (const answer of answers) {
      const known = this.#byMethod.get(answer.method);
      if (known === undefined) this.#byMethod.set(answer.method, [answer]);
      else known.push(answer);
    }
  }

  /** Including those that the node refused. */
  all(method: string): readonly RecordedAnswer[] {
    return this.#byMethod.get(method) ?? [];
  }

  /** Those with a result. */
  of(method: string): readonly RecordedAnswer[] {
    return this.all(method).filter(({ result }) => result !== undefined);
  }

  /** Of requests without parameters, or with an empty object. */
  plain(method: string): readonly RecordedAnswer[] {
    return this.of(method).filter(({ params }) => params === undefined || (isObject(params) && Object.keys(params).length === 0));
  }
}

/** @param path of a file with `requests`, or of one with a request in each line */
export function readAnswers(folder: string, path: string): RecordedAnswers {
  const text = withExactNumbers(readText(folder, path));
  const requests: Json[] = path.endsWith(".jsonl")
    ? text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
    : JSON.parse(text).requests;
  return new RecordedAnswers(
    requests.map(({ method, params, response }) => ({ method, params: wellNamed(params), result: response?.result ?? undefined })),
  );
}

const PARAMETERS = [
  ...["address", "addresses", "assetID", "blockID", "blockchainID", "encoding", "height", "ids", "includePartial", "limit", "nodeIDs"],
  ...["sourceChain", "startIndex", "subnetID", "txID", "validationID", "validatorsOnly"],
];
const WELL_NAMED = new Map(PARAMETERS.map((name) => [name.toLowerCase(), name]));

/** The node takes names in any case, and a list of one object for the object. */
function wellNamed(params: Json): Json {
  const object = Array.isArray(params) && params.length === 1 ? params[0] : params;
  if (!isObject(object)) return object;
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [WELL_NAMED.get(name.toLowerCase()) ?? name, value]));
}

/** Integers that a JavaScript number may not hold become strings. No text of an answer looks like a member's value. */
export function withExactNumbers(json: string): string {
  return json.replace(/([:[,]\s*)(\d{16,})(?=\s*[,\]}])/g, '$1"$2"');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
