import { ToolError } from "../../tools/error.ts";
import { type Confinement, fromRoot, isInside, realPathOf } from "./confinement.ts";
import { locate } from "./look-alike.ts";
import { openInside } from "./open-path.ts";
import type { IsDenied } from "./rules.ts";

interface Named {
  readonly named: string;
  readonly absolute: string;
}

/** The time of the last change of each file, in milliseconds since 1970; undefined: there is no such file. */
export async function readChangeTimes(
  confinement: Confinement,
  isDenied: IsDenied,
  paths: readonly Named[],
): Promise<ReadonlyMap<string, number | undefined>> {
  const found = await Promise.all(
    paths.map(async (path) => [path.named, await changeTimeOf(confinement, isDenied, path)] as const),
  );
  return new Map(found.flatMap(([named, time]) => (time === "unknown" ? [] : [[named, time]])));
}

async function changeTimeOf(
  confinement: Confinement,
  isDenied: IsDenied,
  path: Named,
): Promise<number | undefined | "unknown"> {
  try {
    await using file = await openInside(confinement, path.absolute, path.named);
    if (isDenied(fromRoot(confinement.root, file.real))) return "unknown";
    const stat = await file.handle.stat();
    if (!stat.isFile()) return undefined;
    // A program may set the time of modification, which sets the time of change to now. Some file systems have only the first.
    return Math.floor(stat.ctimeMs || stat.mtimeMs);
  } catch (error) {
    const isAbsent = error instanceof ToolError && error.code === "NOT_FOUND";
    const found = isAbsent ? await locate(confinement, isDenied, path.absolute) : path;
    if (found.absolute !== path.absolute)
      return changeTimeOf(confinement, isDenied, { named: path.named, absolute: found.absolute });
    return isAbsent && (await mayName(confinement, isDenied, path)) ? undefined : "unknown";
  }
}

/** Whether a path that does not exist is inside, and not denied. */
async function mayName({ root }: Confinement, isDenied: IsDenied, { absolute }: Named): Promise<boolean> {
  const real = await realPathOf(absolute);
  return real !== undefined && isInside(root, real) && !isDenied(fromRoot(root, real));
}
