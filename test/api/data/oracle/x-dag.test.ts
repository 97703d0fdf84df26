import { judge } from "./judge.ts";

judge("x-dag", [{ label: "at its end", heights: {} }]);
