import { BUBBLEWRAP } from "./bubblewrap-means.ts";
import type { SandboxMeans } from "./means.ts";
import { seatbelt } from "./seatbelt-means.ts";

/** The system that sandboxes are created on. */
export interface SandboxSystem {
  readonly platform: NodeJS.Platform;
  /** The path of `sandbox-exec`, for macOS. */
  readonly sandboxExec: string;
}

export const THIS_SYSTEM: SandboxSystem = {
  platform: process.platform,
  sandboxExec: "/usr/bin/sandbox-exec",
};

/** The means of a system: Seatbelt on macOS, otherwise Bubblewrap. */
export const meansOf = ({ platform, sandboxExec }: SandboxSystem): SandboxMeans =>
  platform === "darwin" ? seatbelt(sandboxExec) : BUBBLEWRAP;
