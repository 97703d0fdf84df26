/** The heading of a screen. It names the browser's tab, and gets the focus when the screen opens, so that readers of the screen hear it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

let hasOpened = false;

export function Title({ text, children }: { readonly text: string; readonly children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${text} · Firn`;
  }, [text]);
  useEffect(() => {
    // the page that the browser loads begins at its top, and who types already goes on
    if (hasOpened && document.activeElement?.matches("input, textarea, select") !== true) heading.current?.focus({ preventScroll: true });
    hasOpened = true;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? text}
    </h1>
  );
}
