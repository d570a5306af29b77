import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useRef,
  useState,
} from "react";

/** The minimum size of a part, in percent. */
const SMALLEST = 12;
const STEP = 3;

const within = (share: number): number => Math.min(100 - SMALLEST, Math.max(SMALLEST, share));

export interface SplitProps {
  /** The accessible name of the divider. */
  readonly name: string;
  readonly isStacked?: boolean;
  /** The initial size of the first part, in percent. */
  readonly share: number;
  readonly children: readonly [ReactNode, ReactNode];
}

/** Two parts, side by side or stacked, with a divider that can be moved by pointer and arrow keys. */
export function Split({ name, isStacked = false, share: start, children: [first, second] }: SplitProps) {
  const [share, setShare] = useState(start);
  const whole = useRef<HTMLDivElement>(null);

  const drag = (event: PointerEvent<HTMLDivElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || whole.current === null) return;
    const box = whole.current.getBoundingClientRect();
    const part = isStacked ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width;
    setShare(within(part * 100));
  };
  const step = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setShare((now) => within(now + by));
  };

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
        onDoubleClick={() => setShare(start)}
        onKeyDown={step}
      />
      <div className="sb-part">{second}</div>
    </div>
  );
}
