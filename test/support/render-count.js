// Not TypeScript: the types of React declare elements, which the tests of the page get from Playwright.
import { createElement, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { vi } from "vitest";

function Reader({ subscribe, read, onRender }) {
  onRender(useSyncExternalStore(subscribe, read));
  return null;
}

/** Its container is the little that React reads of an element. */
export function countRenders(store) {
  const rendered = [];
  const node = { addEventListener: () => {}, removeEventListener: () => {} };
  const ownerDocument = { ...node, nodeType: 9, nodeName: "#document" };
  const container = { ...node, nodeType: 1, nodeName: "DIV", tagName: "DIV", ownerDocument, textContent: "" };
  vi.stubGlobal("window", { event: undefined, HTMLIFrameElement: class {} });
  const root = createRoot(container);
  flushSync(() =>
    root.render(createElement(Reader, { ...store, onRender: (value) => rendered.push(value) })),
  );
  return {
    rendered,
    flush: () => flushSync(() => {}),
    unmount: () => flushSync(() => root.unmount()),
  };
}
