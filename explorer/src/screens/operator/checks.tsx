/** Health checks, those that fail first, with their own words. */
import { count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import type { Check, Health } from "./readings.ts";

/** A check can list every chain; more than this is cut, with its length. */
const LONGEST_MESSAGE = 2000;

export function Checks({ of: { checks, hasDetails } }: { readonly of: Health }) {
  const failing = checks.filter(({ isPassing }) => !isPassing);
  const sorted = [...failing, ...checks.filter(({ isPassing }) => isPassing)];
  return (
    <>
      <p role="status">
        {failing.length === 0
          ? `All ${count(checks.length)} checks pass.`
          : `${count(failing.length)} of ${count(checks.length)} checks ${failing.length === 1 ? "fails" : "fail"}.`}
        {!hasDetails && " This server is public: it tells the names of its checks, not what they found."}
      </p>
      <Table
        label="Checks"
        items={sorted}
        keyOf={({ name }) => name}
        columns={[
          { name: "Check", cell: ({ name }) => <ChainText text={name} longest={60} /> },
          {
            name: "State",
            cell: ({ isPassing }) => <span class={isPassing ? "badge good" : "badge bad"}>{isPassing ? "passes" : "fails"}</span>,
          },
          ...(hasDetails
            ? [
                { name: "Error", cell: (check: Check) => <Failing of={check} /> },
                { name: "What it found", cell: ({ message }: Check) => <Message of={message} /> },
                { name: "Ran", cell: ({ timestamp }: Check) => <At of={timestamp} /> },
              ]
            : []),
        ]}
      />
    </>
  );
}

function Failing({ of: { error, contiguousFailures, timeOfFirstFailure } }: { readonly of: Check }) {
  if (error === undefined) return null;
  return (
    <>
      <ChainText text={error} longest={LONGEST_MESSAGE} />
      {contiguousFailures !== undefined && (
        <>
          {" "}
          <span class="quiet">
            {count(contiguousFailures)} times since <At of={timeOfFirstFailure} />
          </span>
        </>
      )}
    </>
  );
}

function Message({ of }: { readonly of: unknown }) {
  if (of === undefined || of === null) return null;
  const text = typeof of === "string" ? of : JSON.stringify(of);
  if (text === "[]" || text === "{}") return null;
  return text.length < 60 ? (
    <ChainText text={text} />
  ) : (
    <details>
      <summary>Details</summary>
      <ChainText text={text} longest={LONGEST_MESSAGE} />
    </details>
  );
}

function At({ of }: { readonly of: string | undefined }) {
  const seconds = of === undefined ? Number.NaN : Math.trunc(Date.parse(of) / 1000);
  // a check that has not run has the year 1
  return Number.isNaN(seconds) || seconds < 0 ? <>never</> : <Time seconds={seconds} />;
}
