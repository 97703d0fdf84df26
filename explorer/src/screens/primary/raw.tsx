/** What the node says of a thing, asked when somebody opens it. */

import { useState } from "preact/hooks";
import { ApiError } from "../../api/errors.ts";
import { useAnswer } from "../../api/queries.ts";
import { Copy } from "../../components/id.tsx";
import { Scrolled } from "../../components/scrolled.tsx";
import { Answer } from "../../components/states.tsx";

/** Longer texts are cut on the screen, and copied whole. */
const LONGEST = 100_000;

interface RawProps {
  /** what it is, such as `Bytes` */
  readonly name: string;
  readonly queryKey: readonly unknown[];
  /** the text; an empty one means that there is none */
  ask(): Promise<string>;
}

/** One request, once it is open. */
export function Raw({ name, queryKey, ask }: RawProps) {
  const [isOpen, setOpen] = useState(false);
  const text = useAnswer(queryKey, ask, { isWanted: isOpen });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && (
        <Answer of={text}>
          {(answer) => (
            <>
              <p class="quiet">
                {answer.length.toLocaleString("en")} characters <Copy text={answer} name={name} />
                {answer.length > LONGEST && ` The first ${LONGEST.toLocaleString("en")} are shown; all of them are copied.`}
              </p>
              <Scrolled text={answer.slice(0, LONGEST)} />
            </>
          )}
        </Answer>
      )}
    </details>
  );
}

/** The member of an answer that must be a text. */
export function textIn(answer: Readonly<Record<string, unknown>>, member: string): string {
  const text = answer[member];
  if (typeof text !== "string") throw new ApiError(0, `The node's answer has no ${member}.`);
  return text;
}
