import { type RefObject, useEffect, useRef } from "react";

/**
 * Keeps what is marked in sight: after `place` has changed, the element within that bears `data-marked` is scrolled
 * to, if it can't be seen. Only the list itself is scrolled, never what it stands in.
 */
export function useReveal<E extends HTMLElement>(place: number): RefObject<E | null> {
  const list = useRef<E>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is what moves the mark
  useEffect(() => {
    const marked = list.current?.querySelector("[data-marked]");
    if (list.current && marked) reveal(list.current, marked);
  }, [place]);
  return list;
}

function reveal(list: HTMLElement, marked: Element): void {
  const outer = list.getBoundingClientRect();
  const inner = marked.getBoundingClientRect();
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  // The end of what is taller than the list is where it grows.
  const isBelow = inner.bottom > outer.bottom;
  list.scrollTop += isBelow ? inner.bottom - outer.bottom + 24 : inner.top - outer.top - 24;
}
