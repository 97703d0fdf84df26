import type { Devnet, DevnetOptions } from "./devnet.ts";

export class LocalDevnet {
  static async open(options: DevnetOptions): Promise<Devnet> {
    throw new Error(`not there yet: ${options.dataDirectory}`);
  }
}
