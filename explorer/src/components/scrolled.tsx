/** Long text in a place of its own that scrolls, also by keyboard. Lines stay; what cannot be seen is spelled, since text may come from a chain. */
import { spelled } from "./chain-text.tsx";

export function Scrolled({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre tabIndex={0}>
      <bdi dir="ltr">{text.split("\n").map(spelled).join("\n")}</bdi>
    </pre>
  );
}
