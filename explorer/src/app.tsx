/** The frame around every screen, and which screen is at which path. */
import { Route, Router, Switch } from "wouter-preact";
import { useHashLocation } from "wouter-preact/use-hash-location";
import { KeyDialog } from "./components/key-dialog.tsx";
import { PageFooter, PageHeader } from "./components/page-frame.tsx";
import { Screen } from "./components/screen.tsx";
import { NotFound } from "./screens/not-found.tsx";
import { screens } from "./screens/screens.ts";

export function App() {
  return (
    <Router hook={useHashLocation}>
      <PageHeader />
      <main id="main">
        <Switch>
          {screens.map(({ path, load }) => (
            <Route key={path} path={path}>
              {(params: Record<string, string>) => <Screen key={JSON.stringify(params)} load={load} params={params} />}
            </Route>
          ))}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </main>
      <PageFooter />
      <KeyDialog />
    </Router>
  );
}
