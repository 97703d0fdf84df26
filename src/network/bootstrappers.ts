/** The nodes by which one finds a public network: those built into the reference node (p2p.md, appendix A). */
import { parseNodeId } from "../base/bytes/cb58.ts";
import type { NodeId } from "../base/bytes/id.ts";
import { FUJI_ID, MAINNET_ID } from "./presets.ts";

export interface Bootstrapper {
  readonly nodeId: NodeId;
  readonly ip: string;
  readonly port: number;
}

const PORT = 9651;

const BUILT_IN: ReadonlyMap<number, readonly (readonly [id: string, ip: string])[]> = new Map([
  [
    MAINNET_ID,
    [
      ["A6onFGyJjA37EZ7kYHANMR1PFRT8NmXrF", "54.232.137.108"],
      ["6SwnPJLH8cWfrJ162JjZekbmzaFpjPcf", "13.124.187.98"],
      ["GSgaA47umS1px2ohVjodW9621Ks63xDxD", "54.232.142.167"],
      ["BQEo5Fy1FRKLbX51ejqDd14cuSXJKArH2", "3.39.67.183"],
      ["Drv1Qh7iJvW3zGBBeRnYfCzk56VCRM2GQ", "13.245.185.253"],
      ["DAtCoXfLT6Y83dgJ7FmQg8eR53hz37J79", "13.246.169.11"],
      ["FGRoKnyYKFWYFMb6Xbocf4hKuyCBENgWM", "13.251.82.39"],
      ["Dw7tuwxpAmcpvVGp9JzaHAR3REPoJ8f2R", "34.250.50.224"],
      ["4kCLS16Wy73nt1Zm54jFZsL7Msrv3UCeJ", "18.142.247.237"],
      ["9T7NXBFpp8LWCyc58YdKNoowDipdVKAWz", "34.252.106.116"],
      ["6ghBh6yof5ouMCya2n9fHzhpWouiZFVVj", "43.205.156.229"],
      ["HiFv1DpKXkAAfJ1NHWVqQoojjznibZXHP", "13.233.176.118"],
      ["Fv3t2shrpkmvLnvNzcv1rqRKbDAYFnUor", "35.164.160.193"],
      ["AaxT2P4uuPAHb7vAD8mNvjQ3jgyaV7tu9", "54.185.77.104"],
      ["kZNuQMHhydefgnwjYX1fhHMpRNAs9my1", "3.74.3.14"],
      ["A7GwTSd47AcDVqpTVj7YtxtjHREM33EJw", "3.135.107.20"],
      ["Hr78Fy8uDYiRYocRYHXp4eLCYeb8x5UuM", "3.77.28.168"],
      ["9CkG9MBNavnw7EVSRsuFr7ws9gascDQy3", "18.216.88.69"],
      ["A8jypu63CWp76STwKdqP6e9hjL675kdiG", "3.24.26.175"],
      ["HsBEx3L71EHWSXaE6gvk2VsNntFEZsxqc", "52.64.55.185"],
      ["Nr584bLpGgbCUbZFSBaBz3Xum5wpca9Ym", "16.162.27.145"],
      ["QKGoUvqcgormCoMj6yPw9isY7DX9H4mdd", "18.163.169.191"],
      ["HCw7S2TVbFPDWNBo1GnFWqJ47f9rDJtt1", "13.39.184.151"],
      ["FYv1Lb29SqMpywYXH7yNkcFAzRF2jvm3K", "13.36.28.133"],
    ],
  ],
  [
    FUJI_ID,
    [
      ["2m38qc95mhHXtrhjyGbe7r2NhniqHHJRB", "18.192.93.241"],
      ["JjvzhxnLHLUQ5HjVRkvG827ivbLXPwA9u", "3.76.143.200"],
      ["LegbVf6qaMKcsXPnLStkdc1JVktmmiDxy", "16.163.84.252"],
      ["HGZ8ae74J3odT8ESreAdCtdnvWG1J4X5n", "13.237.111.196"],
      ["CYKruAjwH1BmV3m37sXNuprbr7dGQuJwG", "18.167.242.179"],
      ["4KXitMCoE9p2BHA6VzXtaTxLoEjNDo2Pt", "54.207.25.7"],
      ["LQwRLm4cbJ7T2kxcxp4uXCU5XD8DFrE1C", "18.230.200.134"],
      ["4CWTbdvgXHY1CLXqQNAp22nJDo5nAmts6", "13.55.124.229"],
      ["4QBwET5o8kUhvt9xArhir4d3R25CtmZho", "3.99.55.15"],
      ["JyE4P8f4cTryNV8DCz2M81bMtGhFFHexG", "18.228.229.17"],
      ["EDESh4DfZFC15i613pMtWniQ9arbBZRnL", "52.29.72.46"],
      ["BFa1padLXBj7VHa2JYvYGzcTBPQGjPhUy", "16.163.75.62"],
      ["CZmZ9xpCzkWqjAyS7L4htzh5Lg6kf1k18", "34.248.69.195"],
      ["FesGqwKq7z5nPFHa5iwZctHE5EZV9Lpdq", "54.66.120.144"],
      ["84KbQHSDnojroCVY7vQ7u9Tx7pUonPaS", "3.97.132.61"],
      ["CTtkcXvVdhpNp6f97LEUXPwsRD3A2ZHqP", "18.230.111.83"],
      ["hArafGhY2HFTbwaaVh1CSCUCUCiJ2Vfb", "52.67.156.131"],
      ["4B4rc5vdD1758JSBYL1xyvE5NHGzz6xzH", "176.34.80.199"],
      ["EzGaipqomyK9UKx9DBHV6Ky3y68hoknrF", "176.34.97.64"],
      ["NpagUxt6KQiwPch9Sd4osv8kD1TZnkjdk", "3.97.255.92"],
      ["3VWnZNViBP2b56QBY7pNJSLzN2rkTyqnK", "54.20.25.221"],
    ],
  ],
]);

/** Empty for a network that is not public. */
export function bootstrappersOf(networkId: number): readonly Bootstrapper[] {
  return (BUILT_IN.get(networkId) ?? []).map(([id, ip]) => ({ nodeId: parseNodeId(`NodeID-${id}`), ip, port: PORT }));
}
