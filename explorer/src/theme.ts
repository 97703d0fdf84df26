/** Light, dark, or as the user's system has it. The choice stays in this browser. */
const NAME = "firn-theme";
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
systemIsDark.addEventListener("change", applyTheme);

export function theme(): Theme {
  const chosen = localStorage.getItem(NAME);
  return THEMES.find((name) => name === chosen) ?? "system";
}

export function setTheme(chosen: Theme): void {
  localStorage.setItem(NAME, chosen);
  applyTheme();
}

/** Gives the page its colours, and tells charts, which are drawn in them. */
export function applyTheme(): void {
  const chosen = theme();
  const root = document.documentElement;
  root.dataset.theme = chosen !== "system" ? chosen : systemIsDark.matches ? "dark" : "light";
  root.dispatchEvent(new Event("themechange"));
}
