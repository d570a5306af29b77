import { type Axis, panned, type View, zoomed } from "./time-scale.ts";

/** The factor of one step of zoom, and the share of the view of one step to the side. */
export const ZOOM = 1.6;
const PAN = 0.2;

type Change = (axis: Axis, x: number) => View | undefined;

/** The keys that change the shown part, around a position in pixels. */
const ZOOM_KEYS: ReadonlyMap<string, Change> = new Map<string, Change>([
  ["+", (axis, x) => zoomed(axis, ZOOM, x)],
  ["=", (axis, x) => zoomed(axis, ZOOM, x)],
  ["-", (axis, x) => zoomed(axis, 1 / ZOOM, x)],
  ["0", () => undefined],
]);
/** The overview has these as well: on the track they go from event to event. */
const PAN_KEYS: ReadonlyMap<string, Change> = new Map<string, Change>([
  ["ArrowLeft", (axis) => panned(axis, -PAN)],
  ["ArrowRight", (axis) => panned(axis, PAN)],
]);

/** The change that a key makes; undefined: none. */
export const changeOf = (key: string, isOverview: boolean): Change | undefined =>
  ZOOM_KEYS.get(key) ?? (isOverview ? PAN_KEYS.get(key) : undefined);
