/** Transactions that clients issue to a follower: verified there, passed to the node that it follows, and their status until a block has them. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../../src/serve/local-network/start.ts";
import { FirnProcess } from "../../cli/firn.ts";
import { type Follower, following } from "../../ingest/following/following.ts";
import { accountNamed, ewoq } from "../../sdk/devnet/accounts.ts";
import { IssuingWallet } from "../../sdk/devnet/issuing-wallet.ts";
import { type Account, type Anything, type ChainName, sign, signedBytes } from "../../sdk/wallet.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const { avm, evm, pvm, utils }: Anything = avalanchejs;
const AVAX = 1_000_000_000n;
const HOUR_MS = 3_600_000;
const bob = accountNamed("bob");
const ISSUE = { P: "platform.issueTx", X: "avm.issueTx", C: "avax.issueTx" } as const;
/** nodes of the C-chain have no status since Helicon */
const STATUS = { P: "platform.getTxStatus", X: "avm.getTxStatus", C: "avax.getAtomicTx" } as const;
const PATHS = { P: "/ext/bc/P", X: "/ext/bc/X", C: "/ext/bc/C/avax" } as const;

let network: LocalNetwork;
let follower: Follower;
let wallet: IssuingWallet;
let devnetWallet: IssuingWallet;

beforeAll(async () => {
  network = await startDevnet({ blockTimeMs: HOUR_MS });
  follower = await following(scratchDirectory(), { network: "local", upstream: network.url });
  wallet = await IssuingWallet.open(follower.url, { isInstant: false });
  devnetWallet = await IssuingWallet.open(network.url, { isInstant: false });
});
afterAll(async () => {
  await follower?.stop();
  await network?.stop();
});

interface Answer {
  readonly text: string;
  readonly passedFrom: string | null;
}

/** On a connection of its own. */
async function ask(url: string, path: string, method: string, params: object = {}): Promise<Answer> {
  const headers = { "content-type": "application/json", connection: "close" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
  return { text: await response.text(), passedFrom: response.headers.get("firn-passed-from") };
}

const issue = (url: string, chain: ChainName, tx: string) => ask(url, PATHS[chain], ISSUE[chain], { tx });
const status = (url: string, chain: ChainName, txID: string) =>
  ask(url, PATHS[chain], STATUS[chain], { txID, ...(chain === "C" && { encoding: "hex" }) });

async function signed(chain: ChainName, unsigned: Anything, signer: Account): Promise<string> {
  await sign(unsigned, [signer], []);
  return utils.bufferToHex(utils.addChecksum(signedBytes(chain, unsigned)));
}

async function payment(chain: "P" | "X", amount: bigint): Promise<Anything> {
  const outputs = [wallet.output(amount, [bob])];
  if (chain === "P") return pvm.newBaseTx({ ...(await wallet.platform([ewoq])), outputs }, wallet.context);
  const { utxos, from, options } = await wallet.assets([ewoq]);
  return avm.newBaseTx(wallet.context, from, utxos, outputs, options);
}

async function atomic(): Promise<Anything> {
  const fee = await devnetWallet.baseFee();
  return evm.newExportTxFromBaseFee(wallet.context, fee, AVAX, wallet.chainIds.X, ewoq.evmBytes, [bob.bytes], 0n);
}

test("transactions of P, X and C that a follower is given wait on its node, and are accepted on both with the next block", async () => {
  const made = { P: await payment("P", AVAX), X: await payment("X", AVAX), C: await atomic() };
  const ids = new Map<ChainName, string>();
  for (const chain of ["P", "X", "C"] as const) {
    const { text } = await issue(follower.url, chain, await signed(chain, made[chain], ewoq));
    const txID = wallet.signedId(chain, made[chain]);
    expect(JSON.parse(text).result).toEqual({ txID });
    ids.set(chain, txID);
    expect(await status(follower.url, chain, txID)).toEqual(await status(network.url, chain, txID));
    // the release's C-chain tells of accepted ones alone
    expect((await status(follower.url, chain, txID)).text).toContain(chain === "C" ? "fetching tx: reading tx: not found" : '"Processing"');
  }
  await network.mine();
  for (const [chain, txId] of ids) {
    const type = chain === "C" ? "ExportTx" : "BaseTx";
    await wallet.expectAccepted({ chain, txId, type });
    await devnetWallet.expectAccepted({ chain, txId, type });
    expect((await status(follower.url, chain, txId)).text).toBe((await status(network.url, chain, txId)).text);
  }
});

test.each(["P", "X"] as const)(
  "what the node refuses on %s, and what the follower itself does, has the node's answer to the byte",
  async (chain) => {
    const taken = await payment(chain, 2n * AVAX);
    const conflicting = await payment(chain, 3n * AVAX);
    const wrongly = await payment(chain, 4n * AVAX);
    expect((await issue(follower.url, chain, await signed(chain, taken, ewoq))).text).toContain("txID");
    const refused = await issue(follower.url, chain, await signed(chain, conflicting, ewoq));
    expect(refused.text).toContain("conflicts with other tx");
    expect(refused).toEqual(await issue(network.url, chain, await signed(chain, conflicting, ewoq)));
    const txID = wallet.signedId(chain, conflicting);
    expect(await status(follower.url, chain, txID)).toEqual(await status(network.url, chain, txID));
    const unsigned = await issue(follower.url, chain, await signed(chain, wrongly, bob));
    expect(JSON.parse(unsigned.text).error.code).toBe(-32000);
    expect(unsigned).toEqual(await issue(network.url, chain, await signed(chain, wrongly, bob)));
    await network.mine();
    await wallet.expectAccepted({ chain, txId: wallet.signedId(chain, taken), type: "BaseTx" });
  },
);

test("each of two workers knows what the other one was given, and tells the node's peers", async () => {
  const args = ["follow", "--network", "local", "--upstream", network.url, "--workers", "2", "--http-port", "0", "--log-level", "error"];
  const firn = new FirnProcess([...args, "--data-dir", scratchDirectory()]);
  const [url] = await firn.printed(/http:[^ ]+/);
  const made = await payment("X", 5n * AVAX);
  const height = await ask(network.url, "/ext/bc/X", "avm.getHeight");
  await expect.poll(async () => (await ask(url!, "/ext/bc/X", "avm.getHeight")).text).toBe(height.text);
  const tx = await signed("X", made, ewoq);
  const txID = wallet.signedId("X", made);
  // the second time it is waiting already, which is no error
  for (let i = 0; i < 2; i++) expect(JSON.parse((await issue(url!, "X", tx)).text).result).toEqual({ txID });
  for (let i = 0; i < 20; i++) expect((await status(url!, "X", txID)).text).toContain('"Processing"');
  const peers = await ask(url!, "/ext/info", "info.peers");
  expect(peers).toEqual({ ...(await ask(network.url, "/ext/info", "info.peers")), passedFrom: network.url });
  await firn.end();
  await network.mine();
});

test("a follower passes on its node's peers and uptime, says from whom, and names what feeds it in its health", async () => {
  for (const method of ["info.acps", "info.peers", "info.uptime"]) {
    const { text, passedFrom } = await ask(follower.url, "/ext/info", method);
    expect(text).toBe((await ask(network.url, "/ext/info", method)).text);
    expect(passedFrom).toBe(network.url);
  }
  expect((await ask(follower.url, "/ext/info", "info.getNodeID")).passedFrom).toBeNull();
  const health: Anything = await (await fetch(`${follower.url}/ext/health`)).json();
  expect(health.checks.network.message.source).toBe("nodes");
});

const VALIDATORS = ["/ext/bc/P", "platform.getCurrentValidators"] as const;

test("a follower shows the uptimes that its node tells, says from whom, and goes on without it", async () => {
  const expected = { ...(await ask(network.url, ...VALIDATORS)), passedFrom: network.url };
  expect(expected.text).toContain('"uptime":"100.0000"');
  await expect.poll(() => ask(follower.url, ...VALIDATORS)).toEqual(expected);
  const alone = await startDevnet({ blockTimeMs: HOUR_MS });
  const left = await following(scratchDirectory(), { network: "local", upstream: alone.url });
  await alone.stop();
  try {
    const { text, passedFrom } = await ask(left.url, ...VALIDATORS);
    expect(passedFrom).toBeNull();
    expect(text).toContain('"uptime":"0.0000"');
  } finally {
    await left.stop();
  }
});

test("a public follower does not name its nodes", async () => {
  const open = await following(scratchDirectory(), { network: "local", upstream: network.url, public: "true" });
  try {
    expect((await ask(open.url, "/ext/info", "info.peers")).passedFrom).toBe("upstream");
  } finally {
    await open.stop();
  }
});

test("without a node that answers, a valid transaction is refused in one sentence", async () => {
  const tx = await signed("P", await payment("P", 6n * AVAX), ewoq);
  await network.stop();
  const { error } = JSON.parse((await issue(follower.url, "P", tx)).text);
  expect(error.message).toBe("couldn't issue tx: it is valid, but no node that this server follows took it; issue it again later");
});
