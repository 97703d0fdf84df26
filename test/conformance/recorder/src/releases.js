// What release 1.15.3 answers otherwise than the older one that was recorded. A reply is mapped to what the recorded release would have
// said, so everything else in it is still compared strictly. A recording of 1.15.3 needs none of this.

import { Obj } from './json.js';

const REMOVED = 'rpc: can\'t find method "avax.GetAtomicTxStatus"';
const RESTAKED = ['restakedValidationRewards', 'restakedDelegateeRewards'];

/** @param entries the requests of one checkpoint @returns maps (request, expected, actual) to the reply as of the recorded release */
export function releaseOf(entries) {
  const textsOf = (method) => entries.filter((entry) => entry.get('method') === method).map((entry) => entry.get('response')?.get('error')?.get('message'));
  // the words of the C-chain's VM since Helicon, whose nodes have lost this method
  const lostStatus = textsOf('avax.getAtomicTx').some((text) => text?.startsWith('fetching tx: '));
  return (request, expected, actual) => {
    switch (request.method) {
      case 'info.getNodeVersion':
        return inResult(expected, actual, (was, is) => (isOlder(was, is) ? is.with('version', was.get('version')).with('rpcProtocolVersion', was.get('rpcProtocolVersion')).with('vmVersions', was.get('vmVersions')) : is));
      case 'info.acps':
        return inResult(expected, actual, (was, is) => (was.get('acps')?.members?.length === 0 && is.get('acps')?.members?.every(([, votes]) => votes.has('abstainWeight')) ? was : is));
      case 'platform.getCurrentValidators':
        return inResult(expected, actual, withoutRestaked);
      case 'avax.getAtomicTxStatus':
        return lostStatus && expected.has('result') && actual.get('error')?.get('message') === REMOVED ? expected : actual;
      default:
        return actual;
    }
  };
}

function inResult(expected, actual, change) {
  const [was, is] = [expected.get('result'), actual.get('result')];
  return was instanceof Obj && is instanceof Obj ? actual.with('result', change(was, is)) : actual;
}

function isOlder(was, is) {
  const [a, b] = [was, is].map((version) => String(version.get('version')).split('/')[1]?.split('.').map(Number) ?? []);
  const at = a.findIndex((part, i) => part !== b[i]);
  return at !== -1 && a[at] < b[at];
}

function withoutRestaked(was, is) {
  const recorded = was.get('validators');
  if (!Array.isArray(recorded) || recorded.some((validator) => validator.has?.(RESTAKED[0]))) return is;
  const validators = is.get('validators');
  if (!Array.isArray(validators)) return is;
  return is.with('validators', validators.map((validator) => (validator instanceof Obj ? new Obj(validator.members.filter(([name]) => !RESTAKED.includes(name))) : validator)));
}
