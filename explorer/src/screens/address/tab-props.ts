import type { Overview } from "../../api/overview.ts";

/** An address, as each of its tabs receives it. */
export interface TabProps {
  /** in the form that the API reads */
  readonly address: string;
  readonly overview: Overview;
  /** the EVM chain that is looked at first, if the path names one */
  readonly chainId: string | undefined;
}
