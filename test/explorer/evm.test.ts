/** Screens of EVM chains: what they show is what the API says, decoded as the contracts' own ABIs say. */
import { readFileSync } from "node:fs";
import { formatUnits } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../../explorer/src/api/data-api.d.ts";
import { count, decimal } from "../../explorer/src/components/amount.tsx";
import { tokenContract } from "../sdk/devnet/tokens.ts";
import { serveEvm } from "../sdk/evm-served.ts";
import { useBrowser, type Visit } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { CHAIN_ID, HOSTILE_SYMBOL, openEvmContracts } from "./evm-contracts.ts";
import { evmSentenceOf } from "./evm-sentences.ts";
import { ask } from "./worlds.ts";

type Schemas = components["schemas"];

const { visit } = useBrowser();
const CHAIN = `/evm/${CHAIN_ID}`;
const API = `/v1/chains/${CHAIN_ID}`;
let world: Awaited<ReturnType<typeof openEvmContracts>>;
let user: Visit;

beforeAll(async () => {
  if (!hasBrowser) return;
  world = await openEvmContracts({ sendsMessages: true });
  user = await visit(world.url);
});
afterAll(async () => {
  await user?.end();
  await world?.stop();
});

/** What a user sees of a path of the chain. */
async function seen(path: string): Promise<string> {
  await user.open(`${CHAIN}${path}`);
  return user.text();
}

const linksOf = () => user.page.locator("main a").evaluateAll((all) => all.map((each) => each.getAttribute("href")!));

async function dropAbi(contract: string, address: string, text = JSON.stringify({ abi: tokenContract(contract).abi })): Promise<void> {
  await user.open(`${CHAIN}/contract/${address}`);
  await user.page
    .locator("input[type=file]")
    .setInputFiles({ name: "artifact.json", mimeType: "application/json", buffer: Buffer.from(text) });
}

describe.skipIf(!hasBrowser)(`an EVM chain${skipReason}`, () => {
  test("its page and its lists have the blocks and transactions of the API", async () => {
    const { blocks } = await ask<{ blocks: Schemas["EvmBlock"][] }>(world, `${API}/blocks?pageSize=25`);
    const { transactions } = await ask<{ transactions: Schemas["NativeTransaction"][] }>(world, `${API}/transactions?pageSize=25`);
    expect(await seen("")).toContain(`EVM chain ID ${CHAIN_ID}`);
    expect(await linksOf()).toEqual(expect.arrayContaining([`#${CHAIN}/tokens`, `#${CHAIN}/block/${blocks[0]!.blockNumber}`]));
    const ofBlocks = await seen("/blocks");
    for (const { gasUsed } of blocks) expect(ofBlocks).toContain(count(gasUsed));
    const ofTransactions = await seen("/txs");
    const links = await linksOf();
    for (const { txHash, gasUsed, gasPrice } of transactions) {
      expect(links).toContain(`#${CHAIN}/tx/${txHash}`);
      expect(ofTransactions).toContain(decimal(BigInt(gasUsed) * BigInt(gasPrice), 18));
    }
    expect(ofTransactions).toContain("Fee AVAX");
  });

  test("its lists are saved with whole IDs and numbers, and gone through by keys", async () => {
    const { transactions } = await ask<{ transactions: Schemas["NativeTransaction"][] }>(world, `${API}/transactions?pageSize=25`);
    await seen("/txs");
    const download = user.page.waitForEvent("download");
    await user.page.getByRole("button", { name: "as CSV" }).click();
    const rows = readFileSync(await (await download).path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(rows[0]).toBe("Transaction,Method,Block,Time,From,To,Value AVAX,Fee AVAX");
    expect(rows.length).toBe(1 + transactions.length);
    for (const [i, { txHash, blockTimestamp, value }] of transactions.entries()) {
      expect(rows[i + 1]).toContain(txHash);
      expect(rows[i + 1]).toContain(new Date(blockTimestamp * 1000).toISOString());
      expect(rows[i + 1]).toContain(`,${formatUnits(BigInt(value), 18)},`);
    }
    for (const key of ["j", "j", "j", "k"]) await user.page.keyboard.press(key);
    const focused = await user.page.evaluate(() => document.activeElement?.getAttribute("href"));
    expect(focused).toBe(`#${CHAIN}/tx/${transactions[1]!.txHash}`);
  });

  test("a block has its facts, its transactions, its neighbours, and the header of the EVM", async () => {
    const block = await ask<Schemas["EvmBlock"]>(world, `${API}/blocks/8`);
    const text = await seen("/block/8");
    for (const part of [block.blockHash, block.parentHash, count(block.gasUsed), `${decimal(BigInt(block.feesSpent), 18)} AVAX`]) {
      expect(text).toContain(part);
    }
    expect(await linksOf()).toEqual(
      expect.arrayContaining([`#${CHAIN}/block/7`, `#${CHAIN}/block/9`, `#${CHAIN}/tx/${world.transactions.many}`]),
    );
    await user.page.getByText("Header, as the EVM has it").click();
    await user.page.getByText("stateRoot").waitFor();
    expect(await user.text()).toContain(`hash ${block.blockHash}`);
  });

  test("messages have both of their sides, or say which one is not known", async () => {
    const { messages } = await ask<{ messages: Schemas["IcmMessage"][] }>(world, "/v1/icm/messages");
    const list = await seen("/messages");
    expect(list).toContain("executed");
    expect(list).toContain("sent to a chain that is not indexed here");
    const links = await linksOf();
    for (const { messageId, destinationTransaction, sourceTransaction } of messages) {
      expect(links).toContain(`#${CHAIN}/message/${messageId}`);
      const text = await seen(`/message/${messageId}`);
      expect(text).toContain(messageId);
      expect(text).toContain("0x1122");
      const transactions = [sourceTransaction, destinationTransaction].flatMap((each) => (each === undefined ? [] : [each.txHash]));
      expect(await linksOf()).toEqual(expect.arrayContaining(transactions.map((hash) => `#${CHAIN}/tx/${hash}`)));
      await seen(`/tx/${transactions.at(-1)}`);
      expect(await linksOf()).toContain(`#${CHAIN}/message/${messageId}`);
      if (destinationTransaction === undefined) expect(text).toContain("The chain is not indexed here.");
    }
  });

  test("a transaction of coins has the exact amount, and no call", async () => {
    const text = await seen(`/tx/${world.transactions.plain}`);
    expect(text).toContain("Value 1.500000000000000001 AVAX");
    expect(text).not.toContain("What it called");
  });

  test("a call is decoded by a shared signature, and its transfer has the token's decimals", async () => {
    const text = await seen(`/tx/${world.transactions.transfer}`);
    expect(text).toContain("transfer(address,uint256) decoded by a signature that many contracts share");
    expect(text).toContain("uint256 value 1,234,567,890");
    expect(text).toContain("1,234.56789 TST");
    await user.open(`${CHAIN}/tx/${world.transactions.transfer}/logs`);
    expect(await user.text()).toMatch(/Transfer\(address,address,uint256\) decoded .* uint256 value 1,234,567,890/);
  });

  test.each([
    ["withReason", "a reason given"],
    ["panic", "division or modulo by zero"],
  ] as const)("a transaction that failed says why: %s", async (name, reason) => {
    const text = await seen(`/tx/${world.transactions[name]}`);
    expect(text).toContain("Status failed");
    expect(text).toMatch(new RegExp(`, which failed\\. .*: ${reason} failed`));
  });

  test("a sentence says what each transaction did, whatever tokens are called", async () => {
    for (const [name, txHash] of Object.entries(world.transactions)) {
      await seen(`/tx/${txHash}`);
      const answer = await ask<Schemas["GetTransactionResponse"]>(world, `${API}/transactions/${txHash}`);
      const accounts = new Map([[world.account as string, "ewoq"]]);
      const expected = evmSentenceOf(answer, { symbol: "AVAX", decimals: 18, accounts });
      expect(`${name}: ${await user.text(".sentence")}`).toBe(`${name}: ${expected.replace(/\s+/g, " ")}.`);
    }
    expect(user.problems).toEqual([]);
  });

  test("the calls of a transaction are those of the API, in its order, and open by keyboard", async () => {
    const path = `${API}/transactions/${world.transactions.calls}/calls`;
    const { calls } = await ask<{ calls: Schemas["TransactionCall"][] }>(world, path);
    await seen(`/tx/${world.transactions.calls}/calls`);
    const entries = user.page.locator(".calls > li");
    const texts = await entries.allInnerTexts();
    expect(texts.map((text) => /depth (\d+)\s+(\w+)/.exec(text)?.slice(1))).toEqual(calls.map(({ depth, type }) => [`${depth}`, type]));
    expect(texts.map((text) => text.includes("failed"))).toEqual(calls.map(({ error }) => error !== undefined));
    const failed = calls.findIndex(({ error }) => error !== undefined);
    await entries.nth(failed).locator("summary").focus();
    await user.page.keyboard.press("Enter");
    await entries.nth(failed).getByText("a reason given").waitFor();
    expect(await user.barriers()).toEqual([]);
  });

  test("transfers of a batch have the amounts of the API", async () => {
    const { erc1155Transfers } = await ask<Schemas["GetTransactionResponse"]>(world, `${API}/transactions/${world.transactions.batch}`);
    const text = await seen(`/tx/${world.transactions.batch}`);
    for (const { value, erc1155Token } of erc1155Transfers!) expect(text).toMatch(new RegExp(`${value} × \\S+ #${erc1155Token.tokenId}`));
    expect(text).toContain("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)");
  });

  test("names that try to do harm are text, and amounts with 255 decimals are whole", async () => {
    for (const path of [`/tx/${world.transactions.hostileTransfer}`, `/token/${world.contracts.hostile.address}`, "/tokens"]) {
      const text = await seen(path);
      expect(text).toContain(HOSTILE_SYMBOL);
      expect(text).not.toMatch(/[\u202e\u200b]/);
      expect(await user.page.locator("main img, main b").count()).toBe(0);
    }
    expect(await seen(`/token/${world.contracts.hostile.address}`)).toContain(decimal(10n ** 70n + 1n, 255));
  });

  test("a token has its supply, its holders with their shares, its transfers", async () => {
    const path = `${API}/tokens/${world.contracts.coin.address}`;
    const token = await ask<Schemas["ChainToken"]>(world, path);
    const { holders } = await ask<{ holders: Schemas["TokenHolder"][] }>(world, `${path}/holders`);
    expect(await seen("/tokens")).toContain(`Test Coin TST ERC-20`);
    const text = await seen(`/token/${token.address}/holders`);
    expect(text).toContain(`Supply ${decimal(BigInt(token.supply), 6)} TST`);
    expect(text).toContain(`Holders ${token.holderCount}`);
    for (const { balance } of holders) expect(text).toContain(decimal(BigInt(balance), 6));
    expect(text).toMatch(/123,455,554\.\d+ 99\.99 %/);
    const { transfers } = await ask<{ transfers: Schemas["Erc20Transfer"][] }>(world, `${path}/transfers`);
    const ofTransfers = await seen(`/token/${token.address}`);
    for (const { value } of transfers) expect(ofTransfers).toContain(`${decimal(BigInt(value), 6)} TST`);
  });

  test("a collection has its NFTs, and an NFT its attributes, owner and metadata as text", async () => {
    const { address } = world.contracts.nft;
    await seen(`/token/${address}/nfts`);
    expect(await linksOf()).toEqual(expect.arrayContaining([`#${CHAIN}/nft/${address}/7`, `#${CHAIN}/nft/${address}/${2n ** 256n - 1n}`]));
    const text = await seen(`/nft/${address}/7`);
    expect(text).toContain(`Owner ${world.account}`);
    expect(text).toContain("Colour teal");
    expect(text).toContain("<img src=x");
    const picture = await ask<Schemas["NftPicture"]>(world, `${API}/nfts/collections/${address}/tokens/7/picture`);
    const image = user.page.getByRole("img", { name: "Picture of Leaf" });
    expect(await image.getAttribute("src")).toBe(`data:${picture.contentType};base64,${picture.data}`);
    expect(await image.evaluate((shown) => (shown as HTMLImageElement).naturalWidth)).toBe(64);
    const multi = await seen(`/nft/${world.contracts.multi.address}/2`);
    expect(multi).toMatch(/Holders Holder Balance \S+ 16 \S+ 4/);
    const path = `${API}/tokens/${world.contracts.multi.address}/transfers?pageSize=100`;
    const { transfers } = await ask<{ transfers: { txHash: string; erc1155Token?: { tokenId: string } }[] }>(world, path);
    const ofNft = transfers.filter(({ erc1155Token }) => erc1155Token?.tokenId === "2");
    expect(await user.page.getByLabel("Transfers").locator("tbody tr").count()).toBe(ofNft.length);
    expect(ofNft.length).toBeLessThan(transfers.length);
  });

  test("a contract has who deployed it, and its logs", async () => {
    const { address, deployment } = world.contracts.coin;
    expect(await seen(`/contract/${address}`)).toContain("ERC-20");
    expect(await linksOf()).toEqual(expect.arrayContaining([`#${CHAIN}/tx/${deployment}`, `#${CHAIN}/address/${world.account}`]));
    const { logs } = await ask<{ logs: Schemas["EventLog"][] }>(world, `${API}/logs?address=${address}`);
    await seen(`/contract/${address}/logs`);
    expect(await user.page.locator("main li details").count()).toBe(logs.length);
  });

  test("there is nothing wrong that nobody sees", () => {
    expect(user.problems).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)(`an ABI that the user gives${skipReason}`, () => {
  test("decodes the contract's calls, until it is removed", async () => {
    const { address } = world.contracts.coin;
    expect(await seen(`/tx/${world.transactions.many}`)).not.toContain("transferMany(address[],uint256[]) decoded");
    await dropAbi("Coin", address);
    await user.page.getByText("The ABI was read: it has 17 items.").waitFor();
    expect(await user.text()).toContain("transferMany(address[],uint256[]) yes");
    expect(await seen(`/tx/${world.transactions.many}`)).toMatch(
      /transferMany\(address\[\],uint256\[\]\) decoded by the contract's ABI address\[\] to .* uint256\[\] v 1 2 3/,
    );
    await seen(`/contract/${address}`);
    await user.page.getByRole("button", { name: "Remove the ABI" }).click();
    await user.page.getByText("The ABI was removed.").waitFor();
    expect(await seen(`/tx/${world.transactions.many}`)).not.toContain("transferMany(address[],uint256[]) decoded");
  });

  test("decodes the contract's errors", async () => {
    expect(await seen(`/tx/${world.transactions.withCustom}`)).toMatch(/with an error that is not known: 0x[0-9a-f]{8}/);
    await dropAbi("Failer", world.contracts.failer.address);
    await user.page.getByText("The ABI was read").waitFor();
    expect(await seen(`/tx/${world.transactions.withCustom}`)).toMatch(
      /which failed\. .* Custom\(uint256,address,string\) decoded by the contract's ABI .* 42 .* custom/,
    );
  });

  test("reads the contract on a devnet", async () => {
    await dropAbi("Coin", world.contracts.coin.address);
    await user.page.locator(".function", { hasText: "totalSupply()" }).getByText("123,456,789,012,345").waitFor();
    const call = user.page.locator(".function", { hasText: "balanceOf(address)" });
    await call.getByRole("textbox").fill("nobody");
    await call.getByRole("button", { name: "Call" }).click();
    await call.getByText("must be 0x and 40 hex digits, got nobody.").waitFor();
    await call.getByRole("textbox").fill(world.account);
    await call.getByRole("button", { name: "Call" }).click();
    await call.getByText("123,455,554,444,451").waitFor();
  });

  test("writes to the contract on a devnet, by one of its accounts", async () => {
    await dropAbi("Coin", world.contracts.coin.address);
    const write = user.page.locator(".function", { hasText: "transfer(address,uint256)" });
    await user.page.getByLabel("Signed by").selectOption("ewoq");
    await write.getByRole("textbox").first().fill("0x00000000000000000000000000000000000000ab");
    await write.getByRole("textbox").last().fill("5");
    await write.getByRole("button", { name: "Send" }).click();
    await write.getByRole("link").click();
    await user.page.locator(".sentence").waitFor();
    expect(await user.text(".sentence")).toBe("ewoq called transfer of Test Coin: sent 0.000005 TST to 0x00000000…000000AB.");
    expect(await user.barriers()).toEqual([]);
  });

  test.each([
    ["not JSON", "The file is not JSON."],
    ['{"abi":[{"type":"function","name":"<script>"}]}', 'item 1 (function) has the name "<script>"'],
  ])("is refused with a sentence if it is %s", async (text, sentence) => {
    await dropAbi("Actor", world.contracts.actor.address, text);
    await user.page.getByText(sentence).waitFor();
    expect(
      await user.page.evaluate((name) => localStorage.getItem(name), `firn-abi:${CHAIN_ID}:${world.contracts.actor.address.toLowerCase()}`),
    ).toBeNull();
  });

  test("may be dropped on the page", async () => {
    await user.open(`${CHAIN}/contract/${world.contracts.failer.address}`);
    const dropped = await user.page.evaluateHandle(
      (text) => {
        const files = new DataTransfer();
        files.items.add(new File([text], "Failer.json"));
        return files;
      },
      JSON.stringify(tokenContract("Failer").abi),
    );
    await user.page.dispatchEvent(".drop", "drop", { dataTransfer: dropped });
    await user.page.getByText("The ABI was read").waitFor();
    expect(user.problems).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)(`screens of an EVM chain${skipReason}`, () => {
  test.each([
    ["dark", 1280],
    ["light", 360],
  ] as const)("have no barrier in %s colours at a width of %i", async (colorScheme, width) => {
    const visitor = await visit(world.url, { colorScheme, viewport: { width, height: 800 } });
    const { contracts, transactions } = world;
    await visitor.open(`${CHAIN}/contract/${contracts.coin.address}`);
    const file = { name: "Coin.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(tokenContract("Coin").abi)) };
    await visitor.page.locator("input[type=file]").setInputFiles(file);
    await visitor.page.getByText("The ABI was read").waitFor();
    expect(await visitor.barriers()).toEqual([]);
    const paths = [
      ...["", "/blocks", "/txs", "/tokens", "/messages", `/message/${world.message}`, "/block/8"],
      ...[
        `/tx/${transactions.many}`,
        `/tx/${transactions.batch}/logs`,
        `/tx/${transactions.withCustom}`,
        `/tx/${transactions.calls}/calls`,
      ],
      ...[`/token/${contracts.hostile.address}`, `/token/${contracts.coin.address}/holders`, `/nft/${contracts.nft.address}/7`],
      `/contract/${contracts.coin.address}/logs`,
    ];
    for (const path of paths) {
      await visitor.open(`${CHAIN}${path}`);
      // what is closed may have barriers too
      await visitor.page.locator("main details").evaluateAll((all) => {
        for (const each of all) (each as HTMLDetailsElement).open = true;
      });
      await visitor.settled();
      expect([path, ...(await visitor.barriers())]).toEqual([path]);
    }
    expect(visitor.problems).toEqual([]);
    await visitor.end();
  });
});

describe.skipIf(!hasBrowser)(`a recorded EVM chain${skipReason}`, () => {
  test("shows everything but what needs a node, and says so", async () => {
    const served = await serveEvm("evm-1");
    const visitor = await visit(served.serverUrl, { expected: ["503"] });
    const { chains } = await ask<{ chains: Schemas["ChainInfo"][] }>({ url: served.serverUrl.replace(/\/$/, "") }, "/v1/chains");
    const [{ chainId }] = chains as [Schemas["ChainInfo"]];
    const [url, api] = [served.serverUrl.replace(/\/$/, ""), `/v1/chains/${chainId}`];
    const { transactions } = await ask<{ transactions: Schemas["NativeTransaction"][] }>({ url }, `${api}/transactions?pageSize=100`);
    const failed = transactions.find(({ txStatus }) => txStatus === "0")!;
    for (const path of [
      "",
      "/blocks",
      "/txs",
      "/tokens",
      `/tx/${failed.txHash}`,
      `/tx/${failed.txHash}/logs`,
      `/tx/${failed.txHash}/calls`,
    ]) {
      await visitor.open(`/evm/${chainId}${path}`);
      expect(await visitor.text()).not.toContain("This could not be read");
    }
    const kinds = new Map<string, Schemas["GetTransactionResponse"]>();
    for (const { txHash } of transactions) {
      const answer = await ask<Schemas["GetTransactionResponse"]>({ url }, `${api}/transactions/${txHash}`);
      const { nativeTransaction: of, erc20Transfers = [], erc721Transfers = [], erc1155Transfers = [] } = answer;
      const moved = [erc20Transfers, erc721Transfers, erc1155Transfers].map(({ length }) => Math.min(length, 2)).join();
      kinds.set(`${of.method?.callType} ${of.txStatus} ${of.value === "0"} ${moved}`, answer);
    }
    expect(kinds.size).toBeGreaterThan(5);
    const { networkToken } = chains[0]!;
    for (const [kind, answer] of kinds) {
      await visitor.open(`/evm/${chainId}/tx/${answer.nativeTransaction.txHash}`);
      expect(`${kind}: ${await visitor.text(".sentence")}`).toBe(`${kind}: ${evmSentenceOf(answer, networkToken).replace(/\s+/g, " ")}.`);
    }
    expect(visitor.problems).toEqual([]);
    await visitor.end();
    await served.stop();
  });
});
