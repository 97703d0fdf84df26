/**
 * `npm run roads [-- --root FOLDER] [--files]`: through how many files of `src/` five things go that Firn does all day, the same way each time:
 * `platform.getBalance`, a page of the Data API, `platform.issueTx` on a devnet, a followed block of the P-chain, and a followed block of the
 * C-chain with its call traces. A file counts if one of its functions ran in the process's main thread meanwhile. `--root` looks at another
 * checkout, `--files` lists them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as avalanchejs from "@avalabs/avalanchejs";

/** Its types do not resolve under this module resolution. */
// biome-ignore lint/suspicious/noExplicitAny: a library without types
const { addTxSignatures, Context, pvm, secp256k1, TransferableOutput, utils } = avalanchejs as any;

const ownRoot = fileURLToPath(new URL("../../", import.meta.url));
const { values } = parseArgs({ options: { root: { type: "string", default: ownRoot }, files: { type: "boolean", default: false } } });
const folder = mkdtempSync(join(tmpdir(), "firn-roads-"));
/** Long enough for a node to be asked again for what it has since. */
const FOLLOWED_MS = 4000;

/** Makes ready what is then done. */
type Prepared = () => Promise<() => Promise<unknown>>;

class Firn {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #report: string;

  private constructor(child: ChildProcess, url: string, report: string) {
    this.#child = child;
    this.url = url;
    this.#report = report;
  }

  static async start(name: string, args: readonly string[]): Promise<Firn> {
    const report = join(folder, `${name}.json`);
    const hook = join(ownRoot, "scripts/roads/hook.js");
    const options = ["--http-port", "0", "--data-dir", join(folder, name), "--log-level", "error"];
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "--import", hook, join(values.root, "src/cli/main.ts"), ...args, ...options],
      {
        cwd: values.root,
        env: { ...process.env, FIRN_ROADS_FILE: report },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let output = "";
    for await (const part of child.stdout!) {
      output += part;
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (url !== undefined)
        return new Firn(
          child.on("error", () => {}),
          url,
          report,
        );
    }
    throw new Error(`${name} did not start: ${output}`);
  }

  /** The files through which one act after another goes, whatever else the process does meanwhile. */
  async road(acts: readonly Prepared[]): Promise<readonly string[]> {
    let road: readonly string[] | undefined;
    for (const prepare of acts) {
      const act = await prepare();
      await this.#files();
      await act();
      const files = await this.#files();
      road = road?.filter((file) => files.includes(file)) ?? files;
    }
    return road ?? [];
  }

  async #files(): Promise<readonly string[]> {
    rmSync(this.#report, { force: true });
    this.#child.kill("SIGUSR2");
    while (!existsSync(this.#report)) await wait(20);
    return JSON.parse(readFileSync(this.#report, "utf8")) as string[];
  }

  async call(path: string, method: string, params: unknown): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(this.url + path, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  stop(): void {
    this.#child.kill();
  }
}

/** ewoq's, whom every local network funds. */
const key = utils.hexToBuffer("0x56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027");
const EVM_ADDRESS = "0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC";
const owner = secp256k1.publicKeyBytesToAddress(secp256k1.getPublicKey(key));
const address = `P-${utils.formatBech32("local", owner)}`;

/** A transaction of the P-chain that pays its own sender. */
async function payment(url: string): Promise<string> {
  const api = new pvm.PVMApi(url);
  const [context, { utxos }, feeState] = await Promise.all([
    Context.getContextFromURI(url),
    api.getUTXOs({ addresses: [address] }),
    api.getFeeState(),
  ]);
  const outputs = [TransferableOutput.fromNative(context.avaxAssetID, 1_000_000n, [owner])];
  const unsignedTx = pvm.newBaseTx({ feeState, fromAddressesBytes: [owner], outputs, utxos }, context);
  await addTxSignatures({ unsignedTx, privateKeys: [key] });
  return utils.bufferToHex(utils.addChecksum(unsignedTx.getSignedTx().toBytes()));
}

const devnet = await Firn.start("devnet", ["devnet"]);
const issue = async () => {
  const tx = await payment(devnet.url);
  return () => devnet.call("/ext/bc/P", "platform.issueTx", { tx, encoding: "hex" });
};
const pay = () =>
  devnet.call("/ext/bc/C/rpc", "eth_sendTransaction", [
    { from: EVM_ADDRESS, to: EVM_ADDRESS, value: "0x1", gas: "0x5208", gasPrice: "0x174876e800" },
  ]);
await (await issue())();
await pay();
const primary = await Firn.start("primary", ["follow", "--network", "local", "--upstream", devnet.url, "--read-threads", "0"]);
const evm = await Firn.start("evm", ["follow", "--rpc", `${devnet.url}/ext/bc/C/rpc`, "--read-threads", "0"]);

const balance = (flipped: number): Prepared => {
  const of = utils.formatBech32(
    "local",
    owner.map((byte: number) => byte ^ flipped),
  );
  return async () => () => devnet.call("/ext/bc/P", "platform.getBalance", { addresses: [`P-${of}`] });
};
const page =
  (size: number): Prepared =>
  async () =>
  async () => {
    const response = await fetch(`${devnet.url}/v1/networks/local/blockchains/p-chain/transactions?pageSize=${size}`);
    if (!response.ok) throw new Error(await response.text());
    await response.json();
  };
const followed =
  (prepare: Prepared): Prepared =>
  async () => {
    const act = await prepare();
    return async () => {
      await act();
      await wait(FOLLOWED_MS);
    };
  };
const thrice = (act: Prepared) => [act, act, act];
const roads: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  "platform.getBalance": () => devnet.road([1, 2, 3, 0].map(balance)),
  "a page of the Data API": () => devnet.road([5, 6, 7, 10].map(page)),
  "platform.issueTx on a devnet": () => devnet.road(thrice(issue)),
  "a followed block": () => primary.road(thrice(followed(issue))),
  "an EVM block with traces": () => evm.road(thrice(followed(async () => pay))),
};
try {
  for (const [name, take] of Object.entries(roads)) {
    const files = await take();
    const rooms = new Set(files.map((file) => file.split("/")[1]));
    console.log(`${name}: ${files.length} files, ${rooms.size} rooms`);
    if (values.files) for (const file of files) console.log(`  ${file}`);
  }
} finally {
  for (const firn of [devnet, primary, evm]) firn.stop();
  await wait(1000);
  rmSync(folder, { recursive: true, force: true });
}
