import path from "node:path";
import { pathToFileURL } from "node:url";
import { IMPORTER } from "./install.ts";
import { Job, type JobResult } from "./job.ts";
import type { ImportPackage } from "./peer.ts";
import { peerNamed } from "./peers.ts";
import { perform } from "./work.ts";

const { peer, installed, work, limitMs, ...place } = Job.parse(JSON.parse(process.argv[2] ?? ""));

/** Import a package as a module in the peer's folder would. */
const importPackage: ImportPackage = async <T extends object>(
  name: string,
  exports: readonly (keyof T & string)[],
): Promise<T> => {
  if (installed === undefined) throw new Error(`Can't import ${name}: the peer has no folder.`);
  const importer: { default: (name: string) => Promise<T> } = await import(
    pathToFileURL(path.join(installed, IMPORTER)).href
  );
  const imported = await importer.default(name);
  const missing = exports.filter((each) => !(each in imported));
  if (missing.length > 0) throw new Error(`Expected ${name} to export ${missing.join(", ")}.`);
  return imported;
};

// A library that lets a promise fail unseen ends the process of its user. Here it is reported.
let unhandled = 0;
process.on("unhandledRejection", () => {
  unhandled += 1;
});

async function report(): Promise<JobResult> {
  try {
    const agents = await peerNamed(peer).load(importPackage);
    const outcome = await perform(agents, work, place);
    await new Promise((resolve) => setImmediate(resolve));
    if (unhandled === 0) return { outcome };
    const what = [outcome.what, "and an unhandled rejection"].filter(Boolean).join(", ");
    return { outcome: { ...outcome, what } };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Connections, timers and tools may be open: the parent needs only the result. */
function end(result: JobResult): void {
  process.send?.(result, () => process.exit(0));
}

setInterval(() => {
  const { user, system } = process.cpuUsage();
  if ((user + system) / 1000 > limitMs) end({ late: true });
}, 500).unref();
end(await report());
