/** The message of what `action` throws; fails if it does not throw. */
export function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("expected an error");
}
