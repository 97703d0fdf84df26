/** Closes connections so that the client can read the last response: closing a socket with unread bytes would discard it. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** Time that clients have to read the last response of a connection and to close it. */
const LINGER_MS = 1000;

/** Ends writing, discards what still arrives, and closes. */
export function endGently(socket: Socket): void {
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("end", () => socket.destroySoon());
  socket.once("close", () => clearTimeout(timer));
}

/** Discards the rest of an incomplete request, and calls `goOn` when it is complete or after a timeout. */
export function afterRequest(request: IncomingMessage, goOn: () => void): void {
  let isOver = false;
  const once = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    goOn();
  };
  const timer = setTimeout(once, LINGER_MS);
  request.once("end", once);
  request.once("close", once);
  request.resume();
}
