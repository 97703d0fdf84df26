/** HTTP requests as bytes, including those that no HTTP client would send. */

export function headOf(method: string, path: string, headers: readonly string[] = []): string {
  return `${[`${method} ${path} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n`;
}

export function postOf(path: string, body: string): string {
  return `${headOf("POST", path, ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`])}${body}`;
}
