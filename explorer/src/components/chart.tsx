/** Charts, each with the same numbers as a table for people who cannot see it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface ChartProps {
  /** what the chart shows, as a sentence */
  readonly title: string;
  /** Unix seconds, or numbers of a bar; rising */
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** name of the values, with their unit */
  readonly unit: string;
  /** the x-axis is time */
  readonly isTime?: boolean;
  readonly isBars?: boolean;
  /** values between two points are on the line, not those of the first */
  readonly isStraight?: boolean;
  /** from one bar to the next; 1 by default */
  readonly step?: number;
  /** names of bars */
  readonly names?: readonly string[] | undefined;
  /** the exact numbers: a table */
  readonly children?: ComponentChildren;
}

const HEIGHT = 220;
/** Heights, ranks and bars have no fractions. */
const WHOLE_STEPS = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

export function Chart(props: ChartProps) {
  const { title, children, x, y } = props;
  const place = useRef<HTMLDivElement>(null);
  // the numbers decide whether it must be drawn anew
  useEffect(() => {
    const node = place.current;
    if (node === null) return;
    const chart = draw(node, props);
    const observer = new ResizeObserver(() => chart.setSize({ width: node.clientWidth, height: HEIGHT }));
    observer.observe(node);
    const redraw = () => chart.redraw();
    document.documentElement.addEventListener("themechange", redraw);
    return () => {
      observer.disconnect();
      document.documentElement.removeEventListener("themechange", redraw);
      chart.destroy();
    };
  }, [x.join(), y.join()]);
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={place} aria-hidden="true" />
      {children && (
        <details>
          <summary>The numbers</summary>
          {children}
        </details>
      )}
    </figure>
  );
}

function draw(node: HTMLElement, { x, y, unit, isTime = false, isBars = false, isStraight = false, step = 1, names }: ChartProps): uPlot {
  const color = (name: string) => () => getComputedStyle(node).getPropertyValue(name).trim();
  const axis = { stroke: color("--quiet"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1 } };
  const bars = uPlot.paths.bars?.({ size: [0.8, 60] });
  return new uPlot(
    {
      width: node.clientWidth,
      height: HEIGHT,
      // as all times here
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      scales: {
        // bars need their width at both ends
        x: { time: isTime, ...(isBars && { range: (): [number, number] => [x[0]! - step, x.at(-1)! + step] }) },
        // what is twice as high is twice as much
        y: { range: (_: uPlot, min: number, max: number) => uPlot.rangeNum(Math.min(0, min), Math.max(0, max), 0.1, true) },
      },
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      axes: [
        {
          ...axis,
          ...(!isTime && { incrs: WHOLE_STEPS }),
          ...(names && { values: (_: uPlot, ticks: number[]) => ticks.map((tick) => names[tick] ?? "") }),
        },
        { ...axis, size: 70, values: (_: uPlot, ticks: number[]) => ticks.map(compact) },
      ],
      series: [
        {},
        {
          label: unit,
          stroke: color("--accent"),
          fill: color("--accent-soft"),
          width: 2,
          ...(isBars ? bars && { paths: bars } : !isStraight && uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }) }),
        },
      ],
    },
    [[...x], [...y]],
    node,
  );
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });

function compact(value: number): string {
  return COMPACT.format(value);
}
