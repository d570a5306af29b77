import { type RefObject, useEffect, useRef } from "react";

/**
 * Scroll elements with `data-marked` into view when the current event changes, when the list settles and when its size
 * changes. Without such an element, the end of the list is shown. `top`: the item, counted from 0, that is shown at the
 * top in place of them. Only the list itself is scrolled, not its containers.
 */
export function useScrollIntoView<E extends HTMLElement>(
  at: number,
  isSettled: boolean,
  top?: number,
): RefObject<E | null> {
  const list = useRef<E>(null);
  const wanted = useRef(top);
  wanted.current = top;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current event moves the mark
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => showMarked(element, itemAt(element, wanted.current)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [at, isSettled]);
  return list;
}

const itemAt = (list: HTMLElement, position: number | undefined): Element | undefined =>
  position === undefined ? undefined : list.querySelector("ol")?.children[position];

function showMarked(list: HTMLElement, item: Element | undefined): void {
  if (item !== undefined) {
    list.scrollTop += item.getBoundingClientRect().top - list.getBoundingClientRect().top - TOP_MARGIN;
    return;
  }
  const marked = [...list.querySelectorAll("[data-marked]")];
  const [first, last] = [marked[0], marked.at(-1)];
  if (first === undefined || last === undefined) list.scrollTop = list.scrollHeight;
  else reveal(list, first.getBoundingClientRect().top, last.getBoundingClientRect().bottom);
}

/** The space above an item at the top, in pixels. */
const TOP_MARGIN = 4;
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
