/** Uptimes of validators, which decide whether they are rewarded. */
import { useState } from "preact/hooks";
import { Id } from "../../components/id.tsx";
import { List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { useValidators } from "../staking/requests.ts";
import { SUBNET } from "../staking/validator-columns.tsx";
import { Action, Field, firn } from "./action.tsx";
import { readPercent } from "./input.ts";

export function Uptimes() {
  return (
    <section class="card">
      <h2>Uptimes</h2>
      <p>A validator whose uptime is too low when it ends is not rewarded.</p>
      <List
        label="Uptimes of active validators"
        of={useValidators({ validationStatus: "active" })}
        keyOf={({ txHash }) => txHash}
        empty="There is no active validator."
        columns={[
          { name: "Node", cell: ({ nodeId }) => <Id value={nodeId} href={to.validator(nodeId)} /> },
          SUBNET,
          { name: "Ends", cell: ({ endTimestamp }) => <Time seconds={endTimestamp} /> },
          {
            name: "Uptime",
            isNumber: true,
            cell: (validator) => ("uptimePerformance" in validator ? `${validator.uptimePerformance} %` : null),
          },
          { name: "Set it", cell: ({ nodeId, subnetId }) => <SetUptime nodeId={nodeId} subnetId={subnetId} /> },
        ]}
      />
    </section>
  );
}

function SetUptime({ nodeId, subnetId }: { readonly nodeId: string; readonly subnetId: string }) {
  const [percent, setPercent] = useState("");
  const set = async () => {
    const { uptime } = await firn<{ uptime: string }>("setUptime", { nodeID: nodeId, subnetID: subnetId, uptime: readPercent(percent) });
    return `It is ${Number(uptime)} %.`;
  };
  return (
    <Action name="Set" label={`Set the uptime of ${nodeId}`} run={set}>
      <Field name="%" value={percent} onValue={setPercent} placeholder="85" />
    </Action>
  );
}
