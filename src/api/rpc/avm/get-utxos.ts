import { utxosMethod } from "../get-utxos.ts";

export const getUtxos = utxosMethod({ name: "avm.getUTXOs", target: () => "string" });
