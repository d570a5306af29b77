import { spawnSync } from "node:child_process";

/** Whether commands can run in a sandbox here. Otherwise the tests that need one say that they are left out. */
export const hasSandbox =
  spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]).status === 0;
if (!hasSandbox) console.warn("No sandbox here (bwrap): its tests are left out.");
