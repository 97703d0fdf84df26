// Subnet-EVM's precompiles with an allow list, as a contract: the native minter (0x0200…01) and the list of who may send transactions
// (0x0200…02). An address has its role under itself as a slot, as in the precompile: 0 none, 1 enabled, 2 admin, 3 manager. Where the
// precompile returns an error, the contract stops with INVALID: both use up the gas of the call and return nothing.
object "AllowList" {
  code {
    datacopy(0, dataoffset("runtime"), datasize("runtime"))
    return(0, datasize("runtime"))
  }
  object "runtime" {
    code {
      let entry := gas()
      let isMinter := eq(address(), 0x0200000000000000000000000000000000000001)
      // as on the chain, the code of another account cannot use it by DELEGATECALL or CALLCODE
      require(or(isMinter, eq(address(), 0x0200000000000000000000000000000000000002)))
      require(gt(calldatasize(), 35))
      let account := shr(96, shl(96, calldataload(4)))
      switch shr(224, calldataload(0))
      case 0xeb54dae1 /* readAllowList(address) */ {
        mstore(0, sload(account))
        answer(entry, 5000, 32)
      }
      case 0x8c6bfb3b /* setNone(address) */ { set(entry, account, 0) }
      case 0x0aaf7043 /* setEnabled(address) */ { set(entry, account, 1) }
      case 0x704b6c02 /* setAdmin(address) */ { set(entry, account, 2) }
      case 0xd0ebdbe7 /* setManager(address) */ { set(entry, account, 3) }
      case 0x4f5aaaba /* mintNativeCoin(address,uint256) */ {
        require(isMinter)
        require(gt(calldatasize(), 67))
        let role := sload(caller())
        require(and(gt(role, 0), lt(role, 4)))
        let amount := calldataload(36)
        // NativeCoinMinted(address indexed sender, address indexed recipient, uint256 amount)
        mstore(0, amount)
        log3(0, 32, 0x400cd392f3d56fd10bb1dbd5839fdda8298208ddaa97b368faa053e1850930ee, caller(), account)
        // Code that is run while an account is made: PUSH20 account, SELFDESTRUCT. So the account is paid, and its own code does not run.
        mstore(0, or(or(shl(248, 0x73), shl(88, account)), shl(80, 0xff)))
        require(create(amount, 0, 22))
        // 30,000, and as much as the log
        answer(entry, 31756, 0)
      }
      default { invalid() }

      function set(start, account_, role) {
        let own := sload(caller())
        let old := sload(account_)
        // an admin may do all, a manager gives and takes only the role "enabled"
        require(or(eq(own, 2), and(eq(own, 3), and(lt(old, 2), lt(role, 2)))))
        // RoleSet(uint256 indexed role, address indexed account, address indexed sender, uint256 oldRole)
        mstore(0, old)
        log4(0, 32, 0xcdb7ea01f00a414d78757bdb0f6391664ba3fedf987eed280927c1e7d695be3e, role, account_, caller())
        sstore(account_, role)
        // 20,000, and as much as the log; 5 are not used, because there is nothing to answer with
        answer(start, 22136, 0)
      }

      // Uses up what the precompile costs more than this contract, by a call of a precompile that fails at once, and returns.
      function answer(start, cost, size) {
        if lt(start, cost) { invalid() }
        // the gas that is left in the end; the last steps, after GAS, take 113
        let left := add(sub(start, cost), 113)
        if gt(gas(), add(left, 50)) { pop(staticcall(sub(gas(), left), 8, 0, 1, 0, 0)) }
        return(0, size)
      }

      function require(condition) {
        if iszero(condition) { invalid() }
      }
    }
  }
}
