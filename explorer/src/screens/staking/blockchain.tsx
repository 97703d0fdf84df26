/** One blockchain, with the beginning of its genesis. One request. */

import { useState } from "preact/hooks";
import { answerOf, data } from "../../api/client.ts";
import { networkInPaths, useOverview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Copy, Id } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { Scrolled } from "../../components/scrolled.tsx";
import { Answer } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";

export function BlockchainScreen({ params: { id = "" } }: { readonly params: Params }) {
  const { data: overview } = useOverview();
  const blockchain = useAnswer(["getBlockchainById", id], async () => {
    const params = { path: { network: await networkInPaths(), blockchainId: id } };
    return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}", { params }));
  });
  return (
    <>
      <Title text={`Blockchain ${id}`}>
        Blockchain <Id value={id} isWhole />
      </Title>
      <Answer of={blockchain}>
        {(chain) => {
          const evm = overview?.evmChains.find(({ blockchainId }) => blockchainId === chain.blockchainId);
          const own = overview?.chains.find(({ blockchainId }) => blockchainId === chain.blockchainId);
          return (
            <>
              <section class="card">
                <Facts>
                  <Fact name="Name">{chain.blockchainName !== "" && <ChainText text={chain.blockchainName} />}</Fact>
                  <Fact name="VM">
                    <ChainText text={chain.vmId} />
                  </Fact>
                  <Fact name="Subnet">
                    <Id value={chain.subnetId} href={to.subnet(chain.subnetId)} hasCopy />
                  </Fact>
                  <Fact name="EVM chain ID">{chain.evmChainId !== 0 && `${chain.evmChainId}`}</Fact>
                  <Fact name="Its blocks">
                    {evm !== undefined ? (
                      <a href={to.evm(evm.evmChainId)}>
                        <ChainText text={evm.name} longest={60} />
                      </a>
                    ) : own !== undefined ? (
                      <a href={to.blocks(own.alias)}>{own.alias}-chain</a>
                    ) : (
                      "not indexed by this server"
                    )}
                  </Fact>
                  <Fact name="Created">
                    <Time seconds={chain.createBlockTimestamp} />
                    {chain.createBlockNumber === "-1" ? (
                      " by the genesis"
                    ) : (
                      <>
                        {" "}
                        at height <a href={to.block("P", chain.createBlockNumber)}>{chain.createBlockNumber}</a>, by{" "}
                        <Id value={chain.blockchainId} href={to.transaction("P", chain.blockchainId)} />
                      </>
                    )}
                  </Fact>
                </Facts>
              </section>
              {chain.genesisData !== undefined && <Genesis of={chain.genesisData} />}
            </>
          );
        }}
      </Answer>
    </>
  );
}

/** More would slow the page down; all of it can be copied. */
const LONGEST_SHOWN = 20_000;

function Genesis({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Genesis</summary>
        {isOpen && <GenesisText text={genesisText(of)} />}
      </details>
    </section>
  );
}

/** Bytes that are no JSON are shown as hex. */
function genesisText(genesis: Readonly<Record<string, unknown>>): string {
  const { encoding, data: bytes } = genesis;
  return encoding === "hex" && typeof bytes === "string" ? bytes : JSON.stringify(genesis, undefined, 2);
}

function GenesisText({ text }: { readonly text: string }) {
  return (
    <>
      <p>
        {text.length > LONGEST_SHOWN &&
          `The first ${LONGEST_SHOWN.toLocaleString("en")} of ${text.length.toLocaleString("en")} characters. `}
        <Copy text={text} name="the genesis" />
      </p>
      <Scrolled text={text.slice(0, LONGEST_SHOWN)} />
    </>
  );
}
