// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Has Hardhat compile it.
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
