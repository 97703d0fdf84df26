/**
 * Stops the program when npm is stopped. npm runs a script through a shell. A signal ends both of them, but the shell does not pass it on:
 * without this, the program would keep running alone and hold its port.
 */
const LOOK_EVERY_MS = 250;

/** If npm runs this process, `end` is called once the parent process is gone. Other parents may leave their children running. */
export function whenNpmIsGone(end: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_EVERY_MS).unref();
}
