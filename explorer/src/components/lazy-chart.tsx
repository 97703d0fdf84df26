/** A chart whose code is loaded when it is first shown: most readers of a page draw none. */
import { lazy, Suspense } from "preact/compat";
import type { ChartProps } from "./chart.tsx";
import { Loading } from "./states.tsx";

const Chart = lazy(() => import("./chart.tsx").then(({ Chart: loaded }) => ({ default: loaded })));

export function LazyChart(props: ChartProps) {
  return (
    <Suspense fallback={<Loading what="Loading the chart" />}>
      <Chart {...props} />
    </Suspense>
  );
}
