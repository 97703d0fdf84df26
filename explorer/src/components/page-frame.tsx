/** What stands above and below every screen. */
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { API_BASE } from "../api/client.ts";
import { type Liveness, useLiveness } from "../api/liveness.ts";
import { useNews, useOverview } from "../api/overview.ts";
import { to } from "../router.ts";
import { setTheme, THEMES, type Theme, theme } from "../theme.ts";
import { ChainText } from "./chain-text.tsx";
import { useRowKeys } from "./keys.ts";
import { SearchBox } from "./search-box.tsx";
import { stopClock, utc } from "./time.tsx";

const PRIMARY = [
  { name: "Validators", href: to.validators() },
  { name: "L1s", href: to.l1s() },
  { name: "Subnets", href: to.subnets() },
];
const OPERATOR = { name: "Operator", href: to.operator() };
const DEVNET = { name: "Devnet", href: to.devnet() };

export function PageHeader() {
  const [path] = useLocation();
  const { data: overview } = useOverview();
  useNews();
  useRowKeys();
  const liveness = useLiveness();
  const { silentSince } = liveness;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  useEffect(() => stopClock(silentSince !== undefined), [silentSince]);
  const places = [...(overview?.chains.length === 0 ? [] : PRIMARY), OPERATOR, ...(overview?.isDevnet ? [DEVNET] : [])];
  return (
    <header class="page-header">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("h1")?.focus()}>
        Skip to the content
      </button>
      <a class="brand" href={to.home()}>
        <span class="mark" aria-hidden="true" />
        <span class="name">Firn</span>
        {overview !== undefined && overview.chains.length > 0 && (
          <span class="network">
            <ChainText text={overview.networkName} longest={24} />
          </span>
        )}
      </a>
      <SearchBox />
      <button type="button" class="menu" aria-expanded={isOpen} aria-controls="places" onClick={() => setOpen(!isOpen)}>
        Menu
      </button>
      <nav id="places" class={isOpen ? "places open" : "places"} aria-label="Places">
        {places.map(({ name, href }) => (
          <a key={href} href={href} aria-current={`#${path}` === href ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <Warning of={liveness} />
    </header>
  );
}

function Warning({ of: { silentSince, isHealthy } }: { readonly of: Liveness }) {
  if (silentSince !== undefined) {
    return (
      <p class="notice bad warning" role="alert">
        Firn has not answered since {utc(silentSince)}: what is shown here is from then. It is asked again every few seconds.
      </p>
    );
  }
  if (isHealthy !== false) return null;
  return (
    <p class="notice bad warning" role="alert">
      A health check of this server fails, so what is shown here may be old. <a href={to.operator()}>Which one</a>
    </p>
  );
}

export function PageFooter() {
  const [chosen, setChosen] = useState<Theme>(theme());
  return (
    <footer class="page-footer">
      <p>
        Everything here is read from this server's public API: its <a href={`${API_BASE}docs`}>Data API</a> and{" "}
        <a href={`${API_BASE}docs/methods`}>JSON-RPC methods</a>.
      </p>
      <label>
        Colours{" "}
        <select
          value={chosen}
          onChange={({ currentTarget }) => {
            setTheme(currentTarget.value as Theme);
            setChosen(theme());
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </footer>
  );
}
