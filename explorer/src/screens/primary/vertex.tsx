/** A vertex of the DAG that the X-chain was before Cortina. One request, and one when its bytes are opened. */
import { answerOf, data, rpc } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { networkInPaths } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import type { ScreenOf } from "../../components/screen.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { Raw, textIn } from "./raw.tsx";

type Vertex = components["schemas"]["XChainVertex"];

async function readVertex(vertexHash: string): Promise<Vertex> {
  const path = { network: await networkInPaths(), blockchainId: "x-chain" as const, vertexHash };
  return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/vertices/{vertexHash}", { params: { path } }));
}

export const VertexScreen: ScreenOf = ({ params }) => {
  const id = params.id!;
  const vertex = useAnswer(["X", "vertex", id], () => readVertex(id));
  return (
    <>
      <Title text="Vertex of the X-chain" />
      <p>Before Cortina the X-chain had no blocks: its vertices had several parents each, and were accepted in no one order.</p>
      <Answer of={vertex}>{(answer) => <Shown of={answer} />}</Answer>
    </>
  );
};

function Shown({ of }: { readonly of: Vertex }) {
  const { vertexHash: id } = of;
  const ask = () =>
    rpc<Record<string, unknown>>("index/X/vtx", "index.getContainerByID", { id, encoding: "hex" }).then((it) => textIn(it, "bytes"));
  return (
    <>
      <section class="card">
        <Facts>
          <Fact name="Vertex">
            <Id value={id} isWhole />
          </Fact>
          <Fact name="Height">
            {count(of.vertexHeight)} <span class="quiet">(number {of.vertexIndex} of those at this height, from 0)</span>
          </Fact>
          <Fact name="Time">
            <Time seconds={of.vertexTimestamp} />
          </Fact>
          <Fact name="Parents">
            {of.parentHashes.length === 0
              ? "none"
              : of.parentHashes.map((parent) => (
                  <div key={parent}>
                    <Id value={parent} href={to.vertex(parent)} hasCopy />
                  </div>
                ))}
          </Fact>
          <Fact name="Size">{count(of.vertexSizeBytes)} bytes</Fact>
        </Facts>
      </section>
      <section class="card">
        <h2>Transactions ({of.transactions.length})</h2>
        {of.transactions.length === 0 && <Empty>The vertex has none: it ended the DAG.</Empty>}
        <ol class="plain-list">
          {of.transactions.map((tx) => (
            <li key={tx}>
              <Id value={tx} href={to.transaction("X", tx)} isWhole />
            </li>
          ))}
        </ol>
      </section>
      <section class="card">
        <h2>As the node has it</h2>
        <Raw name="Bytes (index.getContainerByID)" queryKey={["X", "vertex", id, "bytes"]} ask={ask} />
      </section>
    </>
  );
}
