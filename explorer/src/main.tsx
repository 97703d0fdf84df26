/** Starts the explorer. */
import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { queries } from "./api/queries.ts";
import { App } from "./app.tsx";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/parts.css";
import "./styles/narrow.css";
import { applyTheme } from "./theme.ts";

applyTheme();
render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
  document.querySelector("#app")!,
);
