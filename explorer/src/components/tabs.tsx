/** Parts of a screen of which one is shown; each has an address of its own. */

export interface Tab {
  /** last part of the path; empty for the first tab */
  readonly path: string;
  readonly name: string;
}

export function Tabs({ label, base, tabs, current }: { label: string; base: string; tabs: readonly Tab[]; current: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ path, name }) => (
        <a key={path} href={path === "" ? base : `${base}/${path}`} aria-current={path === current ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
