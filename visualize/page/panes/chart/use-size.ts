import { type RefObject, useLayoutEffect, useState } from "react";
import type { Size } from "../../model/state-places.ts";

/** The inner size of an element in pixels; undefined before it is measured. */
export function useSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size | undefined>(undefined);
  useLayoutEffect(() => {
    const measured = element.current;
    if (measured === null) return;
    const measure = (): void => setSize({ width: measured.clientWidth, height: measured.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
