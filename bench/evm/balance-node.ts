/** `tsx bench/evm/balance-node.ts PORT`: a node that answers only native balances, in a process of its own. */
import { createServer } from "node:http";
import { CHAIN_ID } from "./busy-address.ts";

interface Call {
  readonly id: unknown;
  readonly method: string;
}

const ANSWERS: Readonly<Record<string, string>> = {
  eth_chainId: `0x${CHAIN_ID.toString(16)}`,
  eth_getBalance: "0x56bc75e2d63100000",
  eth_blockNumber: "0xffffffff",
};

function answer({ id, method }: Call): object {
  const result = ANSWERS[method];
  return result === undefined
    ? { jsonrpc: "2.0", id, error: { code: -32601, message: `the method ${method} does not exist` } }
    : { jsonrpc: "2.0", id, result };
}

createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => {
    const sent = JSON.parse(text) as Call | readonly Call[];
    const body = JSON.stringify(Array.isArray(sent) ? sent.map(answer) : answer(sent as Call));
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }).end(body);
  });
}).listen(Number(process.argv[2]), "127.0.0.1", () => console.log("listening"));
