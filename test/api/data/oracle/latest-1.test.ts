import { judge } from "./judge.ts";

judge("latest-1", [
  { label: "among its first stakers", heights: { P: 27, X: 31, C: 10 } },
  { label: "among stakers and L1 validators", heights: { P: 90, X: 119, C: 10 }, clockAhead: 20n },
  { label: "at its end", heights: {}, clockAhead: 86_400n },
]);
