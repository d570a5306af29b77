import { WIDTHS } from "../views.ts";
import type { Shot } from "./shots.ts";

/** The folder of the sheets, from the root of the repository. */
export const GALLERY = "docs/pictures/gallery";

/** The heights of the windows, by their widths. */
const HEIGHTS = {
  390: 844,
  768: 1_024,
  1024: 768,
  1440: 900,
  1920: 1_080,
  2560: 1_440,
} as const satisfies Record<(typeof WIDTHS)[number], number>;

/** The widths of the pictures in the dark theme. */
const DARK = [390, 1440] as const;

/** The pictures of a view: each width in the light theme, two in the dark one. */
export const SHOTS: readonly Shot[] = [
  ...WIDTHS.map((width): Shot => ({ width, height: HEIGHTS[width], theme: "light" })),
  ...DARK.map((width): Shot => ({ width, height: HEIGHTS[width], theme: "dark" })),
];

/** The file name of a view's sheet, without its extension. */
export const sheetName = (view: string): string => view.replaceAll(/\W+/g, "-");
