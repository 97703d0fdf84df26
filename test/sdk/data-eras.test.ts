import { drawn } from "../share.ts";
import { holdClients, STAKER_METHODS } from "./data-sdks.ts";

const recordings = {
  "eras-1": [
    { label: "among pending stakers", heights: { P: 33, X: 11, C: 0 }, methods: STAKER_METHODS },
    { label: "among stakers of Durango", heights: { P: 101, X: 77, C: 10 }, methods: STAKER_METHODS },
    { label: "at its end", heights: {} },
  ],
  "p-eras-old": [{ label: "at its end", heights: {} }],
} as const;

for (const name of drawn("eras", ["eras-1", "p-eras-old"] as const, 1)) holdClients(name, recordings[name]);
