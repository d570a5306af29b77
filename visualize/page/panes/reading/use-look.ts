import { useState } from "react";

/** Where a person looks: at the `focus`, until they look elsewhere, and again when `place` changes. */
export function useLook(place: number, focus: number): readonly [number, (middle: number) => void] {
  const [chosen, choose] = useState<{ readonly place: number; readonly middle: number }>();
  return [chosen?.place === place ? chosen.middle : focus, (middle) => choose({ place, middle })];
}
