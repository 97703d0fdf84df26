/** L1s of the devnet: a subnet, a chain of Subnet-EVM on it, its conversion, and validators. */
import { useState } from "preact/hooks";
import { API_BASE } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { ChainText } from "../../components/chain-text.tsx";
import { Copy, Id } from "../../components/id.tsx";
import { Answer } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { to } from "../../router.ts";
import { Action, Field, firn } from "./action.tsx";
import { readGenesis, readWholeNumber } from "./input.ts";

interface L1 {
  readonly name: string;
  readonly blockchainID: string;
  readonly subnetID: string;
  readonly evmChainID?: number;
  readonly rpcPath?: string;
  readonly isUp: boolean;
  readonly problem?: string;
}

export function L1s() {
  const list = useAnswer(["firn.listL1s"], () => firn<{ l1s: readonly L1[] }>("listL1s"), { follows: "P" });
  return (
    <section class="card">
      <h2>L1s</h2>
      <Create />
      <Answer of={list}>
        {({ l1s }) =>
          l1s.length === 0 ? (
            <p class="quiet">There is none yet.</p>
          ) : (
            <Table
              label="L1s of this devnet"
              items={l1s}
              keyOf={({ blockchainID }) => blockchainID}
              columns={[
                { name: "Name", cell: ({ name }) => <ChainText text={name} longest={60} /> },
                {
                  name: "EVM chain ID",
                  cell: ({ evmChainID }) => (evmChainID === undefined ? null : <a href={to.evm(`${evmChainID}`)}>{evmChainID}</a>),
                },
                { name: "State", cell: ({ isUp, problem }) => <State isUp={isUp} problem={problem} /> },
                { name: "Subnet", cell: ({ subnetID }) => <Id value={subnetID} href={to.subnet(subnetID)} /> },
                { name: "Blockchain", cell: ({ blockchainID }) => <Id value={blockchainID} href={to.blockchain(blockchainID)} /> },
                {
                  name: "RPC",
                  cell: ({ name, rpcPath }) => (rpcPath === undefined ? null : <Copy text={urlOf(rpcPath)} name={`the RPC of ${name}`} />),
                },
              ]}
            />
          )
        }
      </Answer>
    </section>
  );
}

/** The server names paths from its root; this page may be below a prefix. */
function urlOf(path: string): string {
  return API_BASE + path.replace(/^\//, "");
}

function State({ isUp, problem }: { readonly isUp: boolean; readonly problem: string | undefined }) {
  return (
    <>
      <span class={isUp ? "badge good" : "badge bad"}>{isUp ? "runs" : "does not run"}</span>
      {problem !== undefined && (
        <>
          {" "}
          <ChainText text={problem} />
        </>
      )}
    </>
  );
}

const MOST_CHAIN_ID = 2n ** 53n - 1n;

function Create() {
  const [name, setName] = useState("");
  const [chainId, setChainId] = useState("");
  const [validators, setValidators] = useState("");
  const [genesis, setGenesis] = useState("");
  const create = async () => {
    const params = {
      ...(name.trim() !== "" && { name: name.trim() }),
      evmChainID: readWholeNumber("The chain ID", chainId, 1n, MOST_CHAIN_ID),
      validators: readWholeNumber("The number of validators", validators, 1n, 16n),
      genesis: readGenesis(genesis),
    };
    const made = await firn<L1>("createL1", params);
    return (
      <>
        The L1 <ChainText text={made.name} longest={60} /> runs, with chain ID <a href={to.evm(`${made.evmChainID}`)}>{made.evmChainID}</a>.
      </>
    );
  };
  return (
    <Action name="Create an L1" run={create}>
      <Field name="Name" value={name} onValue={setName} placeholder="dev1" />
      <Field name="Chain ID" value={chainId} onValue={setChainId} placeholder="99001" />
      <Field name="Validators" value={validators} onValue={setValidators} placeholder="1" />
      <details>
        <summary>Genesis of its own</summary>
        <label>
          JSON
          <textarea rows={8} spellcheck={false} value={genesis} onInput={({ currentTarget }) => setGenesis(currentTarget.value)} />
        </label>
      </details>
    </Action>
  );
}
