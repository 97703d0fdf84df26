import fc from "fast-check";
import { expect, test } from "vitest";
import { clientOfAddress } from "../../src/http/client-of-request.ts";

test("an IPv4 address is a client, also as an IPv6 socket names it", () => {
  expect(clientOfAddress("192.0.2.1")).toBe("192.0.2.1");
  expect(clientOfAddress("::ffff:192.0.2.1")).toBe("192.0.2.1");
  expect(clientOfAddress("::ffff:c000:201")).toBe("192.0.2.1");
});

test("a port that a proxy wrote behind the address is no part of it", () => {
  expect(clientOfAddress("192.0.2.1:50123")).toBe("192.0.2.1");
  expect(clientOfAddress("[2001:db8:0:1::2]:50123")).toBe("2001:db8:0:1::/64");
  expect(clientOfAddress("[2001:db8:0:1::2]")).toBe("2001:db8:0:1::/64");
});

test("all IPv6 addresses of a /64 are one client, others are not", () => {
  expect(clientOfAddress("2001:db8:0:1::")).toBe("2001:db8:0:1::/64");
  expect(clientOfAddress("2001:DB8:0:1:ffff:ffff:ffff:ffff")).toBe("2001:db8:0:1::/64");
  expect(clientOfAddress("2001:db8::2")).toBe("2001:db8:0:0::/64");
  expect(clientOfAddress("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
  expect(clientOfAddress("::1")).toBe("0:0:0:0::/64");
});

test("every spelling of an IPv6 address is the same client", () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
      expect(clientOfAddress(address)).toBe(clientOfAddress(canonical));
    }),
  );
});

test("what is no address is one client", () => {
  for (const text of ["", "unix:", "1.2.3", "::ffff:1.2.3.4.5", "a".repeat(10_000)]) expect(clientOfAddress(text)).toBe("unknown");
});
