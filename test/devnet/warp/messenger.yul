// A messenger with the interface that relayers use: whoever calls it with a TeleporterMessage and the selector of `send` sends that; it
// takes each message once, from the messenger at its own address, and logs its payload under its destination. Besides it logs the events of
// the reference implementation, without a fee; a message's ID is the hash of its struct.
object "Messenger" {
  code {
    datacopy(0, dataoffset("runtime"), datasize("runtime"))
    return(0, datasize("runtime"))
  }
  object "runtime" {
    code {
      let warp := 0x0200000000000000000000000000000000000005
      switch shr(224, calldataload(0))
      case 0xee5b48eb /* sendWarpMessage(bytes) */ {
        calldatacopy(0, 0, calldatasize())
        if iszero(call(gas(), warp, 0, 0, calldatasize(), 0, 32)) { revert(0, 0) }
        let id := mload(0)
        // bytes of the struct, which begins after selector, offset and length of the bytes, and its own offset
        let length := 0
        if gt(calldataload(36), 32) { length := sub(calldataload(36), 32) }
        if length {
          mstore(0, 0x60)
          mstore(0x20, 0)
          mstore(0x40, 0)
          calldatacopy(0x60, 100, length)
          // SendCrossChainMessage
          log3(0, add(0x60, length), 0x2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8, keccak256(0x60, length), calldataload(164))
        }
        mstore(0, id)
        return(0, 32)
      }
      case 0xccb5f809 /* receiveCrossChainMessage(uint32,address) */ {
        mstore(0, shl(224, 0x6f825350))
        mstore(4, calldataload(4))
        if iszero(staticcall(gas(), warp, 0, 36, 0, 0)) { revert(0, 0) }
        returndatacopy(0, 0, returndatasize())
        // message and whether it is valid; then source chain, sender, payload
        if iszero(mload(0x20)) { revert(0, 0) }
        if iszero(eq(mload(0x60), address())) { revert(0, 0) }
        let id := keccak256(0, returndatasize())
        if sload(id) { revert(0, 0) }
        sstore(id, 1)
        log2(0xc0, mload(0xa0), mload(0x40), caller())
        let length := sub(mload(0xa0), 32)
        let message := keccak256(0xe0, length)
        let at := returndatasize()
        mstore(at, calldataload(36))
        mstore(add(at, 0x20), 0x40)
        pop(staticcall(gas(), 4, 0xe0, length, add(at, 0x40), length))
        // ReceiveCrossChainMessage, MessageExecuted
        log4(at, add(0x40, length), 0x292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e34, message, mload(0x40), caller())
        log3(0, 0, 0x34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c, message, mload(0x40))
      }
      default { revert(0, 0) }
    }
  }
}
