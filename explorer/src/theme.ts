/** Light, dark, or as the user's system has it. The choice stays in this browser. */
const NAME = "firn-theme";
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export function theme(): Theme {
  const chosen = localStorage.getItem(NAME);
  return THEMES.find((name) => name === chosen) ?? "system";
}

export function setTheme(chosen: Theme): void {
  localStorage.setItem(NAME, chosen);
  applyTheme();
}

export function applyTheme(): void {
  const root = document.documentElement;
  root.dataset.theme = theme();
  root.dispatchEvent(new Event("themechange"));
}
