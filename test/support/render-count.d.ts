export interface RenderCount {
  /** The values that were rendered, in order. */
  readonly rendered: readonly unknown[];
  /** Render what is waiting. */
  flush(): void;
  unmount(): void;
}

/**
 * Mount a component of React that reads a store by `useSyncExternalStore`, and record what it renders. Call
 * `vi.unstubAllGlobals()` afterwards.
 */
export function countRenders(store: {
  readonly subscribe: (onChange: () => void) => () => void;
  readonly read: () => unknown;
}): RenderCount;
