import { useState } from "react";

export const THEMES = ["auto", "dark", "light"] as const;
export type Theme = (typeof THEMES)[number];

/** How the page looks: as the system does, dark or light. */
export function useTheme(start: Theme): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(start);
  return [theme, () => setTheme((now) => THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "auto")];
}
