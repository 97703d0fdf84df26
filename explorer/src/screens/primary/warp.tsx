/** A warp message that a transaction brings to the P-chain. */

import { count } from "../../components/amount.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Scrolled } from "../../components/scrolled.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { useChains } from "./chains.ts";
import { Blockchain, Owners, Subnet } from "./pieces.tsx";
import { addressText, bytesOf, decodeWarpMessage, hexOf, type L1Message, nodeId, type Owner } from "./warp-message.ts";

export function Warp({ hex }: { readonly hex: string }) {
  const bytes = bytesOf(hex);
  const warp = bytes && decodeWarpMessage(bytes);
  return (
    <>
      {warp === undefined ? (
        <p class="quiet">The explorer cannot read this message.</p>
      ) : (
        <Facts>
          <Fact name="Says">{warp.message === undefined ? "something that the explorer does not know" : saying(warp.message)}</Fact>
          {warp.message !== undefined && <MessageFacts of={warp.message} />}
          <Fact name="Sent by">
            contract <code class="hex">{hexOf(warp.sourceAddress)}</code> on <Blockchain id={warp.sourceChainId} />
          </Fact>
          <Fact name="Signed by">
            {count(warp.signers)} {warp.signers === 1 ? "validator" : "validators"}
          </Fact>
        </Facts>
      )}
      <details>
        <summary>Bytes</summary>
        <Scrolled text={hex} />
      </details>
    </>
  );
}

function saying(message: L1Message): string {
  if (message.is === "registration") return `register a validator with the weight ${count(message.weight)}`;
  return message.weight === 0n ? "remove the validator" : `set the validator's weight to ${count(message.weight)}`;
}

function MessageFacts({ of: message }: { readonly of: L1Message }) {
  const prefix = useChains()?.prefix;
  if (message.is === "weight") {
    return (
      <>
        <Fact name="L1 validator">
          <Id value={message.validationId} href={to.l1Validator(message.validationId)} hasCopy />
        </Fact>
        <Fact name="Nonce">{count(message.nonce)}</Fact>
      </>
    );
  }
  const owner = ({ threshold, addresses }: Owner) => {
    if (prefix === undefined) return undefined;
    return <Owners threshold={threshold} addresses={addresses.map((each) => addressText(prefix, each))} />;
  };
  return (
    <>
      <Fact name="Node">
        <Id value={nodeId(message.nodeId)} hasCopy />
      </Fact>
      <Fact name="Subnet">
        <Subnet id={message.subnetId} />
      </Fact>
      <Fact name="BLS key">
        <Id value={hexOf(message.blsPublicKey)} hasCopy />
      </Fact>
      <Fact name="Valid until">
        <Time seconds={message.expiry} />
      </Fact>
      <Fact name="Can disable it">{owner(message.disableOwner)}</Fact>
      <Fact name="Get what is left">{owner(message.remainingBalanceOwner)}</Fact>
    </>
  );
}
