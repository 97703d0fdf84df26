import { judge } from "./judge.ts";

judge("eras-1", [
  { label: "while stakers wait for their start", heights: { P: 33, X: 11, C: 0 } },
  { label: "when Durango ends", heights: { P: 167, X: 109, C: 10 }, clockAhead: 0n },
  { label: "among auto-renewed validators", heights: { P: 385, X: 171, C: 36 }, clockAhead: 5n },
  { label: "at its end", heights: {} },
]);
