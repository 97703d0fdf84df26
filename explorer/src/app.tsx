/** The frame around every screen, and which screen is at which path. */
import { Route, Router, Switch } from "wouter-preact";
import { useHashLocation } from "wouter-preact/use-hash-location";
import { KeyDialog } from "./components/key-dialog.tsx";
import { PageFooter, PageHeader } from "./components/page-frame.tsx";
import { OfPrimaryNetwork } from "./components/primary-network.tsx";
import { askFor, Screen } from "./components/screen.tsx";
import { NotFound } from "./screens/not-found.tsx";
import { screens } from "./screens/screens.ts";

export function App() {
  return (
    <Router hook={useHashLocation}>
      <PageHeader />
      <main id="main">
        <Switch>
          {screens.map(({ path, load, isOfPrimaryNetwork = false }) => (
            <Route key={path} path={path}>
              {(params: Record<string, string>) => {
                // its code comes while the frame is drawn and the overview is read
                void askFor(load);
                const screen = <Screen key={JSON.stringify(params)} load={load} params={params} />;
                return isOfPrimaryNetwork ? <OfPrimaryNetwork>{screen}</OfPrimaryNetwork> : screen;
              }}
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
