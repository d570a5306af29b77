import { type RefObject, useLayoutEffect } from "react";
import { visiblePart } from "../model/visible-part.ts";

/**
 * Keep the debugger within the visible part of its container, by the variables `--visible-top` and `--visible-height`
 * of its element. They are set only while the visual viewport is smaller than the layout: Safari on iOS draws the
 * keyboard over a page, whose layout does not change.
 */
export function useVisiblePart(root: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = root.current;
    const view = element?.ownerDocument.defaultView;
    const viewport = view?.visualViewport;
    if (!element?.parentElement || !view || !viewport) return;
    const container = element.parentElement;
    let frame: number | undefined;
    const update = (): void => {
      frame = undefined;
      const { clientHeight } = element.ownerDocument.documentElement;
      const part = visiblePart(container.getBoundingClientRect(), viewport, clientHeight);
      set(element.style, "--visible-top", part?.top);
      set(element.style, "--visible-height", part?.height);
    };
    // Events of one frame are one update.
    const schedule = (): void => {
      frame ??= view.requestAnimationFrame(update);
    };
    update();
    viewport.addEventListener("resize", schedule);
    viewport.addEventListener("scroll", schedule);
    // A page that embeds the debugger moves the container.
    view.addEventListener("scroll", schedule);
    return () => {
      if (frame !== undefined) view.cancelAnimationFrame(frame);
      viewport.removeEventListener("resize", schedule);
      viewport.removeEventListener("scroll", schedule);
      view.removeEventListener("scroll", schedule);
    };
  }, [root]);
}

function set(style: CSSStyleDeclaration, name: string, pixels: number | undefined): void {
  if (pixels === undefined) style.removeProperty(name);
  else style.setProperty(name, `${pixels}px`);
}
