/**
 * A block of P or X, or what Firn keeps of a block of C. It costs one request; a proposal, and a block that decides one, cost one more for the
 * other of the two. Bytes are asked for when somebody opens them.
 */
import { rpc, rpcText } from "../../api/client.ts";
import { indented } from "../../api/exact-json.ts";
import { Avax, count } from "../../components/amount.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import type { ScreenOf } from "../../components/screen.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { useChains } from "./chains.ts";
import { Raw, textIn } from "./raw.tsx";
import { type Block, useBlock } from "./read-blocks.ts";

export const PlatformBlockScreen: ScreenOf = ({ params }) => <BlockScreen chain="P" id={params.id!} />;
export const AssetBlockScreen: ScreenOf = ({ params }) => <BlockScreen chain="X" id={params.id!} />;
export const AtomicBlockScreen: ScreenOf = ({ params }) => <BlockScreen chain="C" id={params.id!} />;

function BlockScreen({ chain, id }: { readonly chain: PrimaryAlias; readonly id: string }) {
  const block = useBlock(chain, id);
  return (
    <>
      <Title text={block.data === undefined ? `Block of the ${chain}-chain` : `Block ${block.data.blockNumber} of the ${chain}-chain`} />
      <Answer of={block}>{(answer) => <Shown chain={chain} block={answer} />}</Answer>
    </>
  );
}

interface BlockProps {
  readonly chain: PrimaryAlias;
  readonly block: Block;
}

function Shown({ chain, block }: BlockProps) {
  const { blockNumber: height, proposerDetails: proposer } = block;
  const evmChainId = useChains()?.evmChainId;
  return (
    <>
      <Neighbours chain={chain} height={BigInt(height)} />
      <section class="card">
        <Facts>
          <Fact name="Height">{count(height)}</Fact>
          <Fact name="Block">
            <Id value={block.blockHash} isWhole />
          </Fact>
          <Fact name="Parent">
            <Id value={block.parentHash} href={BigInt(height) > 0n ? to.block(chain, block.parentHash) : undefined} hasCopy />
          </Fact>
          <Fact name="Time">
            <Time seconds={block.blockTimestamp} />
          </Fact>
          {chain !== "C" && (
            <Fact name="Type">
              <code>{block.blockType}</code>
              {chain === "P" && <Proposal block={block} />}
            </Fact>
          )}
          <Fact name="Size">{count(block.blockSizeBytes)} bytes</Fact>
          {block.currentSupply !== undefined && (
            <Fact name="Supply of AVAX after it">
              <Avax value={block.currentSupply} />
            </Fact>
          )}
          {block.activeL1Validators !== undefined && <Fact name="Active L1 validators">{count(block.activeL1Validators)}</Fact>}
          {block.l1ValidatorsAccruedFees !== undefined && (
            <Fact name="Fees of an L1 validator since Etna">
              <Avax value={`${block.l1ValidatorsAccruedFees}`} />
            </Fact>
          )}
          {proposer === undefined ? <Fact name="Proposer">not known: the block came without a wrapper</Fact> : <Wrapper of={proposer} />}
          {chain === "C" && evmChainId !== undefined && (
            <Fact name="EVM">
              <a href={to.evmBlock(evmChainId, height)}>The same block with its EVM transactions</a>
            </Fact>
          )}
        </Facts>
      </section>
      <Transactions chain={chain} block={block} />
      <Raws chain={chain} block={block} />
    </>
  );
}

function Neighbours({ chain, height }: { readonly chain: PrimaryAlias; readonly height: bigint }) {
  const newest = useChains()?.heightOf(chain);
  return (
    <nav class="filters" aria-label="Neighbouring blocks">
      {height > 0n && <a href={to.block(chain, `${height - 1n}`)}>← Block {`${height - 1n}`}</a>}
      {newest !== undefined && newest > height && <a href={to.block(chain, `${height + 1n}`)}>Block {`${height + 1n}`} →</a>}
      <a href={to.blocks(chain)}>All blocks</a>
    </nav>
  );
}

/** The two halves of a decision: a block that proposes, and the next one, which commits or aborts. */
function Proposal({ block: { blockNumber, blockType } }: { readonly block: Block }) {
  const height = BigInt(blockNumber);
  const isProposal = blockType.includes("Proposal");
  const isOption = height > 0n && /Commit|Abort/.test(blockType);
  const other = `${isProposal ? height + 1n : height - 1n}`;
  const { data } = useBlock("P", other, { isWanted: isProposal || isOption });
  if (data === undefined) return null;
  const link = <a href={to.block("P", other)}>block {other}</a>;
  if (isProposal) {
    return (
      <div>
        It proposes; {link} {data.blockType.includes("Commit") ? "committed" : "aborted"} it.
      </div>
    );
  }
  return (
    <div>
      It {blockType.includes("Commit") ? "commits" : "aborts"} what {link} proposed
      {data.transactions.map((id) => (
        <span key={id}>
          {" "}
          <Id value={id} href={to.transaction("P", id)} />
        </span>
      ))}
      .
    </div>
  );
}

function Wrapper({ of }: { readonly of: NonNullable<Block["proposerDetails"]> }) {
  return (
    <>
      <Fact name="Proposer">
        {of.proposerNodeId === undefined ? (
          "any node may have proposed it"
        ) : (
          <Id value={of.proposerNodeId} href={to.validator(of.proposerNodeId)} hasCopy />
        )}
      </Fact>
      {of.proposerPChainHeight !== undefined && (
        <Fact name="P-chain height of the proposer">
          <a href={to.block("P", `${of.proposerPChainHeight}`)}>{`${of.proposerPChainHeight}`}</a>
        </Fact>
      )}
      {of.proposerTimestamp !== undefined && (
        <Fact name="Proposed">
          <Time seconds={of.proposerTimestamp} />
        </Fact>
      )}
      {of.proposerId !== undefined && (
        <Fact name="Wrapper">
          <Id value={of.proposerId} hasCopy />
        </Fact>
      )}
      {of.proposerParentId !== undefined && (
        <Fact name="Parent's wrapper">
          <Id value={of.proposerParentId} hasCopy />
        </Fact>
      )}
    </>
  );
}

function Transactions({ chain, block: { transactions } }: BlockProps) {
  return (
    <section class="card">
      <h2>
        {chain === "C" ? "Imports and exports" : "Transactions"} ({transactions.length})
      </h2>
      {transactions.length === 0 && <Empty>The block has none.</Empty>}
      <ol class="plain-list">
        {transactions.map((id) => (
          <li key={id}>
            <Id value={id} href={to.transaction(chain, id)} isWhole />
          </li>
        ))}
      </ol>
    </section>
  );
}

const GET_BLOCK = { P: "platform.getBlock", X: "avm.getBlock" } as const;

function Raws({ chain, block: { blockHash, proposerDetails } }: BlockProps) {
  const wrapperId = proposerDetails?.proposerId;
  const method = chain === "C" ? undefined : GET_BLOCK[chain];
  if (method === undefined && wrapperId === undefined) return null;
  const key = [chain, "block", blockHash];
  const params = { blockID: blockHash };
  const bytes = () =>
    rpc<Record<string, unknown>>(`bc/${chain}`, method!, { ...params, encoding: "hex" }).then((it) => textIn(it, "block"));
  const json = async () => indented(await rpcText(`bc/${chain}`, method!, { ...params, encoding: "json" }));
  const wrapped = () =>
    rpc<Record<string, unknown>>(`index/${chain}/block`, "index.getContainerByID", { id: wrapperId, encoding: "hex" }).then((it) =>
      textIn(it, "bytes"),
    );
  return (
    <section class="card">
      <h2>As the node has it</h2>
      {method !== undefined && (
        <>
          <Raw name={`Bytes (${method})`} queryKey={[...key, "bytes"]} ask={bytes} />
          <Raw name={`JSON (${method})`} queryKey={[...key, "json"]} ask={json} />
        </>
      )}
      {wrapperId !== undefined && (
        <Raw name="Bytes in their wrapper (index.getContainerByID)" queryKey={[...key, "wrapped"]} ask={wrapped} />
      )}
    </section>
  );
}
