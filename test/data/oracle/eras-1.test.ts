import { judge } from "./judge.ts";

judge("eras-1", [
  { label: "while stakers wait for their start", heights: { P: 33, X: 11, C: 0 } },
  { label: "at its end", heights: {} },
]);
