/** What a call was asked to do: decoded as far as it is known, and its bytes. */
import { useMemo } from "preact/hooks";
import { useAbi } from "./abi/abi-store.ts";
import { decodeCall } from "./abi/decode.ts";
import { DecodedItem, RawBytes } from "./decoded.tsx";

interface CallInputProps {
  readonly chainId: string;
  /** the contract that was called */
  readonly contract: string;
  /** 0x and hex */
  readonly input: string;
}

export function CallInput({ chainId, contract, input }: CallInputProps) {
  const known = useAbi(chainId, contract);
  const decoded = useMemo(() => decodeCall(input, known?.index), [input, known]);
  return (
    <>
      {decoded && <DecodedItem chainId={chainId} of={decoded} />}
      <details open={decoded === undefined}>
        <summary>Input data</summary>
        <RawBytes hex={input} name="input" hasSelector />
      </details>
    </>
  );
}
