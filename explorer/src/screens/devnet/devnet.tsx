/** Drives a local network: its clock, its blocks, uptimes, funds, snapshots and L1s. Four requests, and those of what is done. */
import { useState } from "preact/hooks";
import { useOverview } from "../../api/overview.ts";
import { AVAX_DECIMALS, decimal } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import { Answer } from "../../components/states.tsx";
import { useNow, utc } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { Action, Field, firn } from "./action.tsx";
import { type Heights, heightsText } from "./heights.ts";
import { readAddress, readAvax, readPeriod, readTime } from "./input.ts";
import { L1s } from "./l1s.tsx";
import { Snapshots } from "./snapshots.tsx";
import { Uptimes } from "./uptimes.tsx";

export function Devnet() {
  const overview = useOverview();
  return (
    <>
      <Title text="Devnet" />
      <Answer of={overview}>
        {({ isDevnet }) =>
          isDevnet ? (
            <Panel />
          ) : (
            <p>
              This server follows a network or serves an archive: nobody can move its clock from here. <code>firn devnet</code> starts a
              local network that can be driven.
            </p>
          )
        }
      </Answer>
    </>
  );
}

function Panel() {
  return (
    <>
      <div class="cards">
        <Clock />
        <Mine />
      </div>
      <Fund />
      <Snapshots />
      <Uptimes />
      <L1s />
    </>
  );
}

interface ClockAnswer {
  readonly unixTime: number;
}

function Clock() {
  const now = useNow();
  const [period, setPeriod] = useState("");
  const [time, setTime] = useState("");
  const shows = ({ unixTime }: ClockAnswer) => `The clock shows ${utc(unixTime)}.`;
  return (
    <section class="card">
      <h2>Clock</h2>
      <p>
        It shows <strong>{utc(now)}</strong>, and goes forward only.
      </p>
      <Action name="Advance" run={async () => shows(await firn<ClockAnswer>("advanceTime", { seconds: readPeriod(period) }))}>
        <Field name="By" value={period} onValue={setPeriod} placeholder="1d12h" />
      </Action>
      <Action name="Set" run={async () => shows(await firn<ClockAnswer>("setTime", { time: readTime(time) }))}>
        <Field name="To" value={time} onValue={setTime} placeholder="2027-01-31T12:00:00Z" />
      </Action>
    </section>
  );
}

function Mine() {
  return (
    <section class="card">
      <h2>Blocks</h2>
      <p>Builds the blocks that are due, and one of the C-chain in any case.</p>
      <Action name="Build blocks" run={async () => `The heights are ${heightsText(await firn<Heights>("mine"))}.`} />
    </section>
  );
}

function Fund() {
  const [address, setAddress] = useState("");
  const [amount, setAmount] = useState("");
  const fund = async () => {
    const [receiver, nanoAvax] = [readAddress(address), readAvax(amount)];
    const { txID } = await firn<{ txID: string }>("fund", { address: receiver, amount: `${nanoAvax}` });
    const chain = receiver.startsWith("P-") ? "P" : receiver.startsWith("X-") ? "X" : "C";
    return (
      <>
        <Id value={txID} href={to.transaction(chain, txID)} hasCopy /> pays {decimal(nanoAvax, AVAX_DECIMALS)} AVAX to{" "}
        <a href={to.address(receiver)}>{receiver}</a>.
      </>
    );
  };
  return (
    <section class="card">
      <h2>Fund an address</h2>
      <p>The key ewoq pays.</p>
      <Action name="Fund" run={fund}>
        <Field name="Address" value={address} onValue={setAddress} placeholder="P-local1…, X-local1… or 0x…" width="long" />
        <Field name="AVAX" value={amount} onValue={setAmount} placeholder="100" />
      </Action>
    </section>
  );
}
