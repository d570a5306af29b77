import { type RefObject, useEffect, useRef } from "react";

/**
 * Scroll elements with `data-marked` into view when the current event changes and when the list settles. Without such
 * an element, the end of the list is shown. Only the list itself is scrolled, not its containers.
 */
export function useScrollIntoView<E extends HTMLElement>(
  at: number,
  isSettled: boolean,
): RefObject<E | null> {
  const list = useRef<E>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current event moves the mark
  useEffect(() => {
    if (list.current === null) return;
    const marked = [...list.current.querySelectorAll("[data-marked]")];
    const [first, last] = [marked[0], marked.at(-1)];
    if (first === undefined || last === undefined) list.current.scrollTop = list.current.scrollHeight;
    else reveal(list.current, first.getBoundingClientRect().top, last.getBoundingClientRect().bottom);
  }, [at, isSettled]);
  return list;
}

/** The space around the elements, in pixels: the list may have a fixed header. */
const MARGIN = 40;

function reveal(list: HTMLElement, top: number, bottom: number): void {
  const outer = list.getBoundingClientRect();
  if (top >= outer.top + MARGIN && bottom <= outer.bottom) return;
  const isTooTall = bottom - top > outer.height - 2 * MARGIN;
  // The end of what is taller than the list is where it grows.
  const isAtEnd = isTooTall || bottom > outer.bottom;
  list.scrollTop += isAtEnd ? bottom - outer.bottom + MARGIN : top - outer.top - MARGIN;
}
