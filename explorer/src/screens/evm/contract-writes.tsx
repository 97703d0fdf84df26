/** Sends transactions to a contract: signed by the browser's wallet or, on a devnet, by one of its accounts. */
import { useState } from "preact/hooks";
import { rpc } from "../../api/client.ts";
import { Id } from "../../components/id.tsx";
import { useDevnetKeys } from "../../components/labels.ts";
import { to } from "../../router.ts";
import { hasWallet, walletRequest } from "../home/wallet.ts";
import { type AbiItem, signatureOf } from "./abi/abi-item.ts";
import type { KnownAbi } from "./abi/abi-store.ts";
import { encodeCall, WrongArgument } from "./abi/encode.ts";
import { CallForm } from "./call-form.tsx";
import type { Coin } from "./evm-chain.tsx";

interface ContractWritesProps {
  readonly chain: Coin;
  /** of the devnet's EVM, below `ext/`; undefined: not a devnet */
  readonly path: string | undefined;
  readonly address: string;
  readonly known: KnownAbi;
}

interface Sending {
  readonly to: string;
  readonly data: string;
  /** 0x and hex, in the coin's smallest unit */
  readonly value: string;
}

interface Signer {
  readonly name: string;
  /** Resolves to the transaction's hash. */
  send(transaction: Sending): Promise<string>;
}

const MOST_SHOWN = 200;
const WRITES = new Set(["nonpayable", "payable"]);

function useSigners(chainId: string, path: string | undefined): readonly Signer[] {
  const { data } = useDevnetKeys(path !== undefined);
  const accounts = (data?.keys ?? []).map(({ name, addresses: { evm } }) => ({
    name,
    send: (transaction: Sending) => rpc<string>(path!, "eth_sendTransaction", [{ from: evm, ...transaction }]),
  }));
  return [...(path === undefined ? [] : accounts), ...(hasWallet() ? [{ name: "the browser's wallet", send: sendByWallet(chainId) }] : [])];
}

/** The wallet must be on the contract's chain: it asks its user to change. */
function sendByWallet(chainId: string): Signer["send"] {
  return async (transaction) => {
    const [from] = (await walletRequest("eth_requestAccounts", [])) as string[];
    await walletRequest("wallet_switchEthereumChain", [{ chainId: `0x${BigInt(chainId).toString(16)}` }]);
    return (await walletRequest("eth_sendTransaction", [{ from, ...transaction }])) as string;
  };
}

export function ContractWrites({ chain, path, address, known: { abi } }: ContractWritesProps) {
  const signers = useSigners(chain.chainId, path);
  const [chosen, setChosen] = useState(0);
  const signer = signers[chosen] ?? signers[0];
  const writers = abi.filter(({ type, stateMutability }) => type === "function" && WRITES.has(stateMutability!)).slice(0, MOST_SHOWN);
  if (writers.length === 0 || signer === undefined) return null;
  return (
    <section class="card">
      <h2>Write to the contract</h2>
      <p>
        <label>
          Signed by
          <select value={chosen} onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}>
            {signers.map(({ name }, i) => (
              <option key={name} value={i}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </p>
      {writers.map((item) => (
        <Write key={signatureOf(item)} item={item} chain={chain} address={address} signer={signer} />
      ))}
    </section>
  );
}

interface WriteProps {
  readonly item: AbiItem;
  readonly chain: Coin;
  readonly address: string;
  readonly signer: Signer;
}

function Write({ item, chain: { chainId, symbol, decimals }, address, signer }: WriteProps) {
  const [coins, setCoins] = useState("");
  const isPayable = item.stateMutability === "payable";
  const send = async (texts: readonly string[]) => {
    const value = isPayable ? readCoins(coins, decimals) : 0n;
    const hash = await signer.send({ to: address, data: encodeCall(item, texts), value: `0x${value.toString(16)}` });
    return (
      <p>
        Sent: <Id value={hash} href={to.evmTransaction(chainId, hash)} hasCopy />
      </p>
    );
  };
  return (
    <div class="function">
      <code>{signatureOf(item)}</code>
      <CallForm item={item} button="Send" run={send}>
        {isPayable && (
          <label>
            <span>
              Value <span class="quiet">{symbol.slice(0, 24)}</span>
            </span>
            <input value={coins} inputMode="decimal" placeholder="0" onInput={({ currentTarget }) => setCoins(currentTarget.value)} />
          </label>
        )}
      </CallForm>
    </div>
  );
}

/** A typed amount of coins in the smallest unit. Throws a `WrongArgument`. */
function readCoins(text: string, decimals: number): bigint {
  const [, whole, fraction = ""] = /^\s*(\d{1,60})(?:\.(\d*))?\s*$/.exec(text === "" ? "0" : text) ?? [];
  if (whole === undefined || fraction.length > decimals) {
    throw new WrongArgument(`The value must be a number with at most ${decimals} decimal places, got ${text.slice(0, 80)}.`);
  }
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
