import { utxosMethod } from "../get-utxos.ts";

export const getUtxos = utxosMethod({ name: "platform.getUTXOs", target: (encoding) => encoding });
