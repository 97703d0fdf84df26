/** Which of a recording's requests `npm test` sends: some at each checkpoint, and at the last one of every method and kind of answer. */
import { shareOf } from "../share.ts";
import { type CheckpointOptions, checkpointsOf, scanOf, withWholeScans } from "./checkpoints.ts";
import type { Entry } from "./cut-pages.ts";
import { type RecordingName, recordingFolder } from "./recordings.ts";

const ONE_IN = 40;

export interface RequestShare {
  readonly pick: NonNullable<CheckpointOptions["pick"]>;
  /** recorded at the checkpoints so far, and those asked of them */
  readonly counts: { recorded: number; asked: number };
}

export function requestShare(name: RecordingName): RequestShare {
  const counts = { recorded: 0, asked: 0 };
  const last = checkpointsOf(recordingFolder(name)).at(-1)?.label;
  return {
    counts,
    pick(requests, { label }) {
      const indices = shareOf(`${name} ${label}`, [...requests.keys()], ONE_IN, (index) =>
        label === last ? kindOf(requests[index]!) : requests[index]!.path,
      );
      const asked = withWholeScans(requests, new Set(indices));
      counts.recorded += requests.length;
      counts.asked += asked.size;
      return asked;
    },
  };
}

function kindOf(entry: Entry): string {
  return [entry.path, entry.method, entry.response?.error === undefined, scanOf(entry) === undefined].join(" ");
}
