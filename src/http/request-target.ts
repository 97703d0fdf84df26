/** Parses the request target as Go's net/url and gorilla/mux do (rpc-avm-info-health 1.3). Paths are latin1. */

export interface RequestTarget {
  /** `http://host` of an absolute-form target, else empty */
  readonly origin: string;
  /** host of an absolute-form target, which replaces the Host header */
  readonly host: string | undefined;
  /** percent-decoded */
  readonly path: string;
  /** including its `?`; empty if there is none */
  readonly query: string;
}

const absoluteForm = /^([a-zA-Z][a-zA-Z0-9+.-]*:\/\/)([^/?]*)(.*)$/s;

/** Returns undefined if the target is malformed; Go then answers 400. */
export function parseTarget(target: string): RequestTarget | undefined {
  if (target === "*") return { origin: "", host: undefined, path: "*", query: "" };
  if (target.startsWith("/")) return parsePath(target, "", undefined);
  const absolute = absoluteForm.exec(target);
  if (absolute === null) return undefined;
  const [, scheme, authority, rest] = absolute as unknown as [string, string, string, string];
  return parsePath(rest, scheme + authority, authority.slice(authority.lastIndexOf("@") + 1));
}

function parsePath(text: string, origin: string, host: string | undefined): RequestTarget | undefined {
  const mark = text.indexOf("?");
  const escaped = mark === -1 ? text : text.slice(0, mark);
  const query = mark === -1 ? "" : text.slice(mark);
  if (!escaped.includes("%")) return { origin, host, path: escaped, query };
  if (/%(?![0-9a-fA-F]{2})/.test(escaped)) return undefined;
  const path = escaped.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { origin, host, path, query };
}

/** The canonical form of a path, without `//`, `/./` and `/../`; a trailing slash stays. */
export function cleanPath(path: string): string {
  if (path.startsWith("/") && !path.includes("//") && !path.includes("/.")) return path;
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  const clean = `/${steps.join("/")}`;
  return path.endsWith("/") && clean !== "/" ? `${clean}/` : clean;
}

/** The redirect target of a path that is not canonical. */
export function redirectLocation(target: RequestTarget, path: string): string {
  const escaped = path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  return target.origin + escaped + target.query;
}
