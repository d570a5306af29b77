import { useSyncExternalStore } from "react";

const subscribe = (onChange: () => void): (() => void) => {
  addEventListener("resize", onChange);
  return () => removeEventListener("resize", onChange);
};

/** The width of the window, in pixels. */
export const useWidth = (): number => useSyncExternalStore(subscribe, () => innerWidth);
