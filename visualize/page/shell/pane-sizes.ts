import { useCallback, useEffect, useMemo, useState } from "react";
import * as z from "zod";
import { parseJson } from "../../../machines/message/json.ts";

/** The parts of the page that can be hidden. */
export const HIDABLE = ["outline", "inspector"] as const;
export type Hidable = (typeof HIDABLE)[number];

/** The sizes of the first parts of splits, in percent, by the splits' ids, and the hidden parts. */
interface Sizes {
  readonly shares: Readonly<Record<string, number>>;
  readonly hidden: readonly Hidable[];
}

/** The sizes of panes, and the functions that change them. */
export interface PaneSizes {
  /** The size of a split's first part, in percent. Undefined: the initial one. */
  readonly shareOf: (split: string) => number | undefined;
  /** Undefined: the initial size. */
  readonly resize: (split: string, share: number | undefined) => void;
  readonly isHidden: (part: Hidable) => boolean;
  readonly hide: (part: Hidable, isHidden: boolean) => void;
}

const INITIAL: Sizes = { shares: {}, hidden: [] };
const sizesSchema = z.object({
  shares: z.record(z.string(), z.number().min(0).max(100)),
  hidden: z.array(z.enum(HIDABLE)),
});

/** The sizes of the page's panes. The browser remembers them under `key`; without one they last as long as the page. */
export function usePaneSizes(key: string | undefined): PaneSizes {
  const [sizes, setSizes] = useState(() => remembered(key));
  useEffect(() => {
    if (sizes !== INITIAL) remember(key, sizes);
  }, [key, sizes]);
  const resize = useCallback((split: string, share: number | undefined) => {
    setSizes((now) => {
      const { [split]: _, ...others } = now.shares;
      return { ...now, shares: share === undefined ? others : { ...others, [split]: share } };
    });
  }, []);
  const hide = useCallback((part: Hidable, isHidden: boolean) => {
    setSizes((now) => {
      const others = now.hidden.filter((one) => one !== part);
      return { ...now, hidden: isHidden ? [...others, part] : others };
    });
  }, []);
  return useMemo(
    () => ({
      shareOf: (split) => sizes.shares[split],
      resize,
      isHidden: (part) => sizes.hidden.includes(part),
      hide,
    }),
    [sizes, resize, hide],
  );
}

/** The browser's storage. A page in a sandboxed frame has none: the browser throws. */
function storage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

function remembered(key: string | undefined): Sizes {
  const text = key === undefined ? null : storage()?.getItem(key);
  if (text === null || text === undefined) return INITIAL;
  return sizesSchema.safeParse(parseJson(text)).data ?? INITIAL;
}

/** Sizes are forgotten where the storage is full: it throws then. */
function remember(key: string | undefined, sizes: Sizes): void {
  if (key === undefined) return;
  try {
    storage()?.setItem(key, JSON.stringify(sizes));
  } catch {
    return;
  }
}
