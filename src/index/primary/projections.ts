/** All projections of the primary network, in the order in which they run. A new one is its file and a line here. */
import type { Projection } from "./projection.ts";

export const projections: readonly Projection[] = [];
