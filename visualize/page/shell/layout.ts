import { type RefObject, useLayoutEffect, useState } from "react";
import type { PaneName } from "../model/panes.ts";

/**
 * `narrow`: one pane at a time. `normal`: the outline, the transcript and an inspector side by side. `wide`: the
 * inspector has the chart above its other panes.
 */
export type Layout = "narrow" | "normal" | "wide";

/** The panes that share one place: each is a tab. */
export const TABS: Readonly<Record<Layout, readonly PaneName[]>> = {
  narrow: ["transcript", "outline", "problems", "why", "chart", "state", "sequence", "raw", "compare"],
  normal: ["why", "state", "chart", "problems", "sequence", "raw"],
  wide: ["why", "state", "problems", "sequence", "raw"],
};

/** The widths in pixels from which a layout is used. */
const NORMAL = 900;
const WIDE = 1_600;

const layoutOf = (width: number): Layout => (width < NORMAL ? "narrow" : width < WIDE ? "normal" : "wide");

/** The layout for the width of the element that contains the debugger. */
export function useLayout(root: RefObject<HTMLElement | null>): Layout {
  const [layout, setLayout] = useState<Layout>("normal");
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    const measure = (): void => setLayout(layoutOf(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [root]);
  return layout;
}
