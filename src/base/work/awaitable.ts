/** Values that are there at once, or later: a file is read at once, another process answers later. A value that is there needs no promise. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on at once where the value is there. What `use` throws then is thrown. */
export function andThen<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** All values, at once if all are there. */
export function together<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}

/** Yields the promises that it waits for, and gets their values: `const row = yield* later(reader.get(…))`. */
export type Steps<R> = Generator<Promise<unknown>, R, unknown>;

export function* later<T>(value: Awaitable<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

/** Runs steps as an async function runs, but to their end at once if they wait for nothing; then what they throw is thrown. */
export function atOnce<R>(steps: Steps<R>): Awaitable<R> {
  const first = steps.next();
  return first.done ? first.value : goOn(steps, first.value);
}

async function goOn<R>(steps: Steps<R>, first: Promise<unknown>): Promise<R> {
  for (let awaited = first; ; ) {
    const resume = await awaited.then(
      (value) => () => steps.next(value),
      (error: unknown) => () => steps.throw(error),
    );
    const step = resume();
    if (step.done) return step.value;
    awaited = step.value;
  }
}
