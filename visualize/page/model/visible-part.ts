/** A part of a page, in CSS pixels. */
interface Extent {
  readonly top: number;
  readonly height: number;
}

/** The visual viewport, as a browser has it. */
interface Seen {
  /** Its distance from the top of the layout viewport, in CSS pixels. */
  readonly offsetTop: number;
  readonly height: number;
  /** How much two fingers have enlarged the page. */
  readonly scale: number;
}

/**
 * The visible part of a container, from its top, where the visual viewport is smaller than the layout viewport.
 * Undefined elsewhere: also for a page that is enlarged by two fingers, which the person moves, and for a container out
 * of sight.
 *
 * @param container its extent in the layout viewport
 * @param layoutHeight the height of the layout viewport, in whole CSS pixels
 */
export function visiblePart(container: Extent, seen: Seen, layoutHeight: number): Extent | undefined {
  if (seen.scale !== 1 || Math.ceil(seen.height) >= layoutHeight) return undefined;
  const top = Math.max(container.top, seen.offsetTop);
  const bottom = Math.min(container.top + container.height, seen.offsetTop + seen.height);
  return bottom > top ? { top: top - container.top, height: bottom - top } : undefined;
}
