import { createElement, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { vi } from "vitest";

export interface RenderCount {
  /** The values that were rendered, in order. */
  readonly rendered: readonly unknown[];
  /** Render what is waiting. */
  flush(): void;
  unmount(): void;
}

/**
 * Mount a component of React that reads a store by `useSyncExternalStore`, and record what it renders. It has no
 * elements: the container is the little that React reads of one. Call `vi.unstubAllGlobals()` afterwards.
 */
export function countRenders(
  subscribe: (onChange: () => void) => () => void,
  read: () => unknown,
): RenderCount {
  const rendered: unknown[] = [];
  const Reader = (): null => {
    rendered.push(useSyncExternalStore(subscribe, read));
    return null;
  };
  const node = { addEventListener: () => {}, removeEventListener: () => {} };
  const ownerDocument = { ...node, nodeType: 9, nodeName: "#document" };
  const container = { ...node, nodeType: 1, nodeName: "DIV", tagName: "DIV", ownerDocument, textContent: "" };
  vi.stubGlobal("window", { event: undefined, HTMLIFrameElement: class {} });
  // @ts-expect-error Expects a whole element.
  const root = createRoot(container);
  flushSync(() => root.render(createElement(Reader)));
  return {
    rendered,
    flush: () => flushSync(() => {}),
    unmount: () => flushSync(() => root.unmount()),
  };
}
