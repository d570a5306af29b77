import { type RefObject, useEffect, useRef } from "react";
import { type Command, commandOf } from "./commands.ts";

/** Call `onCommand` for keyboard commands within `root`, except in text fields. */
export function useKeys(
  root: RefObject<HTMLElement | null>,
  isWhole: boolean,
  onCommand: (command: Command) => void,
): void {
  const latest = useRef(onCommand);
  latest.current = onCommand;
  useEffect(() => {
    const target: Document | HTMLElement | null = isWhole ? document : root.current;
    const take = (event: Event): void => {
      if (!(event instanceof KeyboardEvent) || event.defaultPrevented) return;
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
      const command = commandOf(event.key, event.shiftKey);
      if (command === undefined) return;
      event.preventDefault();
      latest.current(command);
    };
    target?.addEventListener("keydown", take);
    return () => target?.removeEventListener("keydown", take);
  }, [root, isWhole]);
}

/** Whether the focused element handles this key itself. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("input, textarea, select, [contenteditable], dialog")) return true;
  if (target.closest("[role=separator], [role=tablist]") && /^(Arrow|Home|End)/.test(key)) return true;
  return (key === " " || key === "Enter") && target.closest("button, a, summary, [role=button]") !== null;
}
