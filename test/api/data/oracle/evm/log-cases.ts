/** Queries about event logs: of all emitters, all first topics and both, over ranges of blocks, and of every transaction. */
import type { Case, CaseMaker } from "./case-maker.ts";
import type { LogQuery } from "./lists.ts";

const STRANGE_ADDRESS = `0x${"5".repeat(40)}`;
const STRANGE_TOPIC = `0x${"5".repeat(64)}`;

export function* logCases(maker: CaseMaker): Generator<Case> {
  const { lists, answers } = maker.court;
  const transactions = lists.blocks.flatMap((block) => block.transactions);
  const logs = transactions.flatMap(({ receipt }) => receipt.logs);
  const addresses = new Set([...logs.map(({ address }) => address.toLowerCase()), STRANGE_ADDRESS]);
  const topics = new Set([...logs.flatMap((log) => log.topics.slice(0, 1)), STRANGE_TOPIC]);
  const asked = (query: LogQuery) => maker.list(maker.path("/logs"), "logs", query, () => lists.logs(query));
  for (const range of rangesOf(lists.blocks.length - 1)) {
    yield asked(range);
    for (const address of addresses) yield asked({ address, ...range });
    for (const topic0 of topics) yield asked({ topic0, ...range });
  }
  for (const address of addresses) {
    const own = new Set(logs.filter((log) => log.address.toLowerCase() === address).flatMap((log) => log.topics.slice(0, 1)));
    for (const topic0 of [...own, STRANGE_TOPIC]) yield asked({ address, topic0 });
  }
  for (const tx of transactions) {
    const path = maker.path(`/transactions/${tx.raw.hash}/logs`);
    yield maker.list(path, "logs", {}, () => tx.receipt.logs.map((log) => answers.log(tx, log)));
  }
  yield maker.one(maker.path(`/transactions/${STRANGE_TOPIC}/logs`), {}, () => undefined);
}

function rangesOf(head: number): LogQuery[] {
  const middle = Math.floor(head / 2);
  return [{}, { fromBlock: middle }, { toBlock: middle }, { fromBlock: middle, toBlock: middle }, { fromBlock: head + 1 }];
}
