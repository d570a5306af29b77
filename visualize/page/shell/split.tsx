import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";
import type { Hidable, PaneSizes } from "./pane-sizes.ts";

/** The minimum size of a part, in percent. */
const SMALLEST = 12;
/** A part that is dragged below this size, in percent, is hidden. */
const HIDDEN_BELOW = 4;
const STEP = 3;

const within = (share: number): number => Math.min(100 - SMALLEST, Math.max(SMALLEST, share));

export interface SplitProps {
  /** The name under which its size is remembered. */
  readonly id: string;
  /** The accessible name of the divider. */
  readonly name: string;
  readonly isStacked?: boolean;
  /** The initial size of the first part, in percent. */
  readonly share: number;
  readonly sizes: PaneSizes;
  /** The part that can be hidden: the first or the second, and its name. */
  readonly hides?: { readonly side: "first" | "second"; readonly part: Hidable };
  readonly children: readonly [ReactNode, ReactNode];
}

/**
 * Two parts, side by side or stacked, with a divider that can be moved by pointer and arrow keys. Enter on it hides a
 * part that can be hidden, as dragging to the edge does; a button at its place shows the part again.
 */
export function Split(props: SplitProps) {
  const { id, name, isStacked = false, share: start, sizes, hides, children } = props;
  const [first, second] = children;
  const whole = useRef<HTMLDivElement>(null);
  const share = sizes.shareOf(id) ?? start;

  const hide = (): void => {
    if (hides !== undefined) sizes.hide(hides.part, true);
  };
  const moveTo = (part: number): void => {
    const left = hides?.side === "second" ? 100 - part : part;
    if (hides !== undefined && left < HIDDEN_BELOW) hide();
    else sizes.resize(id, within(part));
  };
  const drag = (event: PointerEvent<HTMLDivElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || whole.current === null) return;
    const box = whole.current.getBoundingClientRect();
    const part = isStacked ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width;
    moveTo(part * 100);
  };
  const step = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key];
    if (by !== undefined) sizes.resize(id, within(share + by));
    else if (event.key === "Enter" && hides !== undefined) hide();
    else return;
    event.preventDefault();
  };

  if (hides !== undefined && sizes.isHidden(hides.part)) return <OnePart {...props} hides={hides} />;
  const style: CSSProperties & Record<"--share", string> = { "--share": `${share}%` };
  return (
    <div ref={whole} className={isStacked ? "sb-split sb-stacked" : "sb-split"} style={style}>
      <div className="sb-part">{first}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: an hr can't be moved */}
      <div
        className="sb-divider"
        role="separator"
        tabIndex={0}
        aria-label={name}
        aria-orientation={isStacked ? "horizontal" : "vertical"}
        aria-valuenow={Math.round(share)}
        aria-valuemin={SMALLEST}
        aria-valuemax={100 - SMALLEST}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onDoubleClick={() => sizes.resize(id, undefined)}
        onKeyDown={step}
      />
      <div className="sb-part">{second}</div>
    </div>
  );
}

/** A split whose other part is hidden. */
function OnePart({ sizes, hides: { side, part }, children: [first, second] }: Required<Hiding>) {
  const isFirst = side === "first";
  const shows = (
    <button
      type="button"
      className="sb-show"
      title={`show the ${part}`}
      aria-label={`Show the ${part}`}
      onClick={() => sizes.hide(part, false)}
    >
      {isFirst ? "»" : "«"}
    </button>
  );
  return (
    <div className="sb-split" data-hidden={side}>
      {isFirst && shows}
      <div className="sb-part">{isFirst ? second : first}</div>
      {!isFirst && shows}
    </div>
  );
}

type Hiding = Pick<SplitProps, "sizes" | "hides" | "children">;

/** A button that hides a part. */
export function HideButton({ part, sizes }: { readonly part: Hidable; readonly sizes: PaneSizes }) {
  return (
    <button
      type="button"
      className="sb-quiet sb-hide"
      title={`hide the ${part}`}
      aria-label={`Hide the ${part}`}
      onClick={() => sizes.hide(part, true)}
    >
      {part === "outline" ? "«" : "»"}
    </button>
  );
}
