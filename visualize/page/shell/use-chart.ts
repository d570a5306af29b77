import { useEffect, useState } from "react";
import { type Chart, denseLayoutOf, layoutOf } from "../../chart/index.ts";
import { Walks } from "../model/walk.ts";
import type { DrawnChart } from "../panes/chart/index.ts";
import type { PageSource } from "../source.ts";

type Given = Awaited<ReturnType<PageSource["chart"]>> & { readonly walks: Walks };

/** The machine's picture, with labels or without. Undefined until it is laid out; a text where it can't be. */
export function useChart(source: PageSource, isLabelled: boolean): DrawnChart | string | undefined {
  const [given, setGiven] = useState<Given | string | undefined>(undefined);
  const [drawn, setDrawn] = useState<DrawnChart | string | undefined>(undefined);
  useEffect(() => wanted(charted(source), setGiven), [source]);
  useEffect(() => {
    if (given === undefined || typeof given === "string") return setDrawn(given);
    return wanted(laidOut(given, isLabelled), setDrawn);
  }, [given, isLabelled]);
  return drawn;
}

async function charted(source: PageSource): Promise<Given> {
  const given = await source.chart();
  return { ...given, walks: new Walks(given.chart) };
}

async function laidOut({ chart, layout, walks }: Given, isLabelled: boolean): Promise<DrawnChart> {
  const places = isLabelled ? (layout ?? (await layoutOf(chart))) : await dense(chart);
  return { chart, layout: places, walks, isLabelled };
}

/** A layout takes a moment: it is made once for a chart. */
const layouts = new WeakMap<Chart, ReturnType<typeof denseLayoutOf>>();
function dense(chart: Chart): ReturnType<typeof denseLayoutOf> {
  const made = layouts.get(chart) ?? denseLayoutOf(chart);
  layouts.set(chart, made);
  return made;
}

/** Tells what comes of it, unless nobody wants it any more by then. */
function wanted<T>(promise: Promise<T>, tell: (value: T | string) => void): () => void {
  let isWanted = true;
  promise.then(
    (value) => {
      if (isWanted) tell(value);
    },
    (error: unknown) => {
      if (isWanted) tell(`The machine can't be drawn: ${String(error)}`);
    },
  );
  return () => {
    isWanted = false;
  };
}
