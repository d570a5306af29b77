import { useCallback, useEffect, useRef, useState } from "react";
import { formatLocation, type PageLocation, parseLocation } from "../model/location.ts";

/** Delay before the address is updated: browsers limit how often it may change. */
const UPDATE_DELAY_MS = 150;

/**
 * The task and event that are shown. With `isBookmarked` they are synchronized with the page's address; `start` is used
 * if the address has none.
 */
export function useLocation(
  isBookmarked: boolean,
  start: PageLocation,
): readonly [PageLocation, (changes: PageLocation) => void] {
  const [shown, setShown] = useState<PageLocation>(() => {
    const bookmarked = isBookmarked ? parseLocation(location.hash) : {};
    return Object.keys(bookmarked).length > 0 ? bookmarked : start;
  });
  // The address that the page has read or written last. Another one was just entered: its event follows.
  const known = useRef("");
  useEffect(() => {
    if (!isBookmarked) return;
    known.current = location.hash;
    const read = (): void => {
      known.current = location.hash;
      setShown(parseLocation(location.hash));
    };
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, [isBookmarked]);
  useEffect(() => {
    if (!isBookmarked) return;
    const hash = formatLocation(shown);
    const timer = setTimeout(() => {
      if (location.hash !== known.current || hash === known.current) return;
      history.replaceState(null, "", hash === "" ? location.pathname + location.search : hash);
      known.current = location.hash;
    }, UPDATE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [isBookmarked, shown]);
  const change = useCallback(
    (changes: PageLocation) => setShown((before) => ({ ...before, ...changes })),
    [],
  );
  return [shown, change];
}
