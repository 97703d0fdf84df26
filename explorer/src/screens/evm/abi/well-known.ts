/** Functions, events and errors that many contracts share. Their names are known without the contract's ABI. */
import type { Abi, AbiItem, AbiParameter } from "./abi-item.ts";

const FUNCTIONS = `
transfer(address to, uint256 value)
transferFrom(address from, address to, uint256 value)
approve(address spender, uint256 value)
increaseAllowance(address spender, uint256 addedValue)
decreaseAllowance(address spender, uint256 subtractedValue)
permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
mint(address to, uint256 value)
mint(uint256 value)
burn(uint256 value)
burn(address from, uint256 value)
burnFrom(address from, uint256 value)
balanceOf(address account)
allowance(address owner, address spender)
totalSupply()
name()
symbol()
decimals()
safeMint(address to, uint256 tokenId)
safeTransferFrom(address from, address to, uint256 tokenId)
safeTransferFrom(address from, address to, uint256 tokenId, bytes data)
setApprovalForAll(address operator, bool approved)
isApprovedForAll(address owner, address operator)
ownerOf(uint256 tokenId)
getApproved(uint256 tokenId)
tokenURI(uint256 tokenId)
supportsInterface(bytes4 interfaceId)
safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)
safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)
balanceOf(address account, uint256 id)
balanceOfBatch(address[] accounts, uint256[] ids)
uri(uint256 id)
onERC721Received(address operator, address from, uint256 tokenId, bytes data)
onERC1155Received(address operator, address from, uint256 id, uint256 value, bytes data)
onERC1155BatchReceived(address operator, address from, uint256[] ids, uint256[] values, bytes data)
deposit()
depositTo(address to)
withdraw(uint256 value)
withdrawTo(address to, uint256 value)
deposit(uint256 assets, address receiver)
withdraw(uint256 assets, address receiver, address owner)
redeem(uint256 shares, address receiver, address owner)
owner()
transferOwnership(address newOwner)
acceptOwnership()
renounceOwnership()
grantRole(bytes32 role, address account)
revokeRole(bytes32 role, address account)
renounceRole(bytes32 role, address account)
pause()
unpause()
upgradeTo(address newImplementation)
upgradeToAndCall(address newImplementation, bytes data)
initialize()
multicall(bytes[] data)
multicall(uint256 deadline, bytes[] data)
aggregate((address target, bytes callData)[] calls)
tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)
aggregate3((address target, bool allowFailure, bytes callData)[] calls)
aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)
execute(bytes commands, bytes[] inputs, uint256 deadline)
execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)
handleOps((address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)[] ops, address beneficiary)
swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)
swapExactAVAXForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)
swapExactTokensForAVAX(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)
swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)
exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)
sendWarpMessage(bytes payload)
getVerifiedWarpMessage(uint32 index)
getBlockchainID()
sendCrossChainMessage((bytes32 destinationBlockchainID, address destinationAddress, (address feeTokenAddress, uint256 amount) feeInfo, uint256 requiredGasLimit, address[] allowedRelayerAddresses, bytes message) messageInput)
receiveCrossChainMessage(uint32 messageIndex, address relayerRewardAddress)
setAdmin(address addr)
setEnabled(address addr)
setManager(address addr)
setNone(address addr)
readAllowList(address addr)
mintNativeCoin(address addr, uint256 amount)
`;

const EVENTS = `
Transfer(address indexed from, address indexed to, uint256 value)
Transfer(address indexed from, address indexed to, uint256 indexed tokenId)
Approval(address indexed owner, address indexed spender, uint256 value)
Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)
ApprovalForAll(address indexed account, address indexed operator, bool approved)
TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)
TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)
URI(string value, uint256 indexed id)
Deposit(address indexed account, uint256 value)
Withdrawal(address indexed account, uint256 value)
Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)
Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)
OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)
RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)
RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)
Paused(address account)
Unpaused(address account)
Upgraded(address indexed implementation)
AdminChanged(address previousAdmin, address newAdmin)
BeaconUpgraded(address indexed beacon)
Initialized(uint8 version)
Initialized(uint64 version)
Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)
Sync(uint112 reserve0, uint112 reserve1)
PairCreated(address indexed token0, address indexed token1, address pair, uint256 length)
SendWarpMessage(address indexed sender, bytes32 indexed messageID, bytes message)
MetadataUpdate(uint256 tokenId)
`;

const ERRORS = `
Error(string message)
Panic(uint256 code)
OwnableUnauthorizedAccount(address account)
OwnableInvalidOwner(address owner)
AccessControlUnauthorizedAccount(address account, bytes32 neededRole)
EnforcedPause()
ExpectedPause()
ReentrancyGuardReentrantCall()
InvalidInitialization()
SafeERC20FailedOperation(address token)
FailedInnerCall()
AddressEmptyCode(address target)
ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
ERC20InvalidSender(address sender)
ERC20InvalidReceiver(address receiver)
ERC20InvalidApprover(address approver)
ERC20InvalidSpender(address spender)
ERC721NonexistentToken(uint256 tokenId)
ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)
ERC721InsufficientApproval(address operator, uint256 tokenId)
ERC721InvalidReceiver(address receiver)
ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)
ERC1155MissingApprovalForAll(address operator, address owner)
`;

/** What `Panic(uint256)` means, from Solidity's documentation. */
export const PANICS: Readonly<Record<string, string>> = {
  "0": "a panic that the compiler inserted",
  "1": "an assertion failed",
  "17": "an arithmetic operation overflowed",
  "18": "division or modulo by zero",
  "33": "a number that is no member of the enum",
  "34": "a byte array in storage is encoded wrongly",
  "49": "pop from an empty array",
  "50": "an index is out of the array's bounds",
  "65": "too much memory, or an array that is too large",
  "81": "a call of an internal function that is not set",
};

function itemsOf(type: AbiItem["type"], lines: string): AbiItem[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const open = line.indexOf("(");
      return { type, name: line.slice(0, open), inputs: parametersOf(line.slice(open + 1, -1)) };
    });
}

/** Reads `address indexed to, (uint8 a, bytes b)[] calls`. */
function parametersOf(list: string): AbiParameter[] {
  const parameters: AbiParameter[] = [];
  let [depth, start] = [0, 0];
  for (let i = 0; i <= list.length; i++) {
    if (list[i] === "(") depth++;
    else if (list[i] === ")") depth--;
    else if (i === list.length || (list[i] === "," && depth === 0)) {
      const text = list.slice(start, i).trim();
      if (text !== "") parameters.push(parameterOf(text));
      start = i + 1;
    }
  }
  return parameters;
}

function parameterOf(text: string): AbiParameter {
  const close = text.lastIndexOf(")");
  const [type, ...rest] = text.slice(close + 1).split(" ");
  const indexed = rest.includes("indexed") && { indexed: true };
  const name = rest.at(-1)!;
  return close < 0 ? { name, type: type!, ...indexed } : { name, type: `tuple${type}`, components: parametersOf(text.slice(1, close)) };
}

export const wellKnown: Abi = [...itemsOf("function", FUNCTIONS), ...itemsOf("event", EVENTS), ...itemsOf("error", ERRORS)];
