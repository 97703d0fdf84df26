/** Starts the explorer. */
import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { queries } from "./api/queries.ts";
import { App } from "./app.tsx";
import "./styles/explorer.css";
import { applyTheme } from "./theme.ts";

applyTheme();
render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
  document.querySelector("#app")!,
);
