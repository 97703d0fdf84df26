/** Runs the hostile node in a process of its own, so that its output costs the measuring process no time. */
import { HostileUpstream, type UpstreamMode, type UpstreamOrder } from "./hostile-upstream.ts";

process.once("message", async (order: UpstreamOrder) => {
  const upstream = await HostileUpstream.start(order);
  process.on("message", (mode: UpstreamMode) => {
    upstream.set(mode);
    process.send!({ head: upstream.head });
  });
  process.send!({ url: upstream.url, head: upstream.head });
});
process.once("disconnect", () => process.exit(0));
