import { useSyncExternalStore } from "react";

const subscribe = (tell: () => void): (() => void) => {
  addEventListener("resize", tell);
  return () => removeEventListener("resize", tell);
};

/** The width of the window, in pixels. */
export const useWidth = (): number => useSyncExternalStore(subscribe, () => innerWidth);
