import { MAX_U64 } from "../../../base/bytes/amount.ts";
import { InvalidArgumentError } from "../errors.ts";
import { integer, type ParamKind } from "../params.ts";

const number = integer(64);

/** A height, or "proposed" (rpc-platform 2.3). The node represents "proposed" by the largest number, so that number is not a height. */
export const heightOrProposed: ParamKind<bigint | "proposed"> = {
  zero: 0n,
  decode(token, current) {
    if (token.raw === '"proposed"') return "proposed";
    if (token.raw === "null") return current;
    const height = number.decode(token, 0n);
    if (height === MAX_U64) throw new InvalidArgumentError("the largest number stands for the proposed height");
    return height;
  },
};
