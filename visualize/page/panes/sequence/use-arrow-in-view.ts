import { type RefObject, useEffect } from "react";
import type { ArrowEnds } from "./arrows.ts";
import type { Participant } from "./participants.ts";

/** The width in pixels of the task's bar and a label beside it, with the space around them. */
const LABEL_WIDTH = 132;
const MARGIN = 12;

/** Scroll the diagram sideways until the task's end of an arrow, and the label there, are in view. */
export function useArrowInView(
  list: RefObject<HTMLElement | null>,
  participants: readonly Participant[],
  ends: ArrowEnds | undefined,
): void {
  const xOf = (id: string | undefined): number => participants.find((each) => each.id === id)?.x ?? 0;
  const task = xOf("task");
  const other = xOf(ends?.from === "task" ? ends.to : ends?.from);
  const left = other < task ? task - LABEL_WIDTH : task - MARGIN;
  const right = other < task ? task + MARGIN : task + LABEL_WIDTH;
  useEffect(() => {
    const scroller = list.current;
    if (scroller === null) return;
    const observer = new ResizeObserver(() => {
      const gutter = scroller.querySelector(".sequence-gutter")?.getBoundingClientRect().width ?? 0;
      const room = scroller.clientWidth - gutter;
      if (left < scroller.scrollLeft) scroller.scrollLeft = left;
      else if (right > scroller.scrollLeft + room) scroller.scrollLeft = right - room;
    });
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [list, left, right]);
}
