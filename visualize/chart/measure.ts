/** How the chart's texts are set, in pixels: whoever draws it must set them so, or they don't fit their boxes. */
export const CHART_TEXT = {
  /** A state's name, in the sans-serif font. */
  name: 14,
  /** A label's line, in the monospaced font. */
  label: 11,
  /** From one line of a label to the next. */
  line: 14,
} as const;

/** What a state's name takes of its box, from the top, in pixels. */
export const NAME_HEIGHT = 34;

/** The widest of the usual fonts of that kind, in parts of its size: no box may be too small on somebody's machine. */
const MONOSPACED = 0.605;
const SEMI_BOLD = 0.63;

/** What a name or a line takes: the same everywhere, for it is not asked of the machine's own fonts. */
export const widthOfName = (text: string): number => Math.ceil(text.length * CHART_TEXT.name * SEMI_BOLD);
export const widthOfLabel = (lines: readonly string[]): number =>
  Math.ceil(Math.max(0, ...lines.map((line) => line.length)) * CHART_TEXT.label * MONOSPACED);
