import { holdClients, STAKER_METHODS } from "./data-sdks.ts";

holdClients("latest-1", [
  { label: "among stakers and L1 validators", heights: { P: 90, X: 119, C: 10 }, methods: STAKER_METHODS },
  { label: "at its end", heights: {} },
]);
holdClients("x-dag", [{ label: "at its end", heights: {} }]);
