/** Heights of all chains in answers of the development API. */
import { count } from "../../components/amount.tsx";

export interface Heights {
  readonly heights: Readonly<Record<string, string>>;
}

/** `P 12, X 0, C 3` */
export function heightsText({ heights }: Heights): string {
  return Object.entries(heights)
    .map(([chain, height]) => `${chain.length > 12 ? `${chain.slice(0, 8)}…` : chain} ${count(height)}`)
    .join(", ");
}
