/** Which of a recording's requests `npm test` sends: at each checkpoint one of every method and kind of answer, and others by chance. */
import { shareOf } from "../share.ts";
import { type CheckpointOptions, scanOf, withWholeScans } from "./checkpoints.ts";
import type { Entry } from "./cut-pages.ts";

const ONE_IN = 40;

export interface RequestShare {
  readonly pick: NonNullable<CheckpointOptions["pick"]>;
  /** recorded at the checkpoints so far, and those asked of them */
  readonly counts: { recorded: number; asked: number };
}

/** @param about the recording */
export function requestShare(about: string): RequestShare {
  const counts = { recorded: 0, asked: 0 };
  return {
    counts,
    pick(requests, { label }) {
      const indices = shareOf(`${about} ${label}`, [...requests.keys()], ONE_IN, (index) => kindOf(requests[index]!));
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
