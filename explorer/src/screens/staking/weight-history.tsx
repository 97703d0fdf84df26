/**
 * The weight of a node in the primary network's validator set, at up to 12 heights of the P-chain from its first validation to now. It asks for
 * the first validation, its transaction, the height, and a set at each height, which may be some hundred kilobytes.
 */
import { answerOf, data, rpc } from "../../api/client.ts";
import { networkInPaths } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { Avax, count } from "../../components/amount.tsx";
import { Chart } from "../../components/chart.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { to } from "../../router.ts";
import { PRIMARY_NETWORK_ID } from "./requests.ts";
import { spread } from "./stake.ts";

const MOST_HEIGHTS = 12;

interface Point {
  readonly height: number;
  /** nAVAX */
  readonly weight: bigint;
}

export function WeightHistory({ nodeId }: { readonly nodeId: string }) {
  // it is not asked for again while it is on the screen: the newest point is of the moment it was opened
  const history = useAnswer(["weight history", nodeId], () => readHistory(nodeId));
  return (
    <Answer of={history}>
      {(points) =>
        points.length === 0 ? (
          <Empty>This node never staked as a validator.</Empty>
        ) : (
          <Chart
            title={`Weight on the primary network, own stake and delegations, at ${count(points.length)} heights of the P-chain, in AVAX`}
            x={points.map(({ height }) => height)}
            y={points.map(({ weight }) => Number(weight) / 1e9)}
            unit="AVAX"
          >
            <Table
              label="Weight by height"
              items={points}
              keyOf={({ height }) => `${height}`}
              columns={[
                { name: "Height", isNumber: true, cell: ({ height }) => <a href={to.block("P", height)}>{count(height)}</a> },
                { name: "Weight", isNumber: true, cell: ({ weight }) => <Avax value={weight} /> },
              ]}
            />
          </Chart>
        )
      }
    </Answer>
  );
}

async function readHistory(nodeId: string): Promise<readonly Point[]> {
  const network = await networkInPaths();
  const oldest = { path: { network, nodeId }, query: { pageSize: 1, sortOrder: "asc" as const } };
  const { validators } = await answerOf(data.GET("/v1/networks/{network}/validators/{nodeId}", { params: oldest }));
  if (validators[0] === undefined) return [];
  const path = { network, blockchainId: "p-chain" as const, txHash: validators[0].txHash };
  const [tx, { height }] = await Promise.all([
    answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/transactions/{txHash}", { params: { path } })),
    rpc<{ height: string }>("bc/P", "platform.getHeight"),
  ]);
  const points: Point[] = [];
  // one after the other: each is a large answer
  for (const at of spread(heightOf(tx), Number(height), MOST_HEIGHTS)) points.push({ height: at, weight: await weightAt(nodeId, at) });
  return points;
}

/** A validator of the genesis is in no block. */
function heightOf(tx: object): number {
  return "blockNumber" in tx ? Math.max(0, Number(tx.blockNumber) || 0) : 0;
}

async function weightAt(nodeId: string, height: number): Promise<bigint> {
  const set = await rpc<Readonly<Record<string, { weight: string }>>>("bc/P", "platform.getValidatorsAt", {
    height,
    subnetID: PRIMARY_NETWORK_ID,
  });
  return BigInt(set[nodeId]?.weight ?? 0);
}
