import { useEffect, useRef, useState } from "react";
import type { PageSource } from "../source.ts";

/** Opened files as a source. `key` identifies them on this page. */
export interface Opened {
  readonly source: PageSource;
  readonly key: number;
}

/** The opened files, if any, with the actions that open others and close them. */
export interface OpenedState {
  readonly opened: Opened | undefined;
  readonly open: (source: PageSource) => void;
  readonly close: () => void;
}

/**
 * The files that are opened in place of the source. With `isPage` they are a step in the browser's history: Back closes
 * them, and Forward opens them again.
 */
export function useOpened(isPage: boolean): OpenedState {
  const [opened, setOpened] = useState<Opened>();
  const sources = useRef<readonly PageSource[]>([]);
  useEffect(() => {
    if (!isPage) return;
    const read = ({ state }: PopStateEvent): void => {
      const key = keyIn(state);
      const source = sources.current[key];
      setOpened(source === undefined ? undefined : { source, key });
    };
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, [isPage]);
  return {
    opened,
    open(source) {
      const key = sources.current.length;
      sources.current = [...sources.current, source];
      // Files that replace others are the same step.
      if (isPage && opened !== undefined) history.replaceState({ openedFiles: key }, "");
      else if (isPage) history.pushState({ openedFiles: key }, "");
      setOpened({ source, key });
    },
    close() {
      if (isPage) history.back();
      else setOpened(undefined);
    },
  };
}

/** The key of the opened files in the state of a step of the history; -1 where there are none. */
function keyIn(state: unknown): number {
  if (typeof state !== "object" || state === null || !("openedFiles" in state)) return -1;
  return typeof state.openedFiles === "number" ? state.openedFiles : -1;
}
