import { judge } from "./judge.ts";

judge("p-eras-old", [
  { label: "while 21 stakers wait for their start", heights: { P: 1684 } },
  { label: "at its end", heights: {} },
]);
