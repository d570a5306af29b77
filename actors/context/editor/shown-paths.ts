import type { Workspace } from "../../../ports/workspace.ts";

/** Maximum number of paths that are looked up for one list. */
const LOOKUPS_MAX = 1_000;

/** Some items of a list, with their paths as the tools name them. */
export interface ShownItems<T> {
  readonly shown: readonly T[];
  /** Whether the list has more. */
  readonly cut: boolean;
}

/** The first items whose files are inside the workspace and not denied (L9). */
export async function firstShown<T extends { readonly path: string }>(
  items: readonly T[],
  workspace: Pick<Workspace, "resolve">,
  limit: number,
): Promise<ShownItems<T>> {
  const paths = new Map<string, string | undefined>();
  const shown: T[] = [];
  for (const item of items) {
    if (!paths.has(item.path)) {
      if (paths.size >= LOOKUPS_MAX) return { shown, cut: true };
      const { path, inside, ignored } = await workspace.resolve(item.path);
      paths.set(item.path, inside && !ignored ? path : undefined);
    }
    const path = paths.get(item.path);
    if (path === undefined) continue;
    if (shown.length >= limit) return { shown, cut: true };
    shown.push({ ...item, path });
  }
  return { shown, cut: false };
}
