import { judge } from "./judge.ts";

judge("p-eras-old", [
  { label: "while 21 stakers wait for their start", heights: { P: 1684 }, clockAhead: 3_600n },
  { label: "at its end", heights: {} },
]);
