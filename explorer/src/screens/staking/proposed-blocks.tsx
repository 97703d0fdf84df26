/** Blocks that a node signed as their proposer, of one chain at a time. */
import { useState } from "preact/hooks";
import { count } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import { List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { type ProposedChain, useProposedBlocks } from "./requests.ts";

const CHAINS = { "p-chain": "P", "x-chain": "X", "c-chain": "C" } as const satisfies Record<ProposedChain, PrimaryAlias>;
const NAMES = Object.keys(CHAINS) as ProposedChain[];

export function ProposedBlocks({ nodeId }: { readonly nodeId: string }) {
  const [chain, setChain] = useState<ProposedChain>("p-chain");
  const alias = CHAINS[chain];
  return (
    <>
      <p class="filters">
        <label>
          Chain
          <select value={chain} onChange={({ currentTarget }) => setChain(currentTarget.value as ProposedChain)}>
            {NAMES.map((name) => (
              <option key={name} value={name}>
                {CHAINS[name]}
              </option>
            ))}
          </select>
        </label>
      </p>
      <List
        label={`Blocks of ${alias} that this node proposed`}
        of={useProposedBlocks(nodeId, chain)}
        keyOf={({ blockHash }) => blockHash}
        empty={`This node signed no block of ${alias} as its proposer. Blocks of a devnet have no proposer.`}
        columns={[
          { name: "Height", isNumber: true, cell: ({ blockNumber }) => count(blockNumber) },
          { name: "Block", cell: ({ blockHash, blockNumber }) => <Id value={blockHash} href={to.block(alias, blockNumber)} /> },
          { name: "Type", cell: ({ blockType }) => blockType },
          { name: "Transactions", isNumber: true, cell: ({ txCount }) => count(txCount) },
          { name: "Time", cell: ({ blockTimestamp }) => <Time seconds={blockTimestamp} /> },
        ]}
      />
    </>
  );
}
