import { useCallback, useRef, useState } from "react";
import type { View } from "./time-scale.ts";

/** The part of an axis that a person chose, and the waits that they opened. */
export interface Chosen {
  /** Undefined: the whole axis. */
  readonly view: View | undefined;
  /** The events that started the waits. */
  readonly opened: ReadonlySet<number>;
  readonly setView: (change: (before: View | undefined) => View | undefined) => void;
  /** Open or fold a wait. */
  readonly toggle: (seq: number) => void;
}

interface Kept extends Pick<Chosen, "view" | "opened"> {
  readonly name: string;
}

const NONE: ReadonlySet<number> = new Set();

/** The choices for the axis with this name. Another axis starts with the whole. */
export function useChosen(name: string): Chosen {
  const [kept, setKept] = useState<Kept>({ name, view: undefined, opened: NONE });
  const chosen: Kept = kept.name === name ? kept : { name, view: undefined, opened: NONE };
  const latest = useRef(chosen);
  latest.current = chosen;
  const setView = useCallback<Chosen["setView"]>((change) => {
    const { current } = latest;
    const view = change(current.view);
    setKept((before) => (before === current && before.view === view ? before : { ...current, view }));
  }, []);
  const toggle = (seq: number): void => {
    const opened = new Set(chosen.opened);
    if (!opened.delete(seq)) opened.add(seq);
    setKept({ ...chosen, opened });
  };
  return { ...chosen, setView, toggle };
}
