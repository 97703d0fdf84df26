export const uptimeGroup = { name: "uptime", summary: "show or set the uptime of validators of a running devnet" };

export const subnetOption = { flags: "--subnet <id>", help: "subnet that the node validates; default: the primary network" };

/** The result of the methods. */
export interface UptimeReply {
  readonly nodeID: string;
  /** in percent */
  readonly uptime: string;
}
