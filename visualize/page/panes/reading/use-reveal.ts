import { type RefObject, useEffect, useRef } from "react";

/**
 * Keeps what is marked in sight: after `place` has changed, and once all is there, the elements within that bear
 * `data-marked` are scrolled to, if they can't be seen; where nothing is marked, the newest is, which is last. Only the
 * list itself is scrolled, never what it stands in.
 */
export function useReveal<E extends HTMLElement>(place: number, isAtRest: boolean): RefObject<E | null> {
  const list = useRef<E>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is what moves the mark
  useEffect(() => {
    if (list.current === null) return;
    const marked = [...list.current.querySelectorAll("[data-marked]")];
    const [first, last] = [marked[0], marked.at(-1)];
    if (first === undefined || last === undefined) list.current.scrollTop = list.current.scrollHeight;
    else reveal(list.current, first.getBoundingClientRect().top, last.getBoundingClientRect().bottom);
  }, [place, isAtRest]);
  return list;
}

/** What is left free around what is scrolled to, in pixels: a head of the list may stand there. */
const MARGIN = 40;

function reveal(list: HTMLElement, top: number, bottom: number): void {
  const outer = list.getBoundingClientRect();
  if (top >= outer.top + MARGIN && bottom <= outer.bottom) return;
  const isTooTall = bottom - top > outer.height - 2 * MARGIN;
  // The end of what is taller than the list is where it grows.
  const isAtEnd = isTooTall || bottom > outer.bottom;
  list.scrollTop += isAtEnd ? bottom - outer.bottom + MARGIN : top - outer.top - MARGIN;
}
