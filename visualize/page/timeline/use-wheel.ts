import { type RefObject, useEffect, useRef } from "react";

/** Calls `onZoom` for a wheel that turns, and `onPan` for one that moves to the side. */
export function useWheel(
  element: RefObject<HTMLElement | null>,
  onZoom: (factor: number, x: number) => void,
  onPan: (share: number) => void,
): void {
  const latest = useRef({ onZoom, onPan });
  latest.current = { onZoom, onPan };
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const turn = (event: WheelEvent): void => {
      const { left, width } = target.getBoundingClientRect();
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      event.preventDefault();
      if (isSideways) latest.current.onPan((event.deltaX || event.deltaY) / width);
      else latest.current.onZoom(Math.exp(-event.deltaY / WHEEL), event.clientX - left);
    };
    // A listener of React is passive: the page would scroll as well.
    target.addEventListener("wheel", turn, { passive: false });
    return () => target.removeEventListener("wheel", turn);
  }, [element]);
}

/** The distance that a wheel turns for a zoom by e, in pixels. */
const WHEEL = 300;
