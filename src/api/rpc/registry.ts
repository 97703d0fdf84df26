/** Lists the methods that each kind of endpoint serves. To add a method, add it to the `methods.ts` of its API. */
import { avaxMethods } from "./avax/methods.ts";
import { avmMethods, walletMethods } from "./avm/methods.ts";
import { firnMethods } from "./firn/methods.ts";
import { healthMethods } from "./health-methods.ts";
import { blockIndexMethods, txIndexMethods, vertexIndexMethods } from "./index-api/methods.ts";
import { infoMethods, publicInfoMethods } from "./info/methods.ts";
import { platformMethods } from "./platform/methods.ts";
import { proposervmMethods } from "./proposervm-methods.ts";
import { Service } from "./service.ts";

export const services = {
  platform: new Service(platformMethods),
  avm: new Service(avmMethods),
  wallet: new Service(walletMethods),
  avax: new Service(avaxMethods),
  proposervm: new Service(proposervmMethods),
  blockIndex: new Service(blockIndexMethods),
  txIndex: new Service(txIndexMethods),
  vertexIndex: new Service(vertexIndexMethods),
  info: new Service(infoMethods),
  publicInfo: new Service(publicInfoMethods),
  health: new Service(healthMethods),
  firn: new Service(firnMethods),
} satisfies Record<string, Service>;

/** Where each of them is served, in Markdown. */
export const endpointTexts: Readonly<Record<keyof typeof services, string>> = {
  platform: "`/ext/bc/P`",
  avm: "`/ext/bc/X`, and `/ext/bc/<blockchain ID>` of any asset chain",
  wallet: "`/ext/bc/X/wallet`",
  avax: "`/ext/bc/C/avax`",
  proposervm: "`/ext/bc/<chain>/proposervm`",
  blockIndex: "`/ext/index/P/block`, `/ext/index/X/block`, `/ext/index/C/block`",
  txIndex: "`/ext/index/X/tx`",
  vertexIndex: "`/ext/index/X/vtx`",
  info: "`/ext/info`",
  publicInfo: "`/ext/info` with `--public`",
  health: "`/ext/health`",
  firn: "`/ext/firn` of a devnet",
};
