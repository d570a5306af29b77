import { type RefObject, useEffect, useRef } from "react";

/** Zooms by a factor from the start of the gesture. */
type Zoom = (factor: number) => void;

/**
 * Zooms while two fingers on the element spread or close.
 *
 * @param onStart called when the second finger is down, with the center between the fingers, in pixels
 */
export function usePinch(element: RefObject<HTMLElement | null>, onStart: (x: number) => Zoom): void {
  const latest = useRef(onStart);
  latest.current = onStart;
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    /** The position of each finger on the element, by its pointer. */
    const fingers = new Map<number, number>();
    /** From the second finger on, until all are lifted: the width of their spread at first, and the zoom by it. */
    let pinch: { readonly width: number; readonly zoom: Zoom } | undefined;
    const press = (event: PointerEvent): void => {
      if (event.pointerType !== "touch") return;
      fingers.set(event.pointerId, event.clientX);
      const [one, other] = [...fingers.values()];
      if (one === undefined || other === undefined) return;
      const x = (one + other) / 2 - target.getBoundingClientRect().left;
      pinch ??= { width: widthOf(one, other), zoom: latest.current(x) };
      // One finger drags the cursor, two do not. React listens at the root: it does not get this event.
      event.stopPropagation();
    };
    const move = (event: PointerEvent): void => {
      if (!fingers.has(event.pointerId)) return;
      fingers.set(event.pointerId, event.clientX);
      if (pinch === undefined) return;
      event.stopPropagation();
      const [one, other] = [...fingers.values()];
      if (one !== undefined && other !== undefined) pinch.zoom(widthOf(one, other) / pinch.width);
    };
    const lift = ({ pointerId }: PointerEvent): void => {
      fingers.delete(pointerId);
      if (fingers.size === 0) pinch = undefined;
    };
    const listeners = {
      pointerdown: press,
      pointermove: move,
      pointerup: lift,
      pointercancel: lift,
    } as const;
    const names = ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const;
    for (const name of names) target.addEventListener(name, listeners[name]);
    return () => {
      for (const name of names) target.removeEventListener(name, listeners[name]);
    };
  }, [element]);
}

/** Fingers that are closer count as this far apart, in pixels: a factor has a bound. */
const CLOSEST = 16;

const widthOf = (one: number, other: number): number => Math.max(CLOSEST, Math.abs(one - other));
