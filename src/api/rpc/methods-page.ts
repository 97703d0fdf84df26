/** The JSON-RPC methods as HTML, from their definitions: what `docs/methods.md` has, for a browser. */
import { endpointTexts, services } from "./registry.ts";

/** The inside of a page's `main`. */
export function methodsHtml(): string {
  const sections = Object.entries(services).map(([endpoint, service]) => {
    const rows = service.names().map((name) => {
      const { params, summary, cost, computeUnits } = service.find(name).method;
      const names = Object.keys(params).map((param) => `<code>${escaped(param)}</code>`);
      const cells = [`<code>${escaped(name)}</code>`, names.join(", ") || "–", escaped(summary), escaped(cost), `${computeUnits}`];
      return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
    });
    const heads = ["method", "params", "what it answers", "cost", "compute units"].map((head) => `<th scope="col">${head}</th>`);
    const where = escaped(endpointTexts[endpoint as keyof typeof services]).replace(/`([^`]*)`/g, "<code>$1</code>");
    return `<h2 id="${endpoint}">${where}</h2>\n<table><thead><tr>${heads.join("")}</tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table>`;
  });
  return `<h1>JSON-RPC methods</h1>
<p>Answers are the reference node's, member for member. Send <code>{"jsonrpc":"2.0","id":1,"method":"…","params":{…}}</code> by POST to the
endpoint. Parameter names match case-insensitively; integers may be numbers or strings.</p>
${sections.join("\n")}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
