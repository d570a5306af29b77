import { useState } from "react";

export const THEMES = ["auto", "dark", "light"] as const;
export type Theme = (typeof THEMES)[number];

/** The page's theme, and a function that switches to the next one. */
export function useTheme(start: Theme): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(start);
  return [theme, () => setTheme((now) => THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "auto")];
}
