import { createElement } from "react";
import { createRoot } from "react-dom/client";
import type { Place } from "./model/place.ts";
import { App } from "./shell/app.tsx";
import type { PageSource } from "./source.ts";
import type { Connection } from "./sources/index.ts";

/** How the debugger is shown in an element of somebody's page. */
export interface MountOptions {
  /** Where the tasks come from. */
  readonly source: PageSource;
  /** The task that is shown first. Default: the newest. */
  readonly task?: string;
  /** The place that is shown first. Default: the end. */
  readonly at?: number;
  /** Default `auto`: as the system has it. */
  readonly theme?: "auto" | "dark" | "light";
  /**
   * Whether the debugger is the whole page: then the task and the place stand in the page's address, which goes before
   * `task` and `at`, and keys are taken wherever the focus is. Default false: keys are taken within the element.
   */
  readonly isPage?: boolean;
  /** What is said of the connection. Absent: what is shown is recorded. */
  readonly connection?: Connection;
}

/** A debugger that is shown. */
export interface Mounted {
  /** Shows it with other options; what a person has chosen meanwhile stays. */
  update(options: Partial<MountOptions>): void;
  unmount(): void;
}

/**
 * Shows the visual debugger in `element`, which it fills: give the element a height.
 *
 * A page needs no more than this: `mount(element, { source: fileSource(events) })`.
 */
export function mount(element: HTMLElement, options: MountOptions): Mounted {
  const root = createRoot(element);
  let current = options;
  const render = (): void => {
    const { source, task, at, theme = "auto", isPage = false, connection } = current;
    const start: Place = { ...(task !== undefined && { task }), ...(at !== undefined && { at }) };
    root.render(createElement(App, { source, start, isBookmarked: isPage, theme, connection }));
  };
  render();
  return {
    update(changed) {
      current = { ...current, ...changed };
      render();
    },
    unmount: () => root.unmount(),
  };
}
