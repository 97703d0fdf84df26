/**
 * Writes the responses of one turn of the event loop together at its end: the client's process is woken once for all of them, and
 * wake-ups cost as much as answers do.
 */
import type { ServerResponse } from "node:http";

type Write<A> = (response: ServerResponse, answer: A) => void;

export function endOfTurn<A>(write: Write<A>): Write<A> {
  let waiting: [ServerResponse, A][] = [];
  const writeAll = () => {
    const ready = waiting;
    waiting = [];
    for (const [response, answer] of ready) {
      try {
        write(response, answer);
      } catch {
        // one that cannot be written must not take the others of its turn with it
        response.destroy();
      }
    }
  };
  return (response, answer) => {
    if (waiting.push([response, answer]) === 1) setImmediate(writeAll);
  };
}
