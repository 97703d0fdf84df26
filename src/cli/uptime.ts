export const uptimeGroup = { name: "uptime", summary: "how much of the time validators of a running devnet are there" };

export const subnetOption = { flags: "--subnet <id>", help: "the subnet that it validates; by default the primary network" };

/** What the methods answer. */
export interface UptimeReply {
  readonly nodeID: string;
  /** in percent */
  readonly uptime: string;
}
