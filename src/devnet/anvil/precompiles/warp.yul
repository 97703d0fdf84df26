// The warp precompile at 0x0200000000000000000000000000000000000005 as a contract (chain-rules 14, chain-formats 7).
// Firn appends 36 bytes to the code: the network ID (4) and the chain's blockchain ID (32). Where the precompile returns an error,
// the contract stops with INVALID: both use up the gas of the call and return nothing.
object "Warp" {
  code {
    datacopy(0, dataoffset("runtime"), datasize("runtime"))
    return(0, datasize("runtime"))
  }
  object "runtime" {
    code {
      let entry := gas()
      // as on the chain, the code of another account cannot use it by DELEGATECALL or CALLCODE
      require(eq(address(), 0x0200000000000000000000000000000000000005))
      require(gt(calldatasize(), 3))
      switch shr(224, calldataload(0))
      case 0x4213cf78 /* getBlockchainID() */ {
        codecopy(0, sub(codesize(), 32), 32)
        answer(entry, 200, 0, 32)
      }
      case 0xee5b48eb /* sendWarpMessage(bytes) */ { send(entry) }
      case 0x6f825350 /* getVerifiedWarpMessage(uint32) */ {
        verified(entry, 1)
        // of the type (bytes32, address, bytes), all zero, and false
        mstore(0, 0x40)
        mstore(0x80, 0x60)
        answer(entry, 750, 0, 0xc0)
      }
      case 0xce7f5929 /* getVerifiedWarpBlockHash(uint32) */ {
        verified(entry, 0)
        answer(entry, 750, 0, 0x60)
      }
      default { invalid() }

      function send(start) {
        require(gt(calldatasize(), 35))
        let offset := calldataload(4)
        require(lt(offset, calldatasize()))
        let at := add(36, offset)
        require(iszero(gt(at, calldatasize())))
        let length := calldataload(sub(at, 32))
        // an addressed call has at most 24 KiB: 34 bytes and the payload
        require(lt(length, 24543))
        require(iszero(gt(add(at, length), calldatasize())))
        codecopy(0x20, sub(codesize(), 36), 36)
        let chain := mload(0x24)
        // codec version (2 bytes), network ID (4), source chain (32), length of the payload (4)
        mstore(0x40, shl(208, shr(224, mload(0x20))))
        mstore(0x46, chain)
        mstore(0x66, shl(224, add(length, 34)))
        // the payload: codec version (2), type 1 (4), length of the address (4), address (20), length (4), bytes
        mstore(0x6a, or(shl(176, 0x0100000014), shl(16, caller())))
        mstore(0x88, shl(224, length))
        calldatacopy(0x8c, at, length)
        let size := add(76, length)
        require(staticcall(gas(), 2, 0x40, size, 0, 32))
        let id := mload(0)
        mstore(0, 0x20)
        mstore(0x20, size)
        // SendWarpMessage(address indexed sender, bytes32 indexed messageID, bytes message)
        let padded := and(add(size, 31), not(31))
        log3(0, add(0x40, padded), 0x56600c567728a800c0aa927500f831cb451df66a7af570eb4df4dfbf4674887d, caller(), id)
        mstore(0, id)
        // 375 for the log, 375 for each topic, 20,000 for a signature, 20,000 for a slot, 8 for each byte of the arguments
        answer(start, add(41500, mul(8, sub(calldatasize(), 4))), 0, 32)
      }

      // Answers with the message that Firn verified for this transaction, if there is one. Firn writes it as code of an address derived
      // from the block's number, the transaction's sender and the message's index: STOP (1 byte), the payload's type (1), the gas
      // that the answer costs (8), the answer. Returns with the memory empty otherwise.
      function verified(start, type) {
        require(gt(calldatasize(), 35))
        let index := calldataload(4)
        require(lt(index, 0x80000000))
        mstore(0, number())
        mstore(0x20, origin())
        mstore(0x40, index)
        let place := keccak256(0, 0x60)
        mstore(0, 0)
        mstore(0x20, 0)
        mstore(0x40, 0)
        let size := extcodesize(place)
        if size {
          extcodecopy(place, 0, 0, size)
          let header := mload(0)
          require(eq(type, byte(1, header)))
          answer(start, and(shr(176, header), 0xffffffffffffffff), 10, sub(size, 10))
        }
      }

      // Uses up what the precompile costs more than this contract, by a call of a precompile that fails at once, and returns.
      function answer(start, cost, from, size) {
        if lt(start, cost) { invalid() }
        // the gas that is left in the end; the last steps, after GAS, take 113
        let left := add(sub(start, cost), 113)
        if gt(gas(), add(left, 50)) { pop(staticcall(sub(gas(), left), 8, 0, 1, 0, 0)) }
        return(from, size)
      }

      function require(condition) {
        if iszero(condition) { invalid() }
      }
    }
  }
}
