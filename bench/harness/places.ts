import { mkdir } from "node:fs/promises";
import path from "node:path";

/** Where a task may work, and where its journal lies: apart, so that neither sees the other. */
export async function placesIn(
  folder: string,
): Promise<{ readonly workspace: string; readonly dataDir: string }> {
  const workspace = path.join(folder, "workspace");
  await mkdir(workspace, { recursive: true });
  return { workspace, dataDir: path.join(folder, "data") };
}
