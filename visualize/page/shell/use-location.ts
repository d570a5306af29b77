import { useCallback, useEffect, useRef, useState } from "react";
import { formatLocation, isOtherPlace, type PageLocation, parseLocation } from "../model/location.ts";

/** Delay before the address is updated: browsers limit how often it may change. */
const UPDATE_DELAY_MS = 150;

/** Changes of the place, or a function that computes them from it. */
export type PlaceChange = PageLocation | ((before: PageLocation) => PageLocation);

/**
 * The place that is shown. With `isBookmarked` it is synchronized with the page's address, where another task or view is
 * a step in the browser's history; `start` is used if the address has none.
 */
export function useLocation(
  isBookmarked: boolean,
  start: PageLocation,
): readonly [PageLocation, (change: PlaceChange) => void] {
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
    const write = (): void => {
      if (location.hash !== known.current || hash === known.current) return;
      const address = hash === "" ? location.pathname + location.search : hash;
      if (isOtherPlace(parseLocation(known.current), shown)) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
      known.current = location.hash;
    };
    const timer = setTimeout(write, UPDATE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [isBookmarked, shown]);
  const change = useCallback(
    (given: PlaceChange) =>
      setShown((before) => {
        const changes = typeof given === "function" ? given(before) : given;
        return { ...before, ...targets(changes), ...changes };
      }),
    [],
  );
  return [shown, change];
}

/** Another event, or another task, replaces the record, the message or the call that a link named. */
const targets = (changes: PageLocation): PageLocation =>
  "at" in changes || "task" in changes ? { record: undefined, message: undefined, call: undefined } : {};
