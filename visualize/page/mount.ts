import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./shell/app.tsx";
import { browserClock, type PageClock } from "./shell/clock.ts";
import { OpenedFiles, type OpenedFilesProps } from "./shell/opened-files.tsx";
import type { PageSource } from "./source.ts";
import type { Connection } from "./sources/connection.ts";

/** Options of a mounted debugger. */
export interface MountOptions {
  /** The source of the tasks. */
  readonly source: PageSource;
  /** The first shown task. Default: the newest. */
  readonly task?: string;
  /** The first shown event. Default: the last. */
  readonly at?: number;
  /** The view that is shown first. Default: the task. */
  readonly view?: "tasks" | "suite" | "verification";
  /** Default `auto`: the system's setting. */
  readonly theme?: "auto" | "dark" | "light";
  /**
   * Whether the debugger is the whole page: then the page's address contains the task and the event and overrides
   * `task`, `at` and `view`, and keys work wherever the focus is. Default false: keys work within the element.
   */
  readonly isPage?: boolean;
  /**
   * The key of the browser's storage under which the sizes of panes and the hidden ones are remembered. Default: none
   * are, or `signalbox.panes` if the debugger is the whole page.
   */
  readonly storageKey?: string;
  /** The state of the connection. Absent: the source is recorded. */
  readonly connection?: Connection;
  /** The source of time, for what lasts until now. Default: the browser's clock. */
  readonly clock?: PageClock;
}

const PAGE_STORAGE_KEY = "signalbox.panes";

/** A mounted debugger. */
export interface Mounted {
  /** Change options; the user's choices stay. */
  update(options: Partial<MountOptions>): void;
  unmount(): void;
}

/**
 * Mount the visual debugger in `element`, which it fills. Give the element a height.
 *
 * The minimal use: `mount(element, { source: fileSource(events) })`.
 */
export function mount(element: HTMLElement, options: MountOptions): Mounted {
  const root = createRoot(element);
  let current = options;
  const render = (): void => {
    const { source, task, at, view, theme = "auto", isPage = false, connection } = current;
    const { storageKey = isPage ? PAGE_STORAGE_KEY : undefined, clock = browserClock } = current;
    const start = { task, at, view };
    const app: OpenedFilesProps["show"] = ({ key, isFile, ...shown }) =>
      createElement(App, {
        key,
        source: shown.source,
        // The address names a task of the source, not of a file.
        start: isFile ? {} : start,
        isBookmarked: isPage && !isFile,
        storageKey,
        theme,
        connection: isFile ? undefined : connection,
        clock,
      });
    root.render(createElement(OpenedFiles, { source, isPage, show: app }));
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
