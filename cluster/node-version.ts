import { ClusterError } from "./error.ts";

/** The oldest version of Node that the package runs on: pg-boss needs it. */
const OLDEST = [22, 12] as const;

/** Whether the package runs on a version of Node. */
export function runsOn(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** @throws ClusterError `NODE_TOO_OLD` */
export function assertNode(version: string = process.versions.node): void {
  if (runsOn(version)) return;
  throw new ClusterError(
    "NODE_TOO_OLD",
    `Expected Node ${OLDEST.join(".")} or later, found ${version}. Start the worker with a later version of Node.`,
  );
}
