/** Loaded into a process of Firn: at each SIGUSR2 writes which files' functions ran since the last one to FIRN_ROADS_FILE, and begins anew. */
import { renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
process.on("SIGUSR2", () => {
  session.post("Profiler.takePreciseCoverage", (error, coverage) => {
    if (error) throw error;
    const files = coverage.result.filter(({ url, functions }) => {
      const isLoading = ({ ranges: [range] }) => range.startOffset === 0;
      return (
        url.includes("/src/") && !url.includes("/node_modules/") && functions.some((each) => !isLoading(each) && each.ranges[0].count > 0)
      );
    });
    const path = process.env.FIRN_ROADS_FILE;
    writeFileSync(`${path}.part`, JSON.stringify(files.map(({ url }) => url.slice(url.lastIndexOf("/src/") + 1)).sort()));
    renameSync(`${path}.part`, path);
  });
});
