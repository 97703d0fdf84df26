/** Copies of the whole network, to which it can go back. */
import { useAnswer } from "../../api/queries.ts";
import { Answer } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { Time, utc } from "../../components/time.tsx";
import { Action, firn } from "./action.tsx";
import { type Heights, heightsText } from "./heights.ts";

interface Snapshot extends Heights {
  readonly snapshotID: string;
  readonly unixTime: number;
}

export function Snapshots() {
  const list = useAnswer(["firn.listSnapshots"], () => firn<{ snapshots: readonly Snapshot[] }>("listSnapshots"));
  return (
    <section class="card">
      <h2>Snapshots</h2>
      <Action name="Take a snapshot" run={async () => `This is snapshot ${(await firn<{ snapshotID: string }>("snapshot")).snapshotID}.`} />
      <Answer of={list}>
        {({ snapshots }) =>
          snapshots.length === 0 ? (
            <p class="quiet">There is none yet. A snapshot has everything: chains, clock, index.</p>
          ) : (
            <Table
              label="Snapshots"
              items={snapshots}
              keyOf={({ snapshotID }) => snapshotID}
              columns={[
                { name: "Snapshot", cell: ({ snapshotID }) => snapshotID },
                { name: "Clock", cell: ({ unixTime }) => <Time seconds={unixTime} /> },
                { name: "Heights", cell: (snapshot) => heightsText(snapshot) },
                { name: "Go back", cell: (snapshot) => <Revert to={snapshot} /> },
                { name: "Delete", cell: (snapshot) => <Delete snapshot={snapshot} /> },
              ]}
            />
          )
        }
      </Answer>
    </section>
  );
}

function Delete({ snapshot: { snapshotID } }: { readonly snapshot: Snapshot }) {
  const remove = async () => {
    await firn("deleteSnapshot", { snapshotID });
    return `Snapshot ${snapshotID} is deleted.`;
  };
  return <Action name="Delete" label={`Delete snapshot ${snapshotID}`} question="Nobody can go back to it any more." run={remove} />;
}

interface Reverted extends Heights {
  readonly unixTime: number;
}

function Revert({ to: { snapshotID } }: { readonly to: Snapshot }) {
  const revert = async () => {
    const state = await firn<Reverted>("revert", { snapshotID });
    return `Back at snapshot ${snapshotID}: the clock shows ${utc(state.unixTime)}; ${heightsText(state)}.`;
  };
  return (
    <Action name="Revert" label={`Revert to snapshot ${snapshotID}`} question="Everything that happened since is lost." run={revert} />
  );
}
