/** An HTTP client of a served store, which walks pages to the end. */

export type Params = Readonly<Record<string, string | number | bigint | boolean | readonly string[] | undefined>>;

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** More pages than any list here has; an endless walk is a defect of the server. */
const MOST_PAGES = 20_000;

/** More pages make a walk slow. */
const PAGES_OF_A_WALK = 15;

export class DataClient {
  readonly #base: string;

  /** @param url of the server, without path */
  constructor(url: string, version: "v1" | "v2" = "v1") {
    this.#base = `${url.replace(/\/$/, "")}/${version}`;
  }

  async ask(path: string, params: Params = {}, body?: object): Promise<Answer> {
    const answer = await fetch(`${this.#base}${path}?${queryOf(params)}`, {
      ...(body && { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  /** Fails unless the answer is 200. */
  async get(path: string, params: Params = {}, body?: object): Promise<Record<string, unknown>> {
    const answer = await this.ask(path, params, body);
    if (answer.status !== 200) throw new Error(`${path}?${queryOf(params)} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** All items of a list. Every page but the last must be full. */
  async walk(path: string, list: string, params: Params & { readonly pageSize: number }, body?: object): Promise<unknown[]> {
    const items: unknown[] = [];
    let pageToken: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await this.get(path, { ...params, pageToken }, body);
      const rows = page[list] as unknown[];
      items.push(...rows);
      if (rows.length === 0 && pages > 0) throw new Error(`${path}?${queryOf(params)} gave a token for a page that has nothing`);
      pageToken = page.nextPageToken as string | undefined;
      if (pageToken === undefined) return items;
      if (rows.length !== params.pageSize) throw new Error(`${path} gave a page of ${rows.length} of ${params.pageSize} and a token`);
    }
    throw new Error(`${path}?${queryOf(params)} has no last page`);
  }
}

function queryOf(params: Params): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) query.append(name, `${item}`);
  }
  return query.toString();
}

/** Mostly small ones; and those with which the last page is full, or holds one item. */
export function pageSizeFor(count: number, most: number, salt: number): number {
  const least = Math.ceil(count / PAGES_OF_A_WALK);
  const sizes = [least, least + (salt % 7), Math.ceil(count / 2), count - 1, count, count + 1];
  return Math.min(most, Math.max(1, least, sizes[salt % sizes.length]!));
}
