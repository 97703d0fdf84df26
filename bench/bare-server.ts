/** The baseline: node:http that answers everything with a constant body, in as many processes as Firn has workers. */
import cluster from "node:cluster";
import { createServer } from "node:http";

const [port, processes] = process.argv.slice(2).map(Number);
if (cluster.isPrimary) {
  for (let i = 0; i < processes!; i++) cluster.fork();
  let listening = 0;
  cluster.on("listening", () => {
    if (++listening === processes) process.stdout.write("listening\n");
  });
  process.on("SIGTERM", () => process.exit(0));
} else {
  const bodies = new Map<string, Buffer>();
  createServer((request, response) => {
    // the size is in the path, so that one baseline serves all cases
    const size = request.url!.slice(1);
    let body = bodies.get(size);
    if (body === undefined) {
      body = Buffer.alloc(Number(size), 0x20);
      bodies.set(size, body);
    }
    request.resume();
    response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", "Content-Length": body.length });
    response.end(body);
  }).listen(port, "127.0.0.1");
}
