/** Font sizes of the chart's texts, in pixels: a renderer must use them, or texts don't fit their boxes. */
export const CHART_TEXT = {
  /** A state's name, in the sans-serif font. */
  name: 14,
  /** A label's line, in the monospaced font. */
  label: 11,
  /** From one line of a label to the next. */
  line: 14,
} as const;

/** The height of a state's name at the top of its box, in pixels. */
export const NAME_HEIGHT = 34;

/** Character widths of the widest common fonts, relative to their size. */
const MONOSPACED = 0.605;
const SEMI_BOLD = 0.63;

/** Widths of a name and a label: independent of installed fonts, so that layouts are the same everywhere. */
export const widthOfName = (text: string): number => Math.ceil(text.length * CHART_TEXT.name * SEMI_BOLD);
export const widthOfLabel = (lines: readonly string[]): number =>
  Math.ceil(Math.max(0, ...lines.map((line) => line.length)) * CHART_TEXT.label * MONOSPACED);
