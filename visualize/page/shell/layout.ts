import { type RefObject, useLayoutEffect, useState } from "react";
import type { PaneName } from "../model/panes.ts";

/** `narrow`: one pane at a time. `normal`: the chart beside the others. `wide`: messages have a column of their own. */
export type Layout = "narrow" | "normal" | "wide";

/** The panes that share one place: each is a tab. */
export const TABS: Readonly<Record<Layout, readonly PaneName[]>> = {
  narrow: ["messages", "problems", "why", "chart", "state", "sequence", "conversation", "compare"],
  normal: ["messages", "problems", "why", "sequence", "conversation", "compare"],
  wide: ["sequence", "problems", "why", "conversation", "compare"],
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
