/** Starts the explorer. */
import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { askForOverview } from "./api/overview.ts";
import { queries } from "./api/queries.ts";
import { App } from "./app.tsx";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/parts.css";
import "./styles/narrow.css";
import { applyTheme } from "./theme.ts";

applyTheme();
// is on its way while the frame is drawn
askForOverview();
// the page shows what index.html has before it is drawn anew; in a background tab nothing is painted, nor waited for
if (!document.hidden) await new Promise<number>((painted) => requestAnimationFrame(() => setTimeout(painted)));
render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
  document.querySelector("#app")!,
);
