import { judge } from "./judge.ts";

judge("latest-1", [
  { label: "among stakers and L1 validators", heights: { P: 90, X: 119, C: 10 } },
  { label: "at its end", heights: {}, clockAhead: 86_400n },
]);
