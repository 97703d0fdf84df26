/** Lets few requests run at a time, in the order in which they were asked for. */

const AT_ONCE = 2;
const waiting: (() => void)[] = [];
let running = 0;

export async function inTurn<T>(call: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((start) => waiting.push(start));
  else running++;
  try {
    return await call();
  } finally {
    const next = waiting.shift();
    // the place goes to the next one
    if (next === undefined) running--;
    else next();
  }
}
