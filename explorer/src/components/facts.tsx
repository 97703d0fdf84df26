/** What is known about one thing: names and values. */
import type { ComponentChildren } from "preact";

export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

/** One name and its value; nothing if there is no value. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  if (children === undefined || children === null || children === false || children === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
