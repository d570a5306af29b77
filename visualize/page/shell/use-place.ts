import { useCallback, useEffect, useState } from "react";
import { hashOf, type Place, placeOf } from "../model/place.ts";

/** The address is written once the place has stood so long: a browser lets it be written some times a second only. */
const SETTLED_MS = 150;

/**
 * Which task and which place of it is shown. With `isBookmarked` it stands in the page's address, and follows it; where
 * the address says none yet, it begins at `start`.
 */
export function usePlace(
  isBookmarked: boolean,
  start: Place,
): readonly [Place, (change: Partial<Record<keyof Place, Place[keyof Place] | undefined>>) => void] {
  const [place, setPlace] = useState<Place>(() => {
    const marked = isBookmarked ? placeOf(location.hash) : {};
    return Object.keys(marked).length > 0 ? marked : start;
  });
  useEffect(() => {
    if (!isBookmarked) return;
    const read = (): void => setPlace(placeOf(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, [isBookmarked]);
  useEffect(() => {
    if (!isBookmarked) return;
    const hash = hashOf(place);
    const timer = setTimeout(() => {
      if (hash !== location.hash)
        history.replaceState(null, "", hash === "" ? location.pathname + location.search : hash);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [isBookmarked, place]);
  const change = useCallback((fields: Partial<Record<keyof Place, Place[keyof Place] | undefined>>) => {
    setPlace((before) => {
      const merged = Object.entries({ ...before, ...fields }).filter(([, value]) => value !== undefined);
      return placeOf(
        new URLSearchParams(
          merged.map(([name, value]) => [name === "beside" ? "with" : name, String(value)]),
        ).toString(),
      );
    });
  }, []);
  return [place, change];
}
