import { useLocation } from "wouter-preact";
import { Title } from "../components/title.tsx";
import { to } from "../router.ts";

export function NotFound() {
  const [path] = useLocation();
  return (
    <>
      <Title text="Nothing here" />
      <p>
        The explorer has no page <code>{path}</code>. <a href={to.home()}>Start at the newest blocks</a>, or search above.
      </p>
    </>
  );
}
